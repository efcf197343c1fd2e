"""A rank of the case `logs`: writes RATE bytes of lines per second for SECONDS, then waits until it may end.

    logs_rank.py RATE SECONDS

Writes "ready" and "done ELAPSED" to the FIFO `up`; starts when `go` has a writer, and ends when `end` has one.
"""

import os
import sys
import time

LINE = 100  # bytes
BEAT = 0.02  # seconds


def say(text):
    descriptor = os.open("up", os.O_WRONLY)
    os.write(descriptor, text.encode())
    os.close(descriptor)


def lines(rank, first, count):
    return b"".join(f"rank {rank} step {number:>10} ".encode().ljust(LINE - 1, b".") + b"\n"
                    for number in range(first, first + count))


def main():
    rate, seconds = int(sys.argv[1]), float(sys.argv[2])
    rank = int(os.environ["SLURM_PROCID"])
    per_beat = max(1, int(rate * BEAT) // LINE)
    block = lines(rank, 0, per_beat)
    say("ready ")
    os.close(os.open("go", os.O_RDONLY))
    began = time.monotonic()
    for beat in range(int(seconds / BEAT)):
        ahead = began + beat * BEAT - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
        left = memoryview(block)
        while left:
            left = left[os.write(1, left):]
    say(f"done {time.monotonic() - began:.3f} ")
    os.close(os.open("end", os.O_RDONLY))


main()
