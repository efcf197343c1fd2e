// The values of all keys: one field for each, with its default. Their names and meanings: keys.hpp.
#pragma once

#include "core/option/port_range.hpp"
#include "core/option/value_types.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::option {

struct Values {
  Bind bind = Bind::auto_;
  Memory memory = Memory::local;
  bool smt = true;
  Gpus gpus = Gpus::shared;
  Ranks ranks = Ranks::slurm;
  std::vector<std::string> network;  // interface globs in order of preference; empty: auto
  std::optional<PortRange> port;     // no value: chosen as the design's "Rendezvous" says
  Store store = Store::rank0;        // unless the profile says otherwise
  std::uint32_t restarts = 0;
  ExitCodes norestart;
  std::optional<std::string> progress;  // file as the user wrote it; none: off
  std::optional<NodeRange> nodes;       // none: all
  std::uint32_t spares = 0;
  std::optional<GroupRange> groups;   // none: one world of all ranks
  std::optional<std::string> health;  // command as the user wrote it; none: off
  HealthTimeout health_timeout{std::chrono::seconds(5)};
  std::optional<Preflight> preflight;  // none: off
  std::uint32_t requeue = 0;
  bool succession = false;
  bool drain = false;
  std::optional<Stop> stop;         // none: off
  std::optional<std::string> logs;  // directory as the user wrote it; none: off
  View view;
  Prefix prefix = Prefix::auto_;
  Heartbeat heartbeat = default_heartbeat;    // see also heartbeat_without_restarts
  std::optional<std::chrono::seconds> grace;  // no value: Slurm's KillWait
  std::optional<std::string> report;          // file as the user wrote it; none: off
  bool inspect = false;
  std::optional<Metrics> metrics;  // none: off
  Exit exit = Exit::first;
  std::optional<Hang> hang;  // none: off
  bool python = true;
  std::optional<Slow> slow;  // none: off
  bool explain = false;
  bool dry_run = false;
  bool supervise = true;
  bool verbose = false;

  friend bool operator==(const Values&, const Values&) = default;
};

}  // namespace muster::option
