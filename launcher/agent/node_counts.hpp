// What a node counts when a user asks for the step's status, or for hang=: traffic, file I/O, output. None
// of this is read at other times.
#pragma once

#include "core/status/status.hpp"
#include "launcher/agent/file_sizes.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/recorders.hpp"
#include "launcher/channel/view/tail.hpp"

#include <vector>

namespace muster::agent {

// `logs`: the ranks' files; empty without logs=. Does not wait for a file system that hangs. `recorders`:
// reads the ranks' recorders as well, if there are any.
status::Counts count_node(const ranks::Ranks& ranks, const std::vector<view::LogFile>& logs,
                          FileSizes& file_sizes, Recorders* recorders = nullptr);

}  // namespace muster::agent
