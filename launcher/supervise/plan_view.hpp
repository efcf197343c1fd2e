// Shows a step's plan on the terminal when every node's part of it has come: explain on stderr,
// dry-run on stdout, where a program may read it.
#pragma once

#include "core/request.hpp"

#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

namespace muster::supervise {

enum class PlanFormat : std::uint8_t { table, json };

class PlanView {
 public:
  PlanView(const Request& request, PlanFormat format)
      : stream_(request.dry_run ? stdout : stderr), format_(format) {}

  // The nodes' texts (core/explain/step_plan.hpp). From the channel's thread.
  void show(const std::vector<std::string>& texts);

  [[nodiscard]] bool shown() const { return shown_; }

 private:
  std::FILE* stream_;
  PlanFormat format_;
  std::atomic<bool> shown_ = false;
};

}  // namespace muster::supervise
