# shellcheck shell=bash
# `up --mode`: the ways in which sites have run Slurm since 2024; docs/admin/slurm-modes.md describes them. Each mode
# of a cluster is an empty file in $state/modes.

readonly known_modes=(stepmgr expedite auth-slurm block tree namespace)

# take_modes MODE[+MODE]...: sets `modes`.
take_modes() {
  local mode
  mapfile -t modes < <(tr + '\n' <<<"$1")
  for mode in "${modes[@]}"; do
    [[ " ${known_modes[*]} " == *" $mode "* ]] || usage_error "up: --mode '$mode' is not one of ${known_modes[*]}"
  done
}

in_mode() { [[ -e $state/modes/$1 ]]; }

# write_modes MODE...
write_modes() {
  local mode
  for mode in "$@"; do : >"$state/modes/$mode"; done
}

# mode_lines: lines for slurm.conf that replace ours.
mode_lines() {
  if in_mode stepmgr || in_mode namespace; then echo PrologFlags=Contain; fi
  if in_mode auth-slurm; then printf '%s\n' AuthType=auth/slurm CredType=auth/slurm AuthInfo=use_client_ids; fi
  ! in_mode namespace || echo NamespaceType=namespace/linux
  ! in_mode block || echo TopologyPlugin=topology/block
  ! in_mode tree || echo TopologyPlugin=topology/tree
}

# slurmctld_parameters: the value of SlurmctldParameters, of which slurm.conf can have only one.
slurmctld_parameters() {
  local words=()
  [[ ! -e $state/configless ]] || words+=(enable_configless)
  ! in_mode stepmgr || words+=(enable_stepmgr)
  ! in_mode expedite || words+=(enable_expedited_requeue)
  ((${#words[@]} == 0)) || echo "SlurmctldParameters=$(join_by , "${words[@]}")"
}

# one_cpu: the words that keep a command on one CPU, one per line; none unless the mode needs it. namespace/linux mounts
# a job's mount namespace, which Linux 6.18 refuses ("Invalid argument") if the namespace has a smaller number than that
# of the process, and each CPU numbers them separately.
one_cpu() {
  ! in_mode namespace || printf '%s\n' taskset --cpu-list "$(lscpu --online -p=CPU | grep -v '^#' | head -n 1)"
}

# write_mode_files NODES: what a mode needs beside slurm.conf.
write_mode_files() {
  local names half
  mapfile -t names < <(nodes_of "$1")
  half=$((${#names[@]} / 2))
  # The first switch or block has the last nodes, so that the order of the topology is not that of the names.
  local first second
  first=$(join_by , "${names[@]:half}") second=$(join_by , "${names[@]:0:half}")
  if in_mode block; then
    printf '%s\n' "BlockName=b1 Nodes=$first" "${second:+BlockName=b2 Nodes=$second}" BlockSizes=1 >"$state/etc/topology.conf"
  elif in_mode tree; then
    printf '%s\n' "SwitchName=s1 Nodes=$first" "${second:+SwitchName=s2 Nodes=$second}" \
      "SwitchName=top Switches=s1${second:+,s2}" >"$state/etc/topology.conf"
  fi
  if in_mode auth-slurm; then
    (umask 077 && head -c 128 /dev/urandom >"$state/etc/slurm.key")
  fi
  ! in_mode namespace || namespace_file >"$state/etc/namespace.yaml"
}

nodes_of() {
  local name
  for name in $(hosts "$1"); do
    ! is_node "$name" || echo "$name"
  done
}

# namespace_file: each job has its own process numbers, /tmp and /dev/shm. The processes keep their users: without a
# kernel that supports BPF tokens, a user namespace of its own would be the same to every program here.
namespace_file() {
  cat <<YAML
defaults:
  auto_base_path: true
  base_path: "/var/tmp/slurm-namespaces-%n"
  clone_ns_flags:
    - "CLONE_NEWPID"
    - "CLONE_NEWUSER"
    - "CLONE_NEWNS"
YAML
}
