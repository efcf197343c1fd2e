// The directories of captured topologies, separated by ':': the environment variable MUSTER_TOPOLOGIES, or
// the CMake option of that name. Any hwloc XML placed there is tried.
#pragma once

#include "core/binding/binding.hpp"
#include "core/topology/topology.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::golden {

std::vector<std::filesystem::path> captures_directories();
std::optional<std::filesystem::path> captures_directory();  // the first of the directories

// Every *.xml in them, by name.
std::vector<std::filesystem::path> capture_files();

// Names without ".xml" of the files that this hwloc can read.
std::vector<std::string> readable_captures();

bool has_capture(const std::string& name);
topology::Topology load_capture(const std::string& name);

// All CPUs and GPUs of the node, one task per GPU (at least one).
binding::BindingRequest whole_node(const topology::Topology& topology);

}  // namespace muster::golden

// A missing capture is a skipped test, never a passed one.
#define MUSTER_REQUIRE_CAPTURES()     \
  if (captures_directories().empty()) \
  GTEST_SKIP() << "no captures: set MUSTER_TOPOLOGIES to a directory"
#define MUSTER_REQUIRE_CAPTURE(name) \
  if (!has_capture(name)) GTEST_SKIP() << "no capture " << (name) << " in MUSTER_TOPOLOGIES"
