// This process as a client of slurmstepd's PMIx server: joins it, asks it, leaves it.
#pragma once

#include "worker/pmix/layout.hpp"
#include "worker/pmix/lookups.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::worker::pmix {

class Session {
 public:
  // Calls PMIx_Init and reads what PMIx knows about this process. If it throws Error, it has already left
  // PMIx.
  Session(const PmixApi& api, const Environment& environment, const Deadline& deadline);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();  // leaves unless leave() was called; libpmix limits that to two seconds

  const PmixApi& api() const { return api_; }
  const Local& local() const { return local_; }

  Process process(int procid) const;
  Process me() const { return process(local_.procid); }

  // The nodes of these ranks; empty for each rank whose node is not immediately known.
  std::vector<std::string> nodes_of(std::span<const int> procids) const;

  // PMIx_Finalize. PMIx counts its users in a process, so MPI's session stays.
  void leave(const Deadline& deadline);

 private:
  void learn(const Environment& environment, const Deadline& deadline);

  const PmixApi& api_;
  Local local_;
  bool joined_ = false;
};

}  // namespace muster::worker::pmix
