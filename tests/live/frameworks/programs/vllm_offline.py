"""vLLM inside a program that is connected by torchrun's variables: `vllm_offline.py MODEL`, its layers split among all
ranks."""

import os
import socket
import sys

import torch
import torch.distributed as dist
from vllm import LLM, SamplingParams
from vllm.distributed import parallel_state
from vllm.platforms import current_platform

type(current_platform).get_device_communicator_cls = classmethod(lambda _: "vllm_two_hosts.TwoHosts")
world = int(os.environ["WORLD_SIZE"])
model = LLM(model=sys.argv[1], load_format="dummy", skip_tokenizer_init=True, enforce_eager=True, max_model_len=64,
            max_num_seqs=2, seed=1, kv_cache_memory_bytes=1 << 26, tensor_parallel_size=world,
            distributed_executor_backend="external_launcher")
(answer,) = model.generate([{"prompt_token_ids": [5, 6, 7]}], use_tqdm=False, sampling_params=SamplingParams(
    max_tokens=4, temperature=0, detokenize=False, ignore_eos=True))
total = torch.tensor([dist.get_rank()])
dist.all_reduce(total)
sys.stdout.write(f"rank {dist.get_rank()} of {world} sum {int(total)} on {socket.gethostname()}"
                 f" tensor {'+'.join(map(str, parallel_state.get_tp_group().ranks))}"
                 f" tokens {' '.join(map(str, answer.outputs[0].token_ids))}\n")
dist.barrier()
