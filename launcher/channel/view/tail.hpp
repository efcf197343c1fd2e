// The agent's part of the live view: reads what the ranks in view have written to their files, and sends it
// to the supervisor, never more than the supervisor can take. Nothing here affects a rank: if the tail is
// slow, hangs or fails, the ranks' files remain complete. Reading may hang with the file system: see
// tail_thread.hpp.
//
// The tail polls, because the files may be on a file system that reports no changes.
#pragma once

#include "core/view/flow.hpp"
#include "core/view/output.hpp"
#include "launcher/os/descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

namespace muster::view {

// A file that a rank writes.
struct LogFile {
  Source source;
  std::filesystem::path path;
  bool shown = true;  // otherwise only its end is sent, and only if the rank fails
};

class Tail {
 public:
  static constexpr std::chrono::milliseconds interval{50};
  static constexpr std::size_t max_end_bytes = std::size_t{16} << 10;

  // False if the piece cannot be sent now.
  using Send = std::function<bool(OutputPiece)>;

  // `nodes`: the number of nodes in the step.
  Tail(asio::io_context& io, const std::vector<LogFile>& files, std::uint32_t nodes, Send send);

  void start();

  // Call it for a new connection: sends again everything that was sent but not shown.
  void connected();

  // The supervisor has shown everything before the offset.
  void shown(const Source& source, std::uint64_t offset);

  // Call it when the rank has failed: sends the last bytes of its files if they are not shown.
  void failed(std::uint32_t rank);

  // After the last rank's end: true when everything has been sent.
  bool sent_all();

  // For files that could not be sent completely, tells the supervisor where they end.
  void finish();

 private:
  struct File {
    LogFile log;
    os::Descriptor descriptor = os::Descriptor();
    Sending sending = {};
    bool behind = false;  // there was more than could be sent
  };

  void wait();
  void look();
  bool send_some(File& file);
  bool send_piece(File& file, std::uint64_t size);
  [[nodiscard]] std::size_t room() const;

  asio::steady_timer timer_;
  std::vector<File> files_;
  const std::size_t window_;
  const Send send_;
  std::size_t first_ = 0;  // the file to begin with next time
};

}  // namespace muster::view
