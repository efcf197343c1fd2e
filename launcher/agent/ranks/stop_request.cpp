#include "launcher/agent/ranks/stop_request.hpp"

#include <map>

namespace muster::ranks {
namespace {

class Tree {
 public:
  explicit Tree(const std::vector<ProgramProcess>& processes) {
    for (const auto& process : processes) {
      processes_.emplace(process.pid, process);
      children_.emplace(process.parent, process.pid);
    }
  }

  // Whether the process, or a program that it has started as a shell, handles SIGTERM.
  bool visit(pid_t pid) {
    const auto found = processes_.find(pid);
    if (found == processes_.end() || !visited_.insert(pid).second) return false;
    const auto& process = found->second;
    if (process.handles_it && process.is_python) {
      spare_below(pid);
      return true;
    }
    bool child_handles = false;
    const auto [first, last] = children_.equal_range(pid);
    for (auto child = first; child != last; ++child) child_handles |= visit(child->second);
    if (process.handles_it) return true;
    if (process.is_shell && child_handles) spared_.insert(pid);
    return process.is_shell && child_handles;
  }

  [[nodiscard]] const std::set<pid_t>& spared() const { return spared_; }

 private:
  void spare_below(pid_t pid) {
    const auto [first, last] = children_.equal_range(pid);
    for (auto child = first; child != last; ++child) {
      if (!visited_.insert(child->second).second) continue;
      spared_.insert(child->second);
      spare_below(child->second);
    }
  }

  std::map<pid_t, ProgramProcess> processes_;
  std::multimap<pid_t, pid_t> children_;  // by parent
  std::set<pid_t> visited_;
  std::set<pid_t> spared_;
};

}  // namespace

std::set<pid_t> spared_from_signal(const std::vector<pid_t>& ranks,
                                   const std::vector<ProgramProcess>& processes) {
  Tree tree(processes);
  for (const auto rank : ranks) tree.visit(rank);
  return tree.spared();
}

}  // namespace muster::ranks
