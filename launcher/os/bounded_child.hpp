// Something that may hang where no signal reaches, such as a driver of a sick device: done by a
// process of its own, for which nobody waits longer than said.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace muster::os {

// What `work` returns in a forked child; none where it throws, crashes, says more than 1 MiB or is
// not done in time. The child has none of our descriptors, and one that even SIGKILL does not end
// is left behind.
std::optional<std::string> answer_of_child(const std::function<std::string()>& work,
                                           std::chrono::milliseconds timeout);

}  // namespace muster::os
