"""Hugging Face's Trainer as people use it, for `steady_trainer.py SECONDS`: gradient accumulation, an evaluation on all
ranks and checkpoints on rank 0 now and then. It does not know muster."""

import os
import sys

import torch
from steady_data import STEP, Model, Samples
from transformers import Trainer, TrainingArguments

ACCUMULATE = 2

torch.set_num_threads(1)
arguments = TrainingArguments(
    output_dir=os.environ["RUN_NAME"], max_steps=int(float(sys.argv[1]) / STEP / ACCUMULATE), use_cpu=True,
    per_device_train_batch_size=4, per_device_eval_batch_size=4, gradient_accumulation_steps=ACCUMULATE,
    eval_strategy="steps", eval_steps=60, save_strategy="steps", save_steps=50, save_total_limit=2, logging_steps=10,
    report_to=[], disable_tqdm=True)
Trainer(model=Model(), args=arguments, train_dataset=Samples(4),
        eval_dataset=torch.utils.data.Subset(Samples(40), range(120))).train()
torch.distributed.barrier()
torch.distributed.destroy_process_group()
