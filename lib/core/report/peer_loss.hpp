// Whether a rank failed because another rank was gone, or whether it says why it failed.
#pragma once

#include "core/report/record.hpp"

#include <string_view>

namespace muster::report {

// Judged by its exception, or otherwise by the last lines of its standard error if these lines are its own.
bool lost_peer(const RankEnd& end);

// The last exception in its own last lines, without the rank that torch puts before it; empty if there is
// none.
std::string_view named_exception(const RankEnd& end);

// Whether its exception, or one in its own last lines, does not blame a peer, or whether NCCL's watchdog
// names a problem of the rank itself.
bool says_why(const RankEnd& end);

}  // namespace muster::report
