// Whether a rank failed because another rank was gone, or says itself why it failed.
#pragma once

#include "core/report/record.hpp"

#include <string_view>

namespace muster::report {

// Judged by its exception, or otherwise by the last lines of its standard error if these lines are its own.
bool lost_peer(const RankEnd& end);

// The last exception in its own last lines, without the rank that torch puts before it; empty if there is
// none.
std::string_view named_exception(const RankEnd& end);

// Whether its exception, or one in its own last lines, does not blame a peer, or NCCL's watchdog names a
// trouble of the rank's own.
bool says_why(const RankEnd& end);

}  // namespace muster::report
