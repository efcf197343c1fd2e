// Detects a batch script with --distributed that starts its training without srun: there would be no task
// and no RANK, but exit code 0.
#pragma once

#include "core/profile/profile.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::remark {

// Returns the text of a file that the script names; no value if it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

// The remark for a script, or a command of --wrap, that certainly starts training without srun: with a
// launcher, or with Python and a file that joins other ranks. Empty if any word of it may call srun in
// another way.
std::string training_without_srun(const profile::Profile& profile, std::string_view script,
                                  const ReadFile& read);

// Likewise for salloc's command, which runs once, on the host where salloc was called.
std::string training_by_salloc(const profile::Profile& profile,
                               std::span<const std::string> command, const ReadFile& read);

}  // namespace muster::remark
