// A watched step in one process: the supervisor's channel with a server, in its own thread, and the agents'
// ends in the test's thread.
#pragma once

#include "launcher/channel/server.hpp"
#include "launcher/channel/watch/watch_client.hpp"
#include "launcher/channel/watch/watch_server.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

namespace muster::watch {

using report::NodeState;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Three nodes of two ranks each, by rank: 0 and 1 on node 0.
class WatchedStep : public testing::Test {
 protected:
  static constexpr std::uint32_t nodes = 3;
  static constexpr milliseconds far{seconds{10}};  // a heartbeat that no test waits for

  void open(milliseconds heartbeat = far) {
    heartbeat_ = heartbeat;
    watch_server_ = std::make_shared<WatchServer>(
        WatchLimits{.heartbeat = heartbeat, .max_ends_with_text = 2},
        WatchEvents{.output = [this](view::OutputPiece piece, std::uint32_t ranks) {
          const std::lock_guard lock(mutex_);
          outputs_.push_back(std::move(piece));
          ranks_of_step_ = ranks;
        }});
    server_ = std::make_unique<channel::Server>(key_, std::nullopt, nullptr, nullptr,
                                                channel::Limits{}, watch_server_);
    server_->start();
  }

  [[nodiscard]] channel::Client client(layout::NodeIndex node, std::uint16_t port = 0) const {
    return {
        .key = key_,
        .server = {.port = port == 0 ? server_->address().port : port, .addresses = {"127.0.0.1"}},
        .node = node,
        .nodes = nodes};
  }

  static Hello hello(layout::NodeIndex node) {
    return {.step = "42.0",
            .node = "node" + std::to_string(node),
            .ranks = {{2 * node, 0, 1000}, {2 * node + 1, 1, 1001}},
            .started = {},
            .ranks_of_step = 2 * nodes};
  }

  static status::Counts counts_of(layout::NodeIndex node) {
    return {.time = seconds{node + 1},
            .network = status::Traffic{10, 20},
            .rdma = std::nullopt,
            .files = std::nullopt,
            .output = status::LastOutput{2 * node, milliseconds{5}, 100}};
  }

  static Ended ended(std::uint32_t rank, int status = 256) {
    Ended ended;
    ended.end.place = {rank, rank % 2, 1000 + rank % 2};
    ended.end.wait_status = status;
    return ended;
  }

  std::unique_ptr<WatchClient> link(layout::NodeIndex node, std::uint16_t port = 0) {
    auto link = std::make_unique<WatchClient>(
        io_, client(node, port), heartbeat_, true,
        LinkEvents{.end = [this, node](const End& end) { ends_.emplace_back(node, end.grace); },
                   .signal = [this, node](
                                 const Signal& told) { signals_.emplace_back(node, told.number); },
                   .connected = [this] { ++connected_; },
                   .shown = [this](const Shown& shown) { shown_.push_back(shown); },
                   .count = [node] { return counts_of(node); },
                   .hold = [this](std::chrono::nanoseconds) { holds_ = true; },
                   .go_on = [this](std::chrono::steady_clock::time_point) { holds_ = false; },
                   .cut_off = [this](std::chrono::nanoseconds) { ++cut_off_; },
                   .suspended =
                       [this] {
                         ++looks_at_suspension_;
                         return false;
                       },
                   .silent = [this] { ++silent_; }});
    link->start(hello(node));
    return link;
  }

  // What has arrived from that rank, in order of arrival.
  std::string output_of(std::uint32_t rank) {
    const std::lock_guard lock(mutex_);
    std::string bytes;
    for (const auto& output : outputs_) {
      if (output.source.rank == rank) bytes += output.bytes;
    }
    return bytes;
  }

  // Runs the agents' ends until the condition holds.
  template <class Condition>
  [[nodiscard]] bool soon(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds{30};
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      io_.restart();
      io_.run_for(milliseconds{2});
      std::this_thread::sleep_for(milliseconds{1});
    }
    return true;
  }

  [[nodiscard]] NodeState state(layout::NodeIndex node) const {
    const auto seen = watch_server_->seen();
    return node < seen.nodes.size() ? seen.nodes[node].state : NodeState::silent;
  }
  [[nodiscard]] bool soon_is(layout::NodeIndex node, NodeState wanted) {
    return soon([&] { return state(node) == wanted; });
  }
  [[nodiscard]] std::string remark(layout::NodeIndex node) const {
    return watch_server_->seen().nodes.at(node).remark;
  }

  secret::Key key_ = secret::make_key();
  milliseconds heartbeat_{far};
  asio::io_context io_{1};
  std::shared_ptr<WatchServer> watch_server_;
  std::unique_ptr<channel::Server> server_;
  std::vector<std::pair<layout::NodeIndex, milliseconds>> ends_;
  std::vector<std::pair<layout::NodeIndex, int>> signals_;
  bool holds_ = false;
  int cut_off_ = 0;
  int connected_ = 0;
  int looks_at_suspension_ = 0;
  std::vector<Shown> shown_;
  std::mutex mutex_;  // for what the channel's thread writes
  std::vector<view::OutputPiece> outputs_;
  std::uint32_t ranks_of_step_ = 0;
  int silent_ = 0;
};

}  // namespace muster::watch
