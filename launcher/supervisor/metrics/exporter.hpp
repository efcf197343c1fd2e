// metrics=: a thread that writes a run's metrics to a file, or answers scrapers at a port, while an attempt
// runs. What goes wrong is one line, and costs nothing but the metrics.
#pragma once

#include "core/metrics/text.hpp"
#include "core/option/value_types.hpp"
#include "core/status/status.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace muster::metrics {

struct Times {
  std::chrono::milliseconds first_write{1000};  // after the beginning of an attempt
  std::chrono::milliseconds interval{15'000};   // between two writes of the file
  std::chrono::milliseconds client{5000};       // from a scraper's connection to the whole response
  std::chrono::milliseconds last_write{2000};   // at the end: a file system may hang
};

class Exporter {
 public:
  using Say = std::function<void(const std::string& line)>;
  // The name of the file, whose patterns may need the step; empty: not known yet.
  using FileName = std::function<std::string(const status::Step& step)>;

  // With a port, it listens at once; `say` gets a line if that is not possible. `say` may be called from any
  // thread.
  Exporter(option::Metrics place, FileName file_name, Say say, const Times& times = Times());
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;
  ~Exporter() { stop(); }

  // Starts the thread, which calls `look` until stop(). Call it after all forks.
  void start(std::function<status::Step()> look);
  // Ends the thread; between two attempts scrapers wait.
  void stop();

  // Writes the file once more, for a run that is over.
  void finish(const status::Step& step);

  // Where it listens; 0 if it does not.
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Client {
    os::Descriptor socket;
    Clock::time_point deadline;
    std::string request = {};
    std::string response = {};
    std::size_t sent = 0;
    std::size_t ignored = 0;  // bytes that came after the request's head
    bool done = false;
  };

  void listen();
  void run();
  void wait(Clock::time_point due);
  void accept();
  void receive(Client& client);
  static void send(Client& client);
  std::string answer(const std::string& request);
  void write(const status::Step& step);
  void note(int error);
  const status::Step& seen();

  const option::Metrics place_;
  const FileName file_name_;
  const Say say_;
  const Times times_;
  os::Descriptor listener_ = os::Descriptor();
  std::uint16_t port_ = 0;
  os::Descriptor stops_;
  bool stopped_ = false;
  std::function<status::Step()> look_;
  std::vector<Client> clients_;
  std::optional<status::Step> seen_;  // many scrapers cost one look a second
  Clock::time_point seen_at_;
  std::future<int> writing_;
  std::string file_;     // that is being written
  bool failed_ = false;  // the last write: said once
  std::thread thread_;
};

}  // namespace muster::metrics
