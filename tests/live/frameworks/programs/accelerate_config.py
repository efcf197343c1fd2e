"""Prints how Accelerate understands a configuration file, and a sum over all processes."""

import os
import socket
import sys

import torch
from accelerate import Accelerator

accelerator = Accelerator(cpu=True)
total = accelerator.reduce(torch.tensor([accelerator.process_index]), reduction="sum")
settings = {name: value for name, value in os.environ.items() if name.startswith(("ACCELERATE_", "FSDP_"))}
sys.stdout.write(f"rank {accelerator.process_index} of {accelerator.num_processes} sum {int(total)} on {socket.gethostname()}"
                 f" local {accelerator.local_process_index} precision {accelerator.mixed_precision}"
                 f" arguments {sys.argv[1:]} settings {sorted(settings.items())}\n")
accelerator.end_training()
