"""Takes the cluster down when its standard input ends, which it does however the tests end.

    reaper.py scripts/cluster NAME
"""

import signal
import subprocess
import sys


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.read()
    script, name = sys.argv[1:]
    return subprocess.run([script, "--name", name, "down"], stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
