"""The Trainer of Hugging Face's transformers: trains a tiny model for two steps and prints what it knows about the
step."""

import socket
import sys

import torch
from transformers import Trainer, TrainingArguments


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return {"x": torch.ones(4) * index, "labels": torch.ones(1)}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.line = torch.nn.Linear(4, 1)

    def forward(self, x, labels=None):
        return {"loss": ((self.line(x) - labels) ** 2).mean()}


trainer = Trainer(model=Model(), train_dataset=Data(),
                  args=TrainingArguments(output_dir="trained", max_steps=2, per_device_train_batch_size=1, use_cpu=True,
                                         report_to=[], save_strategy="no", disable_tqdm=True))
trainer.train()
total = torch.tensor([trainer.args.process_index])
torch.distributed.all_reduce(total)
weight = trainer.model.line.weight if hasattr(trainer.model, "line") else trainer.model.module.line.weight
equal = [torch.zeros_like(weight) for _ in range(trainer.args.world_size)]
torch.distributed.all_gather(equal, weight.detach())
assert all(torch.equal(one, equal[0]) for one in equal), "the ranks have trained different models"
sys.stdout.write(f"rank {trainer.args.process_index} of {trainer.args.world_size} sum {int(total)} on {socket.gethostname()}"
                 f" after {trainer.state.global_step} steps\n")
torch.distributed.destroy_process_group()
