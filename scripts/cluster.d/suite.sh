# shellcheck shell=bash
# A Debian suite's own Slurm, from a chroot that is made once and kept.
