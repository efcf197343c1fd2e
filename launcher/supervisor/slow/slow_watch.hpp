// slow=: a thread that judges what the agents tell about the ranks' collectives and connections, and says
// who or what holds all others up. It says so once for each rank, node or link, and ends nothing.
#pragma once

#include "core/slow/cause.hpp"
#include "core/slow/findings.hpp"
#include "core/slow/piece.hpp"
#include "core/slow/traffic.hpp"
#include "core/text/message.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace muster::slow {

// Only the thread calls these functions.
struct SlowWatchHooks {
  std::function<std::chrono::nanoseconds()> now;  // by the clock of the agents' moments
  std::function<std::string(std::size_t node)> name_of;
  // Asks the node why its rank, or one of its ranks, is slow.
  std::function<void(std::uint32_t number, std::size_t node, std::optional<std::uint32_t> rank)>
      examine;
  std::function<void(text::Severity, const std::string&)> say;
};

class SlowWatch {
 public:
  SlowWatch(const Limits& limits, SlowWatchHooks hooks);
  SlowWatch(const SlowWatch&) = delete;
  SlowWatch& operator=(const SlowWatch&) = delete;
  ~SlowWatch();  // ends the thread

  // Call it after all forks.
  void start();
  // Ends the thread; what it has found stays.
  void stop();

  // These may be called from any thread, and never block for long.
  void add(std::size_t node, Piece piece);
  void add(std::size_t node, Traffic traffic);
  void examined(std::size_t node, std::uint32_t number, const Evidence& evidence);
  [[nodiscard]] std::vector<Named> named() const;

 private:
  void run();
  [[nodiscard]] bool is_stopped(std::chrono::milliseconds within) const;
  void look();
  void say(const std::vector<Named>& fresh);

  const SlowWatchHooks hooks_;
  os::Descriptor stops_;
  Findings findings_;  // the thread's

  mutable std::mutex mutex_;  // protects what follows
  std::vector<std::pair<std::size_t, Piece>> pieces_;
  std::vector<std::pair<std::size_t, Traffic>> traffic_;
  std::vector<Named> named_;
  struct Answer {
    std::size_t node = 0;
    std::uint32_t number = 0;
    Evidence evidence;
  };
  std::vector<Answer> answers_;

  std::thread thread_;
};

}  // namespace muster::slow
