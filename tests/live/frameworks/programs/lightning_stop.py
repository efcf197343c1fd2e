"""A Lightning training run that saves a checkpoint and ends at SIGTERM: `lightning_stop.py DEVICES NODES`. Without the
signal, it takes minutes."""

import os
import signal
import sys
import time

import muster
import muster.torch
import torch
from lightning.pytorch import Callback, LightningModule, Trainer
from torch.utils.data import DataLoader, TensorDataset


class StopCleanly(Callback):
    def on_train_start(self, trainer, module):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # replaces Lightning's handler
        muster.stop_on("TERM")

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        if muster.torch.stop_requested():
            trainer.save_checkpoint("last.ckpt")
            trainer.should_stop = True


class Line(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.batches = 0

    def training_step(self, batch):
        time.sleep(0.01)
        self.batches += 1
        if self.batches == 20:
            sys.stdout.write(f"trains in {os.environ['SLURM_JOB_ID']}.{os.environ['SLURM_STEP_ID']}\n")
            sys.stdout.flush()
        return torch.nn.functional.mse_loss(self.layer(batch[0]), batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


samples = DataLoader(TensorDataset(torch.linspace(-1, 1, 64).reshape(-1, 1)), batch_size=1)
trainer = Trainer(accelerator="cpu", devices=int(sys.argv[1]), num_nodes=int(sys.argv[2]), strategy="ddp", max_steps=10_000,
                  logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
                  callbacks=[StopCleanly()])
trainer.fit(Line(), samples, ckpt_path="last.ckpt" if os.path.exists("last.ckpt") else None)
saved = torch.load("last.ckpt", weights_only=False)["global_step"]
sys.stdout.write(f"rank {trainer.global_rank} stopped after {trainer.global_step} steps, saved {saved}\n")
torch.distributed.barrier()
torch.distributed.destroy_process_group()
