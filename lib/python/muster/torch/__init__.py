"""Connects torch.distributed; nobody has to choose a port for the rendezvous.

    import muster.torch
    torch.distributed.init_process_group("nccl", init_method="muster://")

Rank 0 binds a port first and then serves torch's TCPStore on it. The other ranks get the address through PMIx. All
ranks leave the step as soon as every rank is connected. Each rank's number and the number of ranks come from the step.
With torch 2.5 and newer, no import is needed once muster is installed: torch calls it (TORCH_DEVICE_BACKEND_AUTOLOAD=0
switches that off, for all packages).

For scripts that give no init_method, or "env://": call serve_env(), set MUSTER_TORCH_ENV=1 if torch calls muster, or
run `python -m muster.torch train.py`. Works with torch 1.13 and newer.

For the loop of a training job that saves checkpoints: stop_requested(), which gives all ranks the same answer.
"""

from .. import _recorder
from .env import serve_env
from .rendezvous import register
from .stop import stop_requested

__all__ = ["register", "serve_env", "stop_requested"]

register()
_recorder.install()
