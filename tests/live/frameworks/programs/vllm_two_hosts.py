"""vLLM on CPUs takes ranks with the same rendezvous port for ranks of one host, and lets them meet in /dev/shm. The ranks of
these tests are on different nodes, each with its own. (On GPUs, vLLM has no such channel.)"""

from vllm.distributed.device_communicators.cpu_communicator import CpuCommunicator


class TwoHosts(CpuCommunicator):
    def _all_group_ranks_share_shm_group_name(self) -> bool:
        return False
