"""The framework tests are collected only where `scripts/test --frameworks` has made their environments."""

import os

collect_ignore = [] if "MUSTER_FRAMEWORKS" in os.environ else ["test_accelerate.py", "test_frameworks.py", "test_hangs.py", "test_muster.py", "test_ray.py", "test_run.py", "test_traps.py"]
