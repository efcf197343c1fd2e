"""vLLM with Ray's workers: `vllm_ray.py MODEL`, its layers split between two nodes. Prints where the workers are."""

import socket
import sys

if __name__ == "__main__":  # its processes import this file again
    from vllm import LLM, SamplingParams

    model = LLM(model=sys.argv[1], load_format="dummy", skip_tokenizer_init=True, enforce_eager=True, max_model_len=64,
                max_num_seqs=2, seed=1, kv_cache_memory_bytes=1 << 26, tensor_parallel_size=2,
                distributed_executor_backend="ray")
    (answer,) = model.generate([{"prompt_token_ids": [5, 6, 7]}], use_tqdm=False, sampling_params=SamplingParams(
        max_tokens=4, temperature=0, detokenize=False, ignore_eos=True))
    sys.stdout.write(f"driver on {socket.gethostname()} tokens {' '.join(map(str, answer.outputs[0].token_ids))}\n")
