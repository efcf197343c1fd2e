# shellcheck shell=bash
# Writes slurm.conf and its companions.

# count_cpus: sets cpus, sockets, cores (per socket) and threads (per core) to this machine's.
count_cpus() {
  local list
  list=$(lscpu --online -p=SOCKET,CORE | grep -v '^#')
  cpus=$(wc -l <<<"$list")
  sockets=$(cut -d, -f1 <<<"$list" | sort -u | wc -l)
  cores=$(($(sort -u <<<"$list" | wc -l) / sockets))
  threads=$((cpus / (cores * sockets)))
  [[ -e $state/sockets ]] || return 0
  read -r sockets <"$state/sockets"
  cores=$((cpus / sockets)) threads=1
}

# made_up_hardware: with --sockets, the variables that make slurmd see them, one per line.
made_up_hardware() {
  local cpus sockets cores threads
  [[ -e $state/sockets ]] || return 0
  count_cpus
  printf '%s\n' HWLOC_THISSYSTEM=1 "HWLOC_SYNTHETIC=package:$sockets core:$cores pu:1"
}

# node_line NODES CPUS GPUS: CPUS 0 means the machine's own.
node_line() {
  local cpus sockets cores threads gpus=
  count_cpus
  if claims_other_cpus "$2"; then
    cpus=${2/#0/$(nproc)} sockets=1 cores=$cpus threads=1
  fi
  (($3 == 0)) || gpus=" Gres=gpu:$3"
  local names=("${node_names[@]}")
  ((${#names[@]})) || names=("node[1-$1]")
  echo "NodeName=$(IFS=,; echo "${names[*]}")$(node_addresses "$1") CPUs=$cpus Sockets=$sockets CoresPerSocket=$cores ThreadsPerCore=$threads RealMemory=$(half_memory)$gpus State=UNKNOWN"
}

# node_addresses NODES: numeric addresses, with --no-dns.
node_addresses() {
  [[ -e $state/no-dns ]] || return 0
  local name addresses=()
  for name in $(hosts "$1"); do
    ! is_node "$name" || addresses+=("$(address_of "$name" 1)")
  done
  echo " NodeAddr=$(join_by , "${addresses[@]}")"
}

# network_lines: Slurm's settings for the cluster's network.
network_lines() {
  local host=ctl
  [[ ! -e $state/no-dns ]] || host="ctl($(address_of ctl 1))"
  echo "SlurmctldHost=$host"
  [[ ! -e $state/ipv6 ]] || echo CommunicationParameters=EnableIPv6,DisableIPv4
  slurmctld_parameters
  # Slurm itself must not relay messages from node to node.
  [[ ! -e $state/isolated ]] || echo TreeWidth=65533
}

# half_memory: half of the memory, in MiB. Every node claims this much, because Slurm does not allocate memory here
# (CR_Core).
half_memory() { awk '/^MemTotal:/ { print int($2 / 2048) }' /proc/meminfo; }

# claims_other_cpus CPUS: whether nodes claim CPUs other than those they can bind to. If so, Slurm must be configured to
# trust slurm.conf, and task/affinity would fail ("Unable to layout tasks on given cpus").
claims_other_cpus() {
  local cpus sockets cores threads
  [[ ! -e $state/own-cpus ]] || return 0
  count_cpus
  (($1 != 0 && $1 != cpus || $(nproc) != cpus || cpus != sockets * cores * threads))
}

# write_slurm_conf NODES CPUS GPUS CGROUPS [FILE]: a key without a value in FILE removes our line for that key.
write_slurm_conf() {
  local extra=${5:-/dev/null} task=task/affinity track=proctrack/linuxproc overrides=
  if claims_other_cpus "$2"; then task=task/none overrides=SlurmdParameters=config_overrides; fi
  [[ -z $4 ]] || task=${task/task\/none/},task/cgroup track=proctrack/cgroup
  task=${task#,}
  {
    drop_replaced "$extra" < <(
      drop_replaced <(mode_lines) < <(slurm_conf_lines "$task" "$overrides" "$(node_line "$1" "$2" "$3")" "$3" "$track")
      mode_lines
    )
    grep -v -E '^[^=]*=[[:space:]]*$' "$extra" | sed "s|@STATE@|$state|g" || true
  } >"$state/etc/slurm.conf"
  echo "include $state/etc/plugstack.conf.d/*.conf" >"$state/etc/plugstack.conf"
  write_cgroup_conf "$4"
  write_gres "$3"
}

# write_cgroup_conf CGROUPS: uses the machine's own hierarchies, with a branch for each node.
write_cgroup_conf() {
  unused_cgroups >"$state/etc/cgroup.conf"
  [[ -n $1 ]] || return 0
  cgroup_branches >"$state/cgroup-branches"
  printf '%s\n' "CgroupPlugin=cgroup/$1" CgroupMountpoint=/sys/fs/cgroup ConstrainCores=yes >"$state/etc/cgroup.conf"
}

# unused_cgroups: on a machine with cgroup v2, slurmd would ask systemd for a scope of its own even if no plugin of the
# cluster uses control groups, and would not start without systemd.
unused_cgroups() {
  [[ $(stat --file-system --format=%T /sys/fs/cgroup 2>/dev/null) == cgroup2fs ]] || return 0
  if [[ -n $(compgen -G "${suite_root:-}/usr/lib/*/slurm*/cgroup_v1.so") ]]; then
    echo CgroupPlugin=cgroup/v1
  else
    echo CgroupPlugin=disabled
  fi
}

# cgroup_branches: the branches of all nodes, as patterns. Slurm names them by node only, so two clusters with nodes of
# the same name would signal each other's jobs.
cgroup_branches() {
  local name
  for name in $(hosts "$nodes"); do
    is_node "$name" || continue
    [[ -z $(compgen -G "/sys/fs/cgroup/*/slurm_$name/uid_*") ]] ||
      die "another cluster uses the control groups of a node '$name'; choose other names with --names"
    echo "/sys/fs/cgroup/*/slurm_$name"
  done
}

# slurm_conf_lines TASKPLUGIN OVERRIDES NODELINE GPUS PROCTRACKTYPE
slurm_conf_lines() {
  cat <<CONF
ClusterName=$cluster
$(network_lines)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$state/munge/run/socket
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/spool/%n
SlurmctldLogFile=$state/log/slurmctld.log
SlurmdLogFile=$state/log/slurmd.%n.log
SlurmctldPidFile=$state/pid/slurmctld
SlurmdPidFile=$state/pid/slurmd.%n
$([[ -e $state/configless ]] || echo "PlugStackConfig=$state/etc/plugstack.conf")
MailProg=/bin/true
ProctrackType=$5
TaskPlugin=$1
$2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
# muster itself requests PMIx. The ports are below ip_local_port_range.
MpiDefault=none
MpiParams=ports=20000-29999
ReturnToService=2
SlurmdTimeout=60
TCPTimeout=5
MessageTimeout=30
KillWait=5
InactiveLimit=0
SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=0
${4:+$( (($4 == 0)) || echo GresTypes=gpu)}
$3
# Before 23.11, Slurm tells a waiting srun that a step of its job has ended only if the srun's host is a node. Without
# this line srun asks again only after two minutes. No command shows a FUTURE node.
NodeName=login NodeAddr=$(address_of login 1) State=FUTURE
PartitionName=all Nodes=$(sed -E 's/^NodeName=(\S+).*/\1/' <<<"$3") Default=YES MaxTime=INFINITE OverSubscribe=YES:16 State=UP
CONF
}

# drop_replaced FILE: prints the lines of standard input whose key is not in FILE.
drop_replaced() {
  awk -F= '
    { key = tolower($1); gsub(/[ \t]/, "", key) }
    FILENAME == ARGV[1] { if (key != "" && key !~ /^#/) replaced[key] = 1; next }
    NF && !(key in replaced)
  ' "$1" -
}

# add_conf_files FOLDER
add_conf_files() {
  local file
  for file in "$1"/*; do
    sed "s|@STATE@|$state|g" "$file" >"$state/etc/${file##*/}"
    chmod --reference="$file" "$state/etc/${file##*/}"
  done
}

# write_gres GPUS: a fake GPU is a copy of the null device; Slurm only needs the file to exist. With --sockets, the first
# GPUs are near the last socket, because on many machines the numbers of GPUs and sockets cross.
write_gres() {
  local i first cpus sockets cores threads
  (($1 > 0)) || return 0
  for ((i = 0; i < $1; i++)); do mknod -m 0666 "$state/dev/gpu$i" c 1 3; done
  if [[ ! -e $state/sockets ]]; then
    echo "Name=gpu File=$state/dev/gpu[0-$(($1 - 1))]" >"$state/etc/gres.conf"
    return
  fi
  count_cpus
  for ((i = 0; i < $1; i++)); do
    first=$(((sockets - 1 - i * sockets / $1) * cores))
    echo "Name=gpu File=$state/dev/gpu$i Cores=$first-$((first + cores - 1))"
  done >"$state/etc/gres.conf"
}
