# shellcheck shell=bash
# The files of a cluster, how its processes are recognised, and how both are removed.

readonly state_base=/run/muster-cluster

# choose_cluster NAME: sets the names that all other parts use.
choose_cluster() {
  [[ $1 =~ ^[a-z0-9][a-z0-9-]{0,19}$ ]] ||
    usage_error "cluster name '$1' does not consist of 1 to 20 letters a-z, digits and dashes"
  cluster=$1
  state=$state_base/$cluster
  # A tmpfs with this source name is the first mount in the cluster's mount namespaces. A process whose mounts show it
  # belongs to the cluster. This also finds stray processes, and never matches a reused process id.
  tag=muster-cluster:$cluster
}

make_state() {
  umask 022
  # The last cluster to end removes the base folder, perhaps at this very moment.
  local try
  for try in 1 2 3 4 5; do
    mkdir -p "$state_base"
    mkdir "$state" 2>/dev/null && break
    [[ ! -d $state && $try -lt 5 ]] || die "cannot make $state: another 'up' has just started; wait until it is done"
  done
  mkdir "$state"/{tag,cgroup,pid,log,etc,host,munge,spool,home,dev,layers}
  mkdir "$state"/{etc/plugstack.conf.d,munge/run,modes}
  mkdir -m 0700 "$state"/{munge/private,ctld}
  chmod 0755 "$state_base" "$state"
}

# lock_state: allows one `up` or `down` at a time. The lock is on the state folder itself, so nothing is left of it
# afterwards.
lock_state() {
  { exec 9<"$state"; } 2>/dev/null || return 0 # removed meanwhile
  flock -w 90 9 || die "another up or down of cluster $cluster has been running for 90 s; stop it first"
}

# tagged_pids: the pids of this cluster's processes, one per line.
tagged_pids() {
  local file
  { grep -ls -F " $tag " /proc/[0-9]*/mountinfo || true; } | while IFS=/ read -r _ _ file _; do
    echo "$file"
  done
}

is_tagged() {
  local mounts=
  IFS= read -rd '' mounts 2>/dev/null <"/proc/$1/mountinfo" || true
  [[ $mounts == *" $tag "* ]]
}

# node_pid NAME: sets `pid` to the node's node-init.
node_pid() {
  pid=
  [[ -d $state ]] || die "cluster $cluster is not up; run scripts/cluster$(name_option) up"
  [[ $1 =~ ^[a-z0-9-]+$ && -f $state/pid/$1 ]] ||
    die "no node '$1' in cluster $cluster; scripts/cluster$(name_option) status lists its nodes"
  read -r pid <"$state/pid/$1"
  is_tagged "$pid" || die "node $1 of cluster $cluster has stopped; run scripts/cluster$(name_option) down"
}

kill_tagged_once() {
  local pids
  pids=$(tagged_pids)
  [[ -n $pids ]] || return 0
  # Signal one process at a time: if one of a list has just ended, kill reports a failure for all.
  local pid
  for pid in $pids; do kill -KILL "$pid" 2>/dev/null || true; done
  return 1
}

remove_state() {
  rm -rf --one-file-system -- "$state" 2>/dev/null
  [[ ! -e $state ]]
}

# remove_cgroups: fails while one of them still contains a killed process.
remove_cgroups() {
  local branch
  [[ -e $state/cgroup-branches ]] || return 0
  while read -r branch; do
    # shellcheck disable=SC2086 # a pattern
    find $branch -depth -type d -exec rmdir {} + 2>/dev/null || [[ -z $(compgen -G "$branch") ]] || return 1
  done <"$state/cgroup-branches"
}

# clear_cluster: removes processes, then files. Namespaces, mounts and links disappear with their last process.
clear_cluster() {
  wait_until 20 kill_tagged_once ||
    die "processes $(tagged_pids | tr '\n' ' ')are blocked in the kernel and do not exit; run down again later"
  wait_until 10 remove_cgroups || die "cannot remove $(tr '\n' ' ' <"$state/cgroup-branches"): a process is still in it; run down again later"
  wait_until 10 remove_state || die "cannot remove $state: something in it is still in use; run down again later"
  rmdir "$state_base" 2>/dev/null || true
}

cluster_down() {
  (($# == 0)) || usage_error "down takes no arguments"
  need_root down
  if [[ ! -d $state && -z $(tagged_pids) ]]; then
    say "nothing to stop"
    return
  fi
  [[ ! -d $state ]] || lock_state
  clear_cluster
  say "stopped $cluster"
}
