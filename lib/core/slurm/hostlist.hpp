// Slurm's compressed host lists, such as "node[1-3,7],rack[0-1]node[2-3]-ib", and their names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

inline constexpr std::size_t max_hosts = 262144;

// The names in the order that `scontrol show hostnames` prints. With several brackets in one name, the last
// one varies fastest, then the first, the second and so on. Throws an Error that quotes the text for
// unbalanced brackets, an empty or backward range, more than max_hosts names, or a name that is too long for
// a host name.
std::vector<std::string> expand_hostlist(std::string_view text);

// The names in the same order, with one bracket for neighbours that differ only in their last number:
// thousands of names become a short argument.
std::string compress_hostlist(std::span<const std::string> names);

}  // namespace muster::slurm
