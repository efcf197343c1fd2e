# shellcheck shell=bash
# Starts munged, slurmctld and slurmd in their namespaces.

# close_other_fds: a daemon must not hold the caller's pipes or our lock.
close_other_fds() {
  local fd
  for fd in /proc/self/fd/*; do
    fd=${fd##*/}
    ((fd <= 2 || fd == 255)) || eval "exec $fd>&-"
  done
}

# start_daemon NODE COMMAND...: returns once the daemon has put itself into the background.
start_daemon() {
  local node=$1 pid
  shift
  node_pid "$node"
  (
    cd / && umask 022 && close_other_fds
    exec nsenter --target "$pid" --mount --uts --ipc --net --pid -- \
      env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 SLURM_CONF="$state/etc/slurm.conf" "$@"
  ) </dev/null >>"$state/log/${1##*/}.$node.out" 2>&1
}

start_munged() {
  local dir=$state/munge
  head -c 128 /dev/urandom >"$dir/private/key"
  chmod 0400 "$dir/private/key"
  # munged may run as root here; --force silences its warning about that.
  start_daemon ctl munged --force --socket="$dir/run/socket" --key-file="$dir/private/key" \
    --pid-file="$dir/private/pid" --seed-file="$dir/private/seed" --log-file="$state/log/munged.log"
}

start_slurmctld() { start_daemon ctl slurmctld; }

start_slurmd() {
  local own source=()
  mapfile -t own < <(one_cpu)
  [[ ! -e $state/own-cpus ]] || own=(taskset --cpu-list "$(cpu_of "$1")")
  [[ ! -e $state/shim.so ]] || mapfile -t -O "${#own[@]}" own < <(echo env && shim_environment "$1")
  [[ ! -e $state/sockets ]] || mapfile -t -O "${#own[@]}" own < <(echo env && made_up_hardware)
  [[ ! -e $state/configless ]] || own+=(env -u SLURM_CONF) source=(--conf-server ctl)
  start_daemon "$1" "${own[@]}" slurmd -N "$1" "${source[@]}"
}

# cpu_of NODE: with --own-cpus, the CPU of this machine that the node runs on. Otherwise nodes on one machine would all
# bind their first task to "their" first CPU, which is the same one.
cpu_of() {
  local list name i=0
  mapfile -t list < <(lscpu --online -p=CPU | grep -v '^#')
  while read -r name; do
    is_node "$name" || continue
    if [[ $name == "$1" ]]; then echo "${list[i % ${#list[@]}]}"; return; fi
    i=$((i + 1))
  done < <(hosts "$(cat "$state/nodes")")
}

# signal_named PID SIGNAL NAME: sends SIGNAL (0: none) to the processes called NAME in the PID namespace of PID, and
# prints how many there are. It runs inside the namespace, so it cannot hit any other process.
signal_named() {
  # shellcheck disable=SC2016
  nsenter --target "$1" --mount --pid -- bash -c '
    count=0
    for dir in /proc/[0-9]*; do
      read -r name 2>/dev/null <"$dir/comm" || continue
      if [[ $name == "$2" ]] && kill -s "$1" "${dir##*/}"; then count=$((count + 1)); fi
    done
    echo "$count"' signal_named "$2" "$3"
}

cluster_start() {
  [[ $# == 2 && ($1 != @(ctl|login) && $2 == slurmd || "$1 $2" == "ctl slurmctld") ]] ||
    usage_error "start needs NODE slurmd, or ctl slurmctld"
  need_root start
  local pid log=$state/log/slurmctld.log
  node_pid "$1"
  # A killed process exists until its last thread ends, and slurmctld's last thread may still be writing its state.
  wait_until 30 none_named "$pid" "$2" || die "$2 is already running on $1"
  [[ $1 == ctl ]] || log=$state/log/slurmd.$1.log
  "start_$2" "$1" || die "$2 on $1 did not start: $(tail -n 1 "$log")"
  [[ $1 != ctl ]] || wait_until 20 controller_answers || die "slurmctld did not answer within 20 s: $(tail -n 1 "$log")"
}

none_named() { (($(signal_named "$1" 0 "$2") == 0)); }
