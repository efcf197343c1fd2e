// The findings on all hosts: from the checks, and from comparing the nodes.
#pragma once

#include "core/doctor/check.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::doctor {

struct Host {
  std::string name;
  bool submits = false;
  bool runs = false;  // runs tasks of a training job
  Facts facts = {};
};

// Hosts with equal results share one row.
struct Row {
  About about;
  Outcome outcome = Outcome::ok;
  std::string evidence;
  std::vector<std::string> hosts = {};
};

// On the submit host's clock, in milliseconds since 1970.
struct Window {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Everything that was seen.
struct Examination {
  std::vector<Host> hosts;
  std::vector<std::string> silent = {};  // nodes that did not answer
  std::string problem = {};              // why no node was asked, or why none answered
  Window asked = {};                     // when the nodes were asked
};

struct Diagnosis {
  std::vector<Row> rows;  // worst first
  std::vector<std::string> submits = {};
  std::vector<std::string> nodes = {};
  std::vector<std::string> silent = {};
  std::vector<std::string> slurm_modes = {};  // the site's: slurm_modes.hpp

  [[nodiscard]] std::size_t count(Outcome outcome) const;  // counts checks, not rows
};

Diagnosis diagnose(const Examination& examination);

// 0, or 1 if there is an error; with `strict`, 1 if anything is not ok.
int exit_status(const Diagnosis& diagnosis, bool strict);

// Rows for values that differ between the nodes: the hosts that have one value, and those that do not.
std::vector<Row> compare_nodes(const std::vector<Host>& hosts, const Window& asked);

}  // namespace muster::doctor
