#include "launcher/allocation/controller.hpp"

#include "launcher/os/command_output.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace muster::allocation {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes time_to_return{10};
constexpr milliseconds time_to_answer{2000};
constexpr milliseconds time_to_answer_later{10000};  // with much to do
constexpr milliseconds before_next_try{500};

}  // namespace

bool controller_answers(milliseconds timeout) {
  return os::run_command({"scontrol", "show", "config"}, {.timeout = timeout}).succeeded;
}

bool await_controller() {
  if (controller_answers(time_to_answer)) return true;
  std::fprintf(stderr, "muster: slurmctld does not answer: waiting for it, for %lld min at most\n",
               static_cast<long long>(time_to_return.count()));
  const auto deadline = Clock::now() + time_to_return;
  while (Clock::now() < deadline) {
    if (controller_answers(time_to_answer_later)) return true;
    std::this_thread::sleep_for(before_next_try);
  }
  return false;
}

}  // namespace muster::allocation
