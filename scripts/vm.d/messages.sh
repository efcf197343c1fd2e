# shellcheck shell=bash
# The vm script's messages: help, progress, and errors of one line each (what: why; what to do).

say() { printf 'vm: %s\n' "$*"; }

die() {
  printf 'vm: %s\n' "$*" >&2
  exit 1
}

usage_error() {
  printf 'vm: %s; see scripts/vm help\n' "$*" >&2
  exit 2
}

vm_help() {
  cat <<'TEXT'
usage: scripts/vm [--suite SUITE] COMMAND ...      (as root; SUITE is trixie, Slurm 24.11, or bookworm, 22.05)

  build [--build DIR]       make the disk: root, muster's packages, configuration (DIR is build/ by default)
        [--programs]        pack the programs that DIR contains, instead of building the packages from scratch
  up [--machines 1|2]       boot vm1, or vm1 and vm2, and wait until Slurm's nodes are idle
     [--build DIR]          with the disk below DIR
     [--cpus N]             CPUs of each machine, half of them in each NUMA node (default 4, with two machines 2)
     [--memory MIB]         memory of each machine (default 2560)
     [--timeout SECONDS]    how long to wait (default 900)
  run [--machine N] [--user U] [--] CMD...    run CMD on vm1 (or vmN), as root (or alice; or bob)
  monitor N WORD...         a command to the machine's monitor: stop, cont, system_reset, info status
  status                    show which machines run
  down                      stop the machines and remove their files, whatever their state
TEXT
}

need_root() {
  ((EUID == 0)) || die "$1 needs root, as it makes a Debian root; run it with sudo"
}

# need_command COMMAND PACKAGE
need_command() {
  [[ -n $(type -P "$1") ]] || die "command $1 is missing; it is in Debian's package $2; run scripts/setup --with=vm --packages-only"
}

# wait_until SECONDS CONDITION...: polls CONDITION until it holds; fails at the deadline.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 1
  done
}
