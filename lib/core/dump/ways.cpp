#include "core/dump/ways.hpp"

namespace muster::dump {
namespace {

bool has_ended(char state) {
  return state == 'Z' || state == 'X';
}

bool is_stopped(char state) {
  return state == 'T' || state == 't';
}

// A process that cannot take the signal now would take it at any later time.
bool may_signal(const PythonProcess& process) {
  if (process.state == 'D' || is_stopped(process.state)) return false;
  return process.signal != SignalUse::careful || process.state != 'R';
}

}  // namespace

std::vector<Way> ways_to_stacks(const PythonProcess& process) {
  std::vector<Way> ways;
  if (has_ended(process.state)) return ways;
  if (process.signal != SignalUse::only) {
    if (process.answers && !is_stopped(process.state)) ways.push_back(Way::package);
    if (process.py_spy) ways.push_back(Way::py_spy);
  }
  if (may_signal(process)) ways.push_back(Way::signal);
  return ways;
}

}  // namespace muster::dump
