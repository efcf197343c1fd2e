// Runs the tail in its own thread: a file system that hangs blocks that thread, not the one that sends this
// node's heartbeats.
#pragma once

#include "launcher/channel/view/tail.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <asio/io_context.hpp>

namespace muster::view {

class TailThread {
 public:
  // `send` and all callbacks run in `owner`, which runs in the caller's thread.
  TailThread(asio::io_context& owner, const std::vector<LogFile>& files, std::uint32_t nodes,
             Tail::Send send);
  TailThread(const TailThread&) = delete;
  TailThread& operator=(const TailThread&) = delete;
  ~TailThread();  // does not wait for a read in progress

  void start();
  void connected();
  void shown(const Source& source, std::uint64_t offset);
  void failed(std::uint32_t rank);

  // After the last rank's end. If a file system hangs, `done` is never called.
  void when_all_is_sent(std::function<void()> done);
  void finish(std::function<void()> done);

 private:
  class Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace muster::view
