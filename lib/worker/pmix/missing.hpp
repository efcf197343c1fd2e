// After a fence that did not end: which ranks have not come to it.
//
// A rank that has come has put the phase's key, and its node's server hands it out, also to other
// nodes (a direct modex). A rank that has not come has no such key: its server says so at once if
// the rank has been in an earlier phase, and does not answer if it has never been in PMIx; "no
// answer" is therefore told only after a while.
//
// Asking a node whose slurmstepd has gone is costly: Slurm's plugin tries to connect again and
// again in the server's only thread, and this node's slurmstepd stays after the step's end for each
// such question (some half a minute each, seen with 22.05). So nodes are asked one after the other,
// by one of their ranks; when neither it nor then our own server answers, that node is gone and
// nobody else is asked. The first rank of a node goes first, and the others follow only if the
// server still answers.
//
// The load is bounded: every rank of a node asks about the same ranks (libpmix asks a server once
// for all of a node's), its own node's and, up to 512 in all, those that follow them in the step.
// In a step of up to 512 ranks everybody knows everything; in a larger one a missing rank is named
// by its own node and by the nodes before it.
#pragma once

#include "worker/pmix/session.hpp"

#include <string>
#include <vector>

namespace muster::worker::pmix {

inline constexpr int max_asked = 512;

// Ranks in Slurm's numbering, ascending.
struct Search {
  std::vector<int> missing;     // they have not come
  std::vector<int> unanswered;  // never in PMIx, or their node does not answer
  int asked = 0;
};

// Of one node's ranks `local`: whom to ask about. Pure.
std::vector<int> to_ask(const std::vector<int>& local, int size);

// Takes as long as `deadline` leaves, unless all answer. Those that were not asked are not counted
// in Search::asked.
Search find_missing(const Session& session, const std::string& key, const std::vector<int>& ranks,
                    const Deadline& deadline);

}  // namespace muster::worker::pmix
