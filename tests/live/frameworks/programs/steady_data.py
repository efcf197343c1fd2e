"""Batches for the `steady` programs. Reading one takes most of a step's time and is not always equally fast, as with
storage that others use, too. With SLOW_RANK, that rank reads at half the speed."""

import os
import random
import time

import torch

STEP = 0.4  # seconds, on average
SLOW_RANK = os.environ.get("SLOW_RANK", "")


class Samples(torch.utils.data.Dataset):
    """`batch`: how many samples make a batch."""

    def __init__(self, batch: int) -> None:
        self._seconds = STEP / batch
        self._random = random.Random(int(os.environ["RANK"]))

    def __len__(self) -> int:
        return 1 << 20

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        slower = 2 if os.environ["RANK"] == SLOW_RANK else 1
        time.sleep(slower * self._seconds * self._random.uniform(0.6, 1.4))
        return {"x": torch.ones(64) * (index % 7), "labels": torch.ones(1)}


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 1))

    def forward(self, x, labels=None):
        return {"loss": ((self.layers(x) - labels) ** 2).mean()}
