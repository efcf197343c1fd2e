// One row of `muster doctor`: what is checked on one host, why it matters and what to do. A check is a pure
// function of the host's facts, which launcher/tools/doctor/*_facts.cpp gathers.
#pragma once

#include "core/doctor/facts.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::doctor {

enum class Outcome : std::uint8_t { ok, cannot_see, warning, error };  // from best to worst

struct Finding {
  Outcome outcome = Outcome::ok;
  std::string evidence;  // what was seen, so that the user can verify it
};

// No value: this host has nothing that the check applies to.
using Verdict = std::optional<Finding>;

struct About {
  std::string_view id;
  std::string_view why;
  std::string_view fix;
  // What an administrator can run if the user lacks the permission to see it.
  std::string_view command = {};
};

enum class Place : std::uint8_t { anywhere, submit, node };

struct Check {
  About about;
  Place place;
  std::function<Verdict(const Facts& facts)> evaluate;
};

inline Verdict ok(std::string evidence) {
  return Finding{Outcome::ok, std::move(evidence)};
}
inline Verdict cannot_see(std::string evidence) {
  return Finding{Outcome::cannot_see, std::move(evidence)};
}
inline Verdict warning(std::string evidence) {
  return Finding{Outcome::warning, std::move(evidence)};
}
inline Verdict error(std::string evidence) {
  return Finding{Outcome::error, std::move(evidence)};
}

// A warning if `bad`.
inline Verdict warning_if(bool bad, std::string evidence) {
  return Finding{bad ? Outcome::warning : Outcome::ok, std::move(evidence)};
}
inline Verdict error_if(bool bad, std::string evidence) {
  return Finding{bad ? Outcome::error : Outcome::ok, std::move(evidence)};
}

// Each group of checks has its own source file.
std::vector<Check> slurm_checks();
std::vector<Check> host_checks();
std::vector<Check> network_checks();
std::vector<Check> fabric_checks();
std::vector<Check> variable_checks();
std::vector<Check> gpu_checks();

std::vector<Check> all_checks();

}  // namespace muster::doctor
