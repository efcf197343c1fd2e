// The file systems as slurmstepd saw them first. Another plugin may change its root in init_post_opt,
// which comes before user_init: the agent and its files are then no longer found.
#pragma once

#include "spank/plugstack.hpp"

#include <string>

namespace muster::spank {

class FirstRoot {
 public:
  FirstRoot() = default;
  FirstRoot(const FirstRoot&) = delete;
  FirstRoot& operator=(const FirstRoot&) = delete;
  ~FirstRoot() { forget(); }

  // In init, as root.
  void remember(const Plugstack& line);

  // Whether the agent, or the site's file that it has to read, was there and is gone.
  [[nodiscard]] bool hides_agent(const Plugstack& line) const;

  // Makes it this process's root again. Only system calls, and only in a child with root's real ID.
  [[nodiscard]] bool enter() const;

  void forget();

 private:
  int namespace_ = -1;
  int root_ = -1;
  bool had_config_ = false;
};

}  // namespace muster::spank
