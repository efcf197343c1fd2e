// Runs work that may hang where no signal reaches it, such as in the driver of a failing device, in a
// separate process. The wait for it is bounded.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

namespace muster::os {

// What `work` returns in a forked child; no value if it throws, crashes, returns more than 1 MiB or does not
// finish in time. The child has none of our descriptors. A child that even SIGKILL does not end is left
// behind.
std::optional<std::string> answer_of_child(const std::function<std::string()>& work,
                                           std::chrono::milliseconds timeout);

// Likewise, for a caller that does other work in the meantime.
class AskedChild {
 public:
  AskedChild(const std::function<std::string()>& work, std::chrono::milliseconds timeout);
  AskedChild(const AskedChild&) = delete;
  AskedChild& operator=(const AskedChild&) = delete;
  ~AskedChild();

  // Waits until the deadline. Call it once.
  std::optional<std::string> answer();

 private:
  const std::chrono::steady_clock::time_point deadline_;
  Descriptor hearing_;
  pid_t child_ = -1;
};

}  // namespace muster::os
