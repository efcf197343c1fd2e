// The supervisor's side of a preflight: the nodes connect to it, it tells pairs of them what to test, round
// by round, and it keeps their results. A node that does not answer costs only its own answer.
#pragma once

#include "core/preflight/rounds.hpp"
#include "core/preflight/verdict.hpp"
#include "launcher/channel/session.hpp"
#include "launcher/tools/preflight/order.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <asio/steady_timer.hpp>

namespace muster::preflight {

struct Times {
  std::chrono::milliseconds limit{10000};  // for the whole preflight
  std::chrono::milliseconds gather{4000};  // for the nodes to connect
  bool small = false;                      // whether the tests are small
};

class Conductor : public channel::SessionHandler {
 public:
  // `late`: called in the server's thread if some nodes have not finished in time after their last order.
  Conductor(std::vector<std::string> nodes, const Times& times, std::function<void()> late = {});
  ~Conductor() override;

  // Called by the channel's server.
  void start(asio::io_context& io) override;
  void opened(std::unique_ptr<channel::Session> session, layout::NodeIndex node,
              std::uint32_t nodes) override;
  void stop() override;

  // Call it only after the server has ended.
  [[nodiscard]] const Observation& seen() const { return seen_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Member;
  struct Test {
    Pair pair;
    std::optional<NcclReport> from =
        {};  // reports of the connecting end; the only ones for network tests
    std::optional<NcclReport> to = {};
    [[nodiscard]] bool is_over() const { return from && to; }
  };

  void hear(const std::shared_ptr<Member>& member, std::string_view text);
  void lose(const std::shared_ptr<Member>& member);
  void take_hello(const std::shared_ptr<Member>& member, std::string_view text);
  void take_report(NodeIndex node, const NcclReport& report);
  void take_local(NodeIndex node, std::string_view text);
  void begin();
  void next();
  void run_wave(const Wave& wave);
  void order_test(std::uint32_t number, const Pair& pair);
  void end_wave();
  void keep(const Test& test);
  void start_nccl();
  void take_start(NodeIndex node, NcclStart start);
  void begin_nccl();
  void end_tests();
  void end_all();
  void after(std::chrono::milliseconds time, void (Conductor::*then)());
  [[nodiscard]] Clock::time_point deadline() const;
  [[nodiscard]] bool has_time_for(std::chrono::milliseconds work) const;
  [[nodiscard]] std::chrono::milliseconds time_of_test() const;
  [[nodiscard]] std::vector<Wave> next_waves() const;
  [[nodiscard]] std::vector<NodeIndex> present() const;
  [[nodiscard]] std::vector<NodeIndex> fit_for_nccl() const;

  enum class Phase : std::uint8_t { gathering, testing, starting_nccl, testing_nccl, ending, over };

  const Times times_;
  const std::function<void()> late_;
  const Clock::time_point began_ = Clock::now();
  Observation seen_;
  Phase phase_ = Phase::gathering;
  std::unique_ptr<asio::steady_timer> timer_;
  std::uint64_t timer_use_ = 0;
  std::vector<std::shared_ptr<Member>> unnamed_;
  std::vector<std::shared_ptr<Member>> members_;  // indexed by node; null until it connects
  std::vector<Wave> waves_;                       // the rest of this round, with the next wave last
  std::map<std::uint32_t, Test> tests_;           // the current wave's tests, by number
  std::uint32_t next_test_ = 0;
  std::set<NodeIndex> awaited_starts_;
};

}  // namespace muster::preflight
