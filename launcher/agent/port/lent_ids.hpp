// The user ids that a user's containers may run under, besides the user's own.
#pragma once

#include <filesystem>
#include <string_view>

#include <sys/types.h>

namespace muster::port {

// Whether the text of an /etc/subuid lends the id to the user. A line names the user by name or by number.
// Pure.
bool subuid_lends(std::string_view subuid, std::string_view name, uid_t user, uid_t id);

// Whether the text of a /proc/PID/uid_map maps an id of the container to this id of the node. Pure.
bool map_contains(std::string_view uid_map, uid_t id);

// Whether the id belongs to one of the user's containers on this node: a user namespace that the user has
// created maps it, and a process of the id or of the user is in that namespace. This also finds ids that SSSD
// or FreeIPA lend, which are not in /etc/subuid.
//
// Another user cannot pass for this one. A namespace's owner is the user who created it. Only root can map
// further ids into it, and newuidmap(1) does so only for ids that are lent to the owner.
bool namespaces_lend(uid_t user, uid_t id, const std::filesystem::path& proc = "/proc");

// Either of the two, on this node.
bool is_lent(uid_t user, uid_t id);

}  // namespace muster::port
