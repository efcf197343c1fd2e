// What a node counts when somebody asks for the step's status, or hang= does: traffic, file I/O, output.
// Nothing of this is read otherwise.
#pragma once

#include "core/status/status.hpp"
#include "launcher/agent/file_sizes.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/recorders.hpp"
#include "launcher/channel/view/tail.hpp"

#include <vector>

namespace muster::agent {

// `logs`: the ranks' files, none without logs=. Does not wait for a file system that stands still.
// `recorders`: asked, too, where there are any.
status::Counts count_node(const ranks::Ranks& ranks, const std::vector<view::LogFile>& logs,
                          FileSizes& file_sizes, Recorders* recorders = nullptr);

}  // namespace muster::agent
