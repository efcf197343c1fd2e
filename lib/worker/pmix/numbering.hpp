// Converts between Slurm's numbering and the one in use.
#pragma once

#include "worker/environment.hpp"
#include "worker/pmix/nodes.hpp"
#include "worker/pmix/session.hpp"
#include "worker/rank_info.hpp"

#include <optional>
#include <vector>

namespace muster::worker::pmix {

class Numbering {
 public:
  Numbering(const Session& session, const Environment& environment, muster_numbering asked,
            const Deadline& deadline);

  const RankInfo& rank_info() const { return info_; }
  int procid_of(int rank) const;
  int rank_of(int procid, std::string_view node) const;
  std::vector<int> local_ranks(const Session& session) const;  // ascending

 private:
  void locate(const Session& session, const Environment& environment, const Deadline& deadline);

  bool contiguous_;
  std::optional<Nodes> nodes_;  // present only if libpmix had to be queried
  RankInfo info_;
};

}  // namespace muster::worker::pmix
