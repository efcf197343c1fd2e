// Profiles: the environments of frameworks, from YAML files. docs/reference/profiles.md describes the
// format.
#pragma once

#include "core/env_var.hpp"
#include "core/environment.hpp"
#include "core/option/value_types.hpp"
#include "core/option/words.hpp"
#include "core/origin.hpp"
#include "core/profile/placeholder.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::file {
struct Trust;
}

namespace muster::request {
struct Request;
}

namespace muster::profile {

// rank: one task per rank. agent: one task per node, which starts the ranks itself.
enum class Mode : std::uint8_t { rank, agent };

// What a framework assumes about the step's layout.
enum class Requirement : std::uint8_t {
  one_task_per_node,
  equal_tasks_per_node,
  slurm_ranks,  // the framework reads SLURM_PROCID itself, so RANK must be the same number
};

}  // namespace muster::profile

namespace muster::option {

template <>
inline constexpr auto words_of<profile::Mode> =
    std::array{Word{"rank", profile::Mode::rank}, Word{"agent", profile::Mode::agent}};

template <>
inline constexpr auto words_of<profile::Requirement> =
    std::array{Word{"one_task_per_node", profile::Requirement::one_task_per_node},
               Word{"equal_tasks_per_node", profile::Requirement::equal_tasks_per_node},
               Word{"slurm_ranks", profile::Requirement::slurm_ranks}};

}  // namespace muster::option

namespace muster::profile {

struct ProfileVariable {
  std::string name;
  Template value;

  friend bool operator==(const ProfileVariable&, const ProfileVariable&) = default;
};

// One file, before its includes are followed.
struct ProfileFile {
  std::string summary;
  std::optional<Mode> mode;
  std::optional<std::string> include;
  std::vector<std::string> without;  // variables of the included profile that are not set
  std::vector<Requirement> requirements;
  std::optional<option::Gpus> gpus;
  std::optional<option::Store> store = {};
  std::vector<std::string> lighthouse = {};
  std::vector<ProfileVariable> environment;
};

struct Profile {
  std::string name;
  std::string summary;
  Mode mode = Mode::rank;
  std::vector<Requirement> requirements = {};     // including the included profiles', each once
  std::optional<option::Gpus> gpus = {};          // used if gpus= is unset
  std::optional<option::Store> store = {};        // likewise, for store=
  std::vector<std::string> lighthouse = {};       // with groups=: the command and its arguments
  std::vector<ProfileVariable> environment = {};  // included ones first; a later one replaces

  friend bool operator==(const Profile&, const Profile&) = default;
};

// Whether one of its variables does.
bool uses(const Profile& profile, Placeholder placeholder);

// Whether its variables tell the ranks where to meet. Those of MPI meet by PMIx instead.
bool gives_meeting_place(const Profile& profile);

// Parses the text of one file. Pure. The Error is "FILE:LINE:COLUMN: ...".
ProfileFile parse_profile(std::string_view text, std::string_view file);

// Follows includes; `read` returns a file by profile name. Throws Error for a cycle.
Profile resolve_profile(const std::string& name,
                        const std::function<ProfileFile(const std::string&)>& read);

// Reads NAME.yaml from the first directory that has it. The Error suggests the closest profile.
Profile load_profile(const std::string& name, const std::vector<std::string>& directories,
                     const file::Trust& trust);

// The names of all profiles in these directories, sorted, each once.
std::vector<std::string> profile_names(const std::vector<std::string>& directories);

// The value that the user set, otherwise the profile's.
option::Gpus gpus_of(const request::Request& request, const Profile& profile);

struct Expansion {
  std::vector<EnvVar> variables;
  std::vector<std::string> warnings;  // identity variables that the user set differently
};

// What sources other than the profile say about variables.
struct OtherSettings {
  std::vector<EnvVar> site = {};  // from the site's file; overrides the profile
  Environment files = {};  // from NCCL's and UCX's own files, which a variable would override
};

// A variable that the user exported keeps the user's value (Origin::user), unless it identifies a task. A
// variable is left out if its placeholder has no value, or if the user exported another variable that
// replaces it. The site's variables override the profile's, but neither replaces what NCCL reads from its
// files. Variables that identify a task always come from the profile.
Expansion expand(const Profile& profile, const PlaceholderValues& values,
                 const Environment& user_environment, const OtherSettings& others = {});

}  // namespace muster::profile
