// Finds out, after a fence that did not end, which ranks have not reached it.
//
// A rank that has reached it has put the phase's key, and its node's server hands that out, also to other
// nodes (a direct modex). A rank that has not reached it has no such key. Its server says so immediately if
// the rank has been in an earlier phase, and does not answer if the rank has never joined PMIx. So "no
// answer" is reported only after a while.
//
// Asking a node whose slurmstepd is gone is costly. Slurm's plugin keeps trying to connect in the server's
// only thread, and for each such question this node's slurmstepd lingers after the step's end (about half a
// minute each, observed with 22.05). So nodes are asked one after another, through one of their ranks. If
// neither that rank nor, after it, our own server answers, that node is gone and no other node is asked. The
// first rank of a node asks first, and the others follow only if the server still answers.
//
// The load is bounded. Every rank of a node asks about the same ranks (libpmix asks a server only once for
// all of a node's ranks): its own node's ranks, and those that follow them in the step, up to 512 in all.
// In a step of up to 512 ranks, every rank learns everything. In a larger one, a missing rank is named by
// its own node and by the nodes before it.
#pragma once

#include "worker/pmix/session.hpp"

#include <string>
#include <vector>

namespace muster::worker::pmix {

inline constexpr int max_asked = 512;

// Ranks in Slurm's numbering, ascending.
struct Search {
  std::vector<int> missing;     // ranks that have not reached the fence
  std::vector<int> unanswered;  // ranks that never joined PMIx, or whose node does not answer
  int asked = 0;
};

// Which ranks the `local` ranks of a node ask about. Pure.
std::vector<int> to_ask(const std::vector<int>& local, int size);

// Takes all the time until `deadline` unless all ranks answer. Search::asked does not count ranks that were
// not asked.
Search find_missing(const Session& session, const std::string& key, const std::vector<int>& ranks,
                    const Deadline& deadline);

}  // namespace muster::worker::pmix
