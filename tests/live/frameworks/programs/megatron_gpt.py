"""Megatron Core on CPUs: `megatron_gpt.py TENSOR PIPELINE` trains a tiny GPT, its layers split among the ranks.

The groups are made as Megatron-LM's pretrain scripts make them. Its own attention and schedules need a GPU, so the
attention comes from torch and the schedule from this program.
"""

import os
import socket
import sys

import torch
import torch.distributed as dist
from megatron.core import parallel_state
from megatron.core.models.gpt import GPTModel
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.transformer.transformer_config import TransformerConfig

TENSOR, PIPELINE = int(sys.argv[1]), int(sys.argv[2])
LENGTH, BATCH, WIDTH, WORDS, STEPS = 8, 2, 16, 32, 3


class Attention(torch.nn.Module):
    def __init__(self, **_):
        super().__init__()

    def forward(self, query, key, value, *_, **__):
        heads = (each.permute(1, 2, 0, 3) for each in (query, key, value))
        return torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=True).permute(2, 0, 1, 3).flatten(2)


def model_of_this_rank():
    config = TransformerConfig(
        num_layers=PIPELINE, hidden_size=WIDTH, num_attention_heads=2 * TENSOR, use_cpu_initialization=True,
        tensor_model_parallel_size=TENSOR, pipeline_model_parallel_size=PIPELINE, pipeline_dtype=torch.float32,
        hidden_dropout=0.0, attention_dropout=0.0, gradient_accumulation_fusion=False)
    layer = get_gpt_layer_local_spec()
    layer.submodules.self_attention.submodules.core_attention = Attention
    return GPTModel(config, layer, vocab_size=WORDS, max_sequence_length=LENGTH, share_embeddings_and_output_weights=False,
                    pre_process=parallel_state.is_pipeline_first_stage(), post_process=parallel_state.is_pipeline_last_stage())


def step(model, optimizer):
    """One forward and backward pass through all stages; returns the loss on the last stage."""
    tokens = torch.arange(LENGTH).repeat(BATCH, 1)
    mask = torch.triu(torch.ones(1, 1, LENGTH, LENGTH, dtype=torch.bool), 1)
    before = parallel_state.get_pipeline_model_parallel_prev_rank()
    after = parallel_state.get_pipeline_model_parallel_next_rank()
    optimizer.zero_grad()
    given = None
    if not parallel_state.is_pipeline_first_stage():
        given = torch.empty(LENGTH, BATCH, WIDTH)
        dist.recv(given, before)
        model.set_input_tensor(given.requires_grad_())
    loss = None
    if parallel_state.is_pipeline_last_stage():
        loss = model(tokens, tokens, mask, labels=(tokens + 1) % WORDS).mean()
        loss.backward()
    else:
        passed = model(tokens, tokens, mask)
        dist.send(passed.detach(), after)
        gradient = torch.empty_like(passed)
        dist.recv(gradient, after)
        passed.backward(gradient)
    if given is not None:
        dist.send(given.grad, before)
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=parallel_state.get_data_parallel_group())
    optimizer.step()
    return loss


def names(group) -> str:
    return "+".join(map(str, dist.get_process_group_ranks(group)))


rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
dist.init_process_group("gloo", rank=rank, world_size=world)
parallel_state.initialize_model_parallel(TENSOR, PIPELINE)
torch.manual_seed(1)
model = model_of_this_rank()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
losses = [step(model, optimizer) for _ in range(STEPS)]
total = torch.tensor([rank])
dist.all_reduce(total)
learned = "-" if losses[0] is None else " ".join(f"{float(loss):.4f}" for loss in losses)
sys.stdout.write(f"rank {rank} of {world} sum {int(total)} on {socket.gethostname()}"
                 f" tensor {names(parallel_state.get_tensor_model_parallel_group())}"
                 f" pipeline {names(parallel_state.get_pipeline_model_parallel_group())}"
                 f" data {names(parallel_state.get_data_parallel_group())}"
                 f" connections {os.environ.get('CUDA_DEVICE_MAX_CONNECTIONS')} losses {learned}\n")
dist.barrier()
dist.destroy_process_group()
