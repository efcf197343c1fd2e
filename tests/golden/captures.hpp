// The directory of captured topologies: the environment variable MUSTER_TOPOLOGIES, else the
// CMake option of that name.
#pragma once

#include "core/binding/binding.hpp"
#include "core/topology/topology.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::test {

std::optional<std::filesystem::path> captures_directory();

// Names without ".xml", sorted.
std::vector<std::string> all_captures();

bool has_capture(const std::string& name);
Topology load_capture(const std::string& name);

// All CPUs and GPUs of the node, a task per GPU (at least one).
BindingRequest whole_node(const Topology& topology);

}  // namespace muster::test

// A capture that is not there is a skipped test, never a passed one.
#define MUSTER_REQUIRE_CAPTURES() \
  if (!captures_directory()) GTEST_SKIP() << "no captures: set MUSTER_TOPOLOGIES to a directory"
#define MUSTER_REQUIRE_CAPTURE(name) \
  if (!has_capture(name)) GTEST_SKIP() << "no capture " << (name) << " in MUSTER_TOPOLOGIES"
