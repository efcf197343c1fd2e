"""A platform plug-in for vLLM: runs on CPUs, but Ray calls each worker's share of them a GPU, the only thing vLLM
requests from Ray."""

from vllm.platforms.cpu import CpuPlatform


class RayCpuPlatform(CpuPlatform):
    ray_device_key = "GPU"
    ray_noset_device_env_vars = ["RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"]

    @classmethod
    def get_device_communicator_cls(cls) -> str:
        return "vllm_two_hosts.TwoHosts"


def register() -> str:
    return "vllm_ray_platform.RayCpuPlatform"
