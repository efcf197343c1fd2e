// The nodes of the step in the order of their lowest rank, which determines the contiguous numbering (node
// by node). The data comes from libpmix. Takes a few bytes per node and nothing per rank.
#pragma once

#include "worker/deadline.hpp"
#include "worker/pmix/api.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::worker::pmix {

struct Node {
  std::string name;
  int lowest = 0;  // its lowest rank, in Slurm's numbering
  int ranks = 0;
  int start = 0;  // its first rank in the contiguous numbering
};

class Nodes {
 public:
  // `names`: PMIx's node list, comma-separated. Throws Error.
  Nodes(const PmixApi& api, std::string nspace, std::string_view names, int size,
        const Deadline& deadline);

  const std::vector<Node>& all() const { return nodes_; }
  // Whether both numberings are the same for every rank.
  bool contiguous() const { return contiguous_; }

  int procid_of(int contiguous) const;
  int contiguous_of(int procid, std::string_view node) const;

 private:
  const PmixApi& api_;
  std::string nspace_;
  std::vector<Node> nodes_;
  bool contiguous_ = true;
};

// The ranks of one node, ascending.
std::vector<int> ranks_of_node(const PmixApi& api, const std::string& nspace,
                               const std::string& node);

// Splits "a,b,c" into its parts, without empty ones.
std::vector<std::string> split(std::string_view list);

}  // namespace muster::worker::pmix
