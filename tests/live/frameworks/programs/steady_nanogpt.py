"""A configuration of nanoGPT, for `train.py steady_nanogpt.py`: a small model on CPUs. Rank 0 alone evaluates and saves,
as nanoGPT always does. Reading a batch takes most of a step's time and is not always equally fast."""

import os
import random
import time

import numpy
import torch
from steady_data import STEP

out_dir = os.environ["RUN_NAME"]
dataset = "steady"
backend = "gloo"
dtype = "float32"
compile = False
n_layer, n_head, n_embd, block_size, batch_size = 2, 2, 64, 32, 4
micro_steps = 2
gradient_accumulation_steps = micro_steps * int(os.environ["WORLD_SIZE"])
eval_interval, eval_iters, log_interval = 150, 10, 50
max_iters = int(float(os.environ["SECONDS"]) / STEP)
torch.set_num_threads(1)

memmap = numpy.memmap
pauses = random.Random(int(os.environ["RANK"]))


def slow_storage(*args, **named):
    time.sleep(STEP / micro_steps * pauses.uniform(0.6, 1.4))
    return memmap(*args, **named)


numpy.memmap = slow_storage
