"""Lightning's Trainer as people use it, for `steady_lightning.py SECONDS`: a metric that all ranks average, validation
and checkpoints now and then. It does not know muster."""

import os
import sys

import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.callbacks import ModelCheckpoint
from steady_data import STEP, Model, Samples
from torch.utils.data import DataLoader, Subset


class Steady(LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.model = Model()

    def training_step(self, batch):
        loss = self.model(**batch)["loss"]
        self.log("loss", loss, sync_dist=True)
        return loss

    def validation_step(self, batch):
        self.log("validation", self.model(**batch)["loss"], sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-4)


torch.set_num_threads(1)
nodes = int(os.environ["SLURM_NNODES"])
Trainer(accelerator="cpu", devices=int(os.environ["WORLD_SIZE"]) // nodes, num_nodes=nodes, strategy="ddp",
        max_steps=int(float(sys.argv[1]) / STEP), val_check_interval=120, log_every_n_steps=10, logger=False,
        callbacks=[ModelCheckpoint(dirpath=os.environ["RUN_NAME"], every_n_train_steps=100)],
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
        ).fit(Steady(), DataLoader(Samples(4), batch_size=4), DataLoader(Subset(Samples(40), range(120)), batch_size=4))
torch.distributed.barrier()
torch.distributed.destroy_process_group()
