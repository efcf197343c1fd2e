// Remembers the file systems as slurmstepd first saw them. Another plugin may change the root in
// init_post_opt, which precedes user_init: then the agent and its files can no longer be found.
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

  // Called in init, as root.
  void remember(const Plugstack& line);

  // Whether the agent, or the site's file that it must read, existed at first and is gone now.
  [[nodiscard]] bool hides_agent(const Plugstack& line) const;

  // Makes the remembered root directory this process's root again. System calls only, and only in a child
  // with root's real ID.
  [[nodiscard]] bool enter() const;

  void forget();

 private:
  int namespace_ = -1;
  int root_ = -1;
  bool had_config_ = false;
};

}  // namespace muster::spank
