// Whether a rank failed because another one had gone: what gloo, NCCL, torch's store, PMIx, MPI and
// muster's own library say then.
#pragma once

#include "core/report/record.hpp"

#include <string_view>

namespace muster::report {

// In an exception's message or a line of standard error.
bool blames_peer(std::string_view text);

// By its exception, or else by the last lines of its standard error if these are its own.
bool lost_peer(const RankEnd& end);

// The exception that its own last lines name at last, without the rank that torch puts before it; empty where
// there is none.
std::string_view named_exception(const RankEnd& end);

// Its exception, or an exception in its own last lines, blames nobody else.
bool says_why(const RankEnd& end);

}  // namespace muster::report
