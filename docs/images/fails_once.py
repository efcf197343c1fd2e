#!/usr/bin/env python3
"""A training run whose rank 3 cannot read its data in the first attempt: docs/images/record shows what happens then."""

import os
import sys
import time

rank, attempt = int(os.environ["RANK"]), int(os.environ["TORCHELASTIC_RESTART_COUNT"])
if rank == 0:
    sys.stdout.write(f"attempt {attempt}: training from epoch {attempt}\n")
    sys.stdout.flush()
time.sleep(1 if rank == 3 else 3)
if rank == 3 and attempt == 0:
    raise OSError("data/shard-17.tar: Input/output error")
if rank == 0:
    sys.stdout.write("done\n")
