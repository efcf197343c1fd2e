// The collectives that do not complete, and the ranks that have not reached them. Pure.
#pragma once

#include "core/dump/look.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::dump {

struct Collective {
  std::string group;
  std::string text = {};  // the program's name for the group
  std::string backend;
  std::string operation = {};            // empty: unknown
  std::uint64_t number = 0;              // within its group, counted from 1
  std::set<std::uint32_t> waiting = {};  // ranks that have entered it
  std::set<std::uint32_t> missing =
      {};  // ranks that have not reached it, or have not started it although others have
  // Members of the group that have not reported where they are.
  std::set<std::uint32_t> no_answer = {};
  // If the ranks in it called different operations: the ranks by operation.
  std::map<std::string, std::set<std::uint32_t>> operations = {};
};

// The collectives that a rank has been in throughout both looks; those with missing ranks first. `asked`: the
// ranks that could have answered.
std::vector<Collective> stuck_collectives(const Looks& looks, const std::set<std::uint32_t>& asked);

// The ranks that all others wait for: they are missing from some collective and wait in none.
std::set<std::uint32_t> missing_ranks(const std::vector<Collective>& collectives);

}  // namespace muster::dump
