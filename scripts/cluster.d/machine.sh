# shellcheck shell=bash
# Whether this machine can run a cluster at all. This is also checked before a build that takes many minutes, so it
# needs only util-linux, which every Debian has.

cluster_check() {
  (($# == 0)) || usage_error "check takes no argument"
  need_root check
  need_namespaces
}

need_namespaces() {
  local why root
  # nsenter starts at the root of the mount namespace, which differs from ours in a chroot.
  root=$(nsenter --mount=/proc/self/ns/mnt -- stat -c %d:%i / 2>/dev/null) || root=
  [[ $root == @("$(stat -c %d:%i /)"|"") ]] ||
    die "this is a chroot, and a node of the cluster would not see it as its root; enter it as a container (systemd-nspawn, podman run --rootfs)"
  why=$(unshare --mount --uts --ipc --net --pid --fork true 2>&1) ||
    die "this machine refuses namespaces: $why; run it on a virtual machine, or in a container with --privileged"
}
