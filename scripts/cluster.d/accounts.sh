# shellcheck shell=bash
# The users alice, bob and carol exist only inside the cluster: private copies of the account files cover the
# machine's own (cluster-init). All nodes share the homes.

readonly ordinary_users=(alice bob carol)

# write_accounts ROOT: copies ROOT/etc/{passwd,group,shadow} with our users added.
write_accounts() {
  local etc=$1/etc user uid file
  for file in passwd group shadow; do
    # shellcheck disable=SC2086
    grep -v -E "^($(join_by '|' "${ordinary_users[@]}")):" "$etc/$file" >"$state/host/$file"
  done
  chmod 0600 "$state/host/shadow"
  uid=20001
  for user in "${ordinary_users[@]}"; do
    while grep -q -E "^[^:]*:[^:]*:$uid:" "$state"/host/{passwd,group}; do uid=$((uid + 1)); done
    echo "$user:x:$uid:$uid:$user of muster's cluster:/home/$user:/bin/bash" >>"$state/host/passwd"
    echo "$user:x:$uid:" >>"$state/host/group"
    echo "$user:!:19000:0:99999:7:::" >>"$state/host/shadow"
    mkdir -m 0700 "$state/home/$user"
    chown "$uid:$uid" "$state/home/$user"
  done
  # Names come only from the hosts file, because the cluster's network has no route out.
  printf '%s\n' 'passwd: files' 'group: files' 'shadow: files' 'hosts: files' >"$state/host/nsswitch.conf"
}

join_by() {
  local IFS=$1
  shift
  echo "$*"
}

# find_account USER: sets uid, gid, home and shell, as the login node sees them.
find_account() {
  local line
  while IFS=: read -r line _ uid gid _ home shell; do
    [[ $line != "$1" ]] || return 0
  done <"/proc/$pid/root/etc/passwd"
  ! grep -q "^$1:" "$state/host/passwd" ||
    die "a package has replaced this machine's /etc/passwd, and with it the accounts of cluster $cluster; run scripts/cluster$(name_option) down, then up"
  die "no user '$1' in the cluster; it has ${ordinary_users[*]} and this machine's own users"
}
