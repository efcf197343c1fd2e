#include "worker/stop/signal_names.hpp"

#include "worker/error.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <string>

namespace muster::worker::stop {
namespace {

struct Named {
  std::string_view name;
  int number;
};

constexpr std::array known{Named{"HUP", SIGHUP},   Named{"INT", SIGINT},   Named{"QUIT", SIGQUIT},
                           Named{"USR1", SIGUSR1}, Named{"USR2", SIGUSR2}, Named{"ALRM", SIGALRM},
                           Named{"TERM", SIGTERM}, Named{"XCPU", SIGXCPU}};

std::string upper_case(std::string_view text) {
  std::string upper{text};
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

int signal_named(std::string_view word, std::string_view source) {
  const auto upper = upper_case(word);
  std::string_view name{upper};
  if (name.starts_with("SIG")) name.remove_prefix(3);
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Named& signal) { return signal.name == name; });
  if (found != known.end()) return found->number;
  std::string names;
  for (const auto& signal : known) names += (names.empty() ? "" : ", ") + std::string{signal.name};
  throw Error{MUSTER_ERR_ARGUMENT,
              std::string{source} + ": '" + std::string{word.substr(0, 80)} +
                  "' is not a signal that can request a stop: use one or more of " + names +
                  ", separated by commas"};
}

}  // namespace

std::vector<int> signals_named(std::string_view list, std::string_view source) {
  std::vector<int> signals;
  for (bool more = true; more;) {
    const auto comma = std::min(list.find(','), list.size());
    more = comma < list.size();
    const int signal = signal_named(list.substr(0, comma), source);
    if (std::find(signals.begin(), signals.end(), signal) == signals.end()) {
      signals.push_back(signal);
    }
    list.remove_prefix(more ? comma + 1 : comma);
  }
  return signals;
}

std::vector<int> signals_of(const Environment& environment) {
  const auto list = environment.get("MUSTER_STOP_SIGNALS");
  if (list.empty()) return {SIGUSR1, SIGTERM};
  return signals_named(list, "MUSTER_STOP_SIGNALS");
}

}  // namespace muster::worker::stop
