"""TensorFlow's MultiWorkerMirroredStrategy, which reads its cluster from TF_CONFIG; one all-reduce."""

import os
import socket
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf  # noqa: E402  (the log level is read at import)

strategy = tf.distribute.MultiWorkerMirroredStrategy()
resolver = strategy.cluster_resolver


def rank():
    return tf.identity(tf.constant(resolver.task_id))


seen = int(strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(rank), axis=None))
workers = resolver.cluster_spec().num_tasks("worker")
sys.stdout.write(f"rank {resolver.task_id} of {workers} sum {seen} on {socket.gethostname()}"
                 f" replicas {strategy.num_replicas_in_sync}\n")
