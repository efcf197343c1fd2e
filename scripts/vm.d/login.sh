# shellcheck shell=bash
# Commands inside the machines, through ssh. One connection per machine and user stays open, because a handshake takes
# seconds on an emulated CPU.

# ssh_options N: sets the array `options`.
ssh_options() {
  options=(-F none -i "$state/key" -p "$(cat "$state/vm$1.port")"
    # The default key exchange takes minutes on an emulated CPU.
    -o KexAlgorithms=curve25519-sha256 -o Ciphers=aes128-ctr
    -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR
    -o ConnectTimeout=30 -o ServerAliveInterval=0
    -o ControlMaster=auto -o "ControlPath=$state/ssh-%r-$1" -o ControlPersist=yes)
}

vm_run() {
  local machine=1 user=root options
  while (($#)); do
    case $1 in
      --machine) machine=${2:?$(usage_error '--machine needs a number')}; shift 2 ;;
      --user) user=${2:?$(usage_error '--user needs a value')}; shift 2 ;;
      --) shift; break ;;
      -*) usage_error "run: unknown option '$1'" ;;
      *) break ;;
    esac
  done
  (($#)) || usage_error "run needs a command"
  need_machine "$machine"
  ssh_options "$machine"
  exec ssh "${options[@]}" "$user@127.0.0.1" -- "$(printf '%q ' "$@")"
}

# end_logins: ends the connections that stay open.
end_logins() {
  local socket
  for socket in "$state"/ssh-*; do
    [[ ! -S $socket ]] || ssh -F none -o "ControlPath=$socket" -O exit 127.0.0.1 2>/dev/null || true
  done
}
