// Runs work that may hang where no signal reaches it, such as the driver of a failing device, in a
// process of its own. The wait for it is bounded.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace muster::os {

// What `work` returns in a forked child; nothing if it throws, crashes, returns more than 1 MiB or
// is not done in time. The child has none of our descriptors. A child that even SIGKILL does not
// end is left behind.
std::optional<std::string> answer_of_child(const std::function<std::string()>& work,
                                           std::chrono::milliseconds timeout);

}  // namespace muster::os
