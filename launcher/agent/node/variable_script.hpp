// What a vendor's script exports, such as nccl-env-profile.sh of GCP's plugins.
#pragma once

#include "core/environment.hpp"
#include "core/file/trusted_file.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace muster::node {

inline constexpr std::chrono::milliseconds script_timeout{5000};

struct ScriptResult {
  std::optional<Environment> exported;  // what the script added or changed
  std::string failure = {};             // why there is no value, and what to do about it
};

struct ScriptQuestion {
  std::string script;       // absolute
  file::Trust trust;        // who may own it
  std::string cache;        // topology.cache from the site's file
  Environment environment;  // the job's: only the user's name and home directory are taken from it
  Environment given = {};   // extra variables for the script
  std::chrono::milliseconds timeout = script_timeout;
};

// Sources the script in a shell, as this user, with a short environment and within the timeout. The
// exported variables are cached until the script changes or the node boots.
ScriptResult exported_by(const ScriptQuestion& question);

}  // namespace muster::node
