// The collectives that do not end, and the ranks that have not come to them. Pure.
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
  std::string text = {};  // the program's name of the group
  std::string backend;
  std::string operation = {};            // empty: not known
  std::uint64_t number = 0;              // in its group, from 1 on
  std::set<std::uint32_t> waiting = {};  // are in it
  std::set<std::uint32_t> missing =
      {};  // have not come to it, or have not started it while others have
  std::set<std::uint32_t> no_answer = {};  // of the group, and have not said where they are
  // Where the ranks that are in it do not call the same.
  std::map<std::string, std::set<std::uint32_t>> operations = {};
};

// Those in which a rank has stayed between its two looks; the ones with missing ranks first. `asked`:
// the ranks that could have answered.
std::vector<Collective> stuck_collectives(const Looks& looks, const std::set<std::uint32_t>& asked);

// The ranks for which all others wait: missing somewhere, and waiting nowhere themselves.
std::set<std::uint32_t> missing_ranks(const std::vector<Collective>& collectives);

}  // namespace muster::dump
