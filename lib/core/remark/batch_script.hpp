// A batch script with --distributed that starts its training without srun: no task, no RANK, and
// exit code 0.
#pragma once

#include "core/profile/profile.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::remark {

// The text of a file that the script names; nothing where it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

// A line for a script, or the command of --wrap, that certainly starts training without srun: by a
// launcher, or by Python with a file that joins other ranks. Empty where any word of them may be
// another way to srun.
std::string training_without_srun(const profile::Profile& profile, std::string_view script,
                                  const ReadFile& read);

// The same for the command of an salloc, which starts it once, on the host of the prompt.
std::string training_by_salloc(const profile::Profile& profile,
                               std::span<const std::string> command, const ReadFile& read);

}  // namespace muster::remark
