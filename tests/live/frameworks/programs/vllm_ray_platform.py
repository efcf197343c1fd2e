"""A platform plug-in of vLLM: its processors, where Ray calls each worker's share of them a GPU. vLLM asks Ray for nothing else."""

from vllm.platforms.cpu import CpuPlatform


class RayCpuPlatform(CpuPlatform):
    ray_device_key = "GPU"
    ray_noset_device_env_vars = ["RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"]


def register() -> str:
    return "vllm_ray_platform.RayCpuPlatform"
