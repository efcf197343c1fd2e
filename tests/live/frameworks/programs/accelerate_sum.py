"""Accelerate on CPUs: a sum over all processes."""

import socket
import sys

import torch
from accelerate import Accelerator

accelerator = Accelerator(cpu=True)
total = accelerator.reduce(torch.tensor([accelerator.process_index]), reduction="sum")
sys.stdout.write(f"rank {accelerator.process_index} of {accelerator.num_processes} sum {int(total)} on {socket.gethostname()}"
                 f" local {accelerator.local_process_index}\n")
accelerator.end_training()
