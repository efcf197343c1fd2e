#include "launcher/agent/ranks/stop_request.hpp"

#include <cstddef>
#include <iterator>
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

  // Whether the process handles the signal or, if it is a shell or a starter, has started a program that
  // does.
  bool visit(pid_t pid) {
    const auto found = processes_.find(pid);
    if (found == processes_.end() || !visited_.insert(pid).second) return false;
    const auto& process = found->second;
    if (process.handles_it && process.is_python) {
      spare_below(pid);
      return true;
    }
    std::vector<pid_t> others;  // children that do not handle it
    const auto [first, last] = children_.equal_range(pid);
    for (auto child = first; child != last; ++child)
      if (!visit(child->second)) others.push_back(child->second);
    const auto children = static_cast<std::size_t>(std::distance(first, last));
    const bool starts_program =
        (process.is_shell || process.is_starter) && others.size() < children;
    if (starts_program) spare_pipeline(process, others);
    return process.handles_it || starts_program;
  }

  [[nodiscard]] const std::set<pid_t>& spared() const { return spared_; }

 private:
  // `python train.py | tee log`: without tee, the program's next line of output would end it.
  void spare_pipeline(const ProgramProcess& start, const std::vector<pid_t>& others) {
    if (!start.handles_it || start.is_starter) spared_.insert(start.pid);
    for (const auto other : others)
      if (other != start.pid && spared_.insert(other).second) spare_below(other);
  }

  void spare_below(pid_t pid) {
    const auto [first, last] = children_.equal_range(pid);
    for (auto child = first; child != last; ++child) {
      visited_.insert(child->second);
      if (spared_.insert(child->second).second) spare_below(child->second);
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
