"""Two steps of a Lightning training run: `lightning_sum.py DEVICES NODES`."""

import socket
import sys

import torch
from lightning.pytorch import LightningModule, Trainer
from torch.utils.data import DataLoader, TensorDataset


class Line(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)

    def training_step(self, batch):
        return torch.nn.functional.mse_loss(self.layer(batch[0]), batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def on_train_end(self):
        strategy = self.trainer.strategy
        total = strategy.reduce(torch.tensor([float(self.global_rank)]), reduce_op="sum")
        sys.stdout.write(f"rank {self.global_rank} of {self.trainer.world_size} sum {int(total)} on {socket.gethostname()}"
                         f" by {type(strategy.cluster_environment).__name__} after {self.trainer.global_step} steps\n")


samples = DataLoader(TensorDataset(torch.linspace(-1, 1, 64).reshape(-1, 1)), batch_size=1)
Trainer(accelerator="cpu", devices=int(sys.argv[1]), num_nodes=int(sys.argv[2]), strategy="ddp", max_steps=2,
        logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
        ).fit(Line(), samples)

# Without this, the first rank to leave breaks the others' connections.
torch.distributed.barrier()
torch.distributed.destroy_process_group()
