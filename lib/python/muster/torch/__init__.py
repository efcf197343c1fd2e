"""torch.distributed by muster: a rendezvous without a port to choose.

    import muster.torch

    torch.distributed.init_process_group("nccl", init_method="muster://")

Rank 0 serves torch's TCPStore on a port that it has bound first; the address reaches the other ranks by PMIx, and the step
is left as soon as every rank is connected. Rank and number of ranks come from the step. With torch 2.5 and newer an
installed muster needs no import: torch calls it (TORCH_DEVICE_BACKEND_AUTOLOAD=0 switches that off, for all packages).

For scripts that give no init_method, or "env://": serve_env(), MUSTER_TORCH_ENV=1 where torch calls muster, or
`python -m muster.torch train.py`. Works with torch 1.13 and newer.

For the loop of a training that saves checkpoints: stop_requested(), which all ranks answer alike.
"""

from .. import _recorder
from .env import serve_env
from .rendezvous import register
from .stop import stop_requested

__all__ = ["register", "serve_env", "stop_requested"]

register()
_recorder.install()
