"""A rank that calls the function of its agent, as a process of torch's elastic agent does: @record writes its exception
to the launcher's file."""

import json
import os
import pickle
import shutil
import sys
from pathlib import Path

folder, path = Path(sys.argv[1]), Path(sys.argv[2])
sys.path[:] = [str(Path(__file__).parent), *json.loads(path.read_text())]
from torch.distributed.elastic.multiprocessing.errors import record  # noqa: E402

rank = os.environ["RANK"]
place = folder / f"agent-{os.environ['GROUP_RANK']}"
task = pickle.loads((place / "task").read_bytes())
try:
    value = record(task["entrypoint"])(*task["args"])
except Exception:
    shutil.copy(os.environ["TORCHELASTIC_ERROR_FILE"], place / f"error.{rank}")
    raise
(place / f"value.{rank}").write_bytes(pickle.dumps(value))
