"""A Hydra program of which rank 1 fails. It does not know muster."""

import os
import time

import hydra


@hydra.main(version_base=None)
def main(_) -> None:
    if os.environ["RANK"] == "1":
        {}["missing"]
    time.sleep(60)


main()
