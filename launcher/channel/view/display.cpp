#include "launcher/channel/view/display.hpp"

#include "core/text/message.hpp"
#include "core/view/flow.hpp"
#include "launcher/channel/view/writer.hpp"
#include "launcher/os/output.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace muster::view {
namespace {

using Clock = std::chrono::steady_clock;

// At the end, how long to wait for a terminal that accepts no output.
constexpr std::chrono::milliseconds time_without_progress{2000};
constexpr std::chrono::milliseconds interval_of_progress{50};
constexpr std::size_t max_ends = 64;  // for failed ranks and their streams
constexpr std::size_t max_end_bytes = std::size_t{16} << 10;

}  // namespace

class Display::State {
 public:
  State(Wanted wanted, Shown shown) : wanted_(std::move(wanted)), shown_(std::move(shown)) {}

  void add(OutputPiece piece, std::uint32_t ranks);
  void begin() { closed_ = false; }
  void run();
  void close(bool own_line);
  void abandon();
  void show_end(std::uint32_t rank);

 private:
  void keep_end(OutputPiece piece);
  std::vector<OutputPiece> wait();
  void compose(const std::vector<OutputPiece>& pieces, Clock::time_point now);
  void write(const std::vector<ScreenText>& texts);
  void acknowledge(const std::vector<OutputPiece>& pieces);
  std::string place(const Source& source);
  void before_write();
  void say_what_is_left();

  const Wanted wanted_;
  const Shown shown_;
  Writer writer_{wanted_.descriptors};

  std::mutex mutex_;  // of these
  std::condition_variable changed_;
  std::vector<OutputPiece> waiting_;
  std::map<Source, Receiving> received_;
  std::map<Source, std::uint64_t> shown_to_;
  std::map<Source, OutputPiece> ends_;  // for failed ranks that are not in view
  std::uint32_t ranks_ = 0;
  bool closing_ = false;
  bool own_line_ = false;
  bool closed_ = true;
  bool abandoned_ = false;  // set for the thread: its owner may be gone

  // Used only by the display's thread.
  std::optional<Composer> composer_;
  std::map<Source, std::uint64_t> composed_to_;
};

void Display::State::add(OutputPiece piece, std::uint32_t ranks) {
  const std::lock_guard lock(mutex_);
  if (ranks_ == 0) ranks_ = ranks;
  const auto size = piece.bytes.size();
  if (!shows(wanted_.view, piece.source)) {
    shown_(piece.source, piece.end(), size);
    return keep_end(std::move(piece));
  }
  const bool is_new = received_[piece.source].take(piece);
  const auto again = is_new ? size - piece.bytes.size() : size;
  if (again > 0) shown_(piece.source, shown_to_[piece.source], again);
  if (!is_new) return;
  waiting_.push_back(std::move(piece));
  changed_.notify_all();
}

void Display::State::keep_end(OutputPiece piece) {
  if (ends_.size() >= max_ends || piece.bytes.size() > max_end_bytes) return;
  const auto source = piece.source;
  ends_.try_emplace(source, std::move(piece));
}

void Display::State::run() {
  while (true) {
    const auto pieces = wait();
    const auto now = Clock::now();
    compose(pieces, now);
    if (composer_) write(composer_->take(now));
    acknowledge(pieces);
    const std::lock_guard lock(mutex_);
    if (closing_ && waiting_.empty()) break;
  }
  if (composer_) write(composer_->finish(own_line_));
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::vector<OutputPiece> Display::State::wait() {
  const auto next = composer_ ? composer_->next() : std::nullopt;
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return closing_ || !waiting_.empty(); };
  if (next) {
    changed_.wait_until(lock, *next, ready);
  } else {
    changed_.wait(lock, ready);
  }
  if (!composer_ && ranks_ > 0) {
    auto style = style_of(wanted_.view, wanted_.prefix, ranks_);
    if (style.prefix == Prefix::rank) style.line_template = wanted_.line_template;
    composer_.emplace(std::move(style), shown_ranks(wanted_.view, ranks_), wanted_.screen,
                      wanted_.role);
  }
  return std::exchange(waiting_, {});
}

void Display::State::compose(const std::vector<OutputPiece>& pieces, Clock::time_point now) {
  for (const auto& piece : pieces) {
    composer_->set_node(piece.source.rank, piece.node);
    auto& end = composed_to_[piece.source];
    if (piece.offset > end) {
      const auto left_out = piece.offset - end;
      composer_->say(left_out_text(piece.source.rank, left_out, place(piece.source)), now);
    }
    composer_->add(piece.source, piece.bytes, now);
    end = piece.end();
  }
}

// The thread's owner may be gone.
void Display::State::before_write() {
  const std::lock_guard lock(mutex_);
  if (!abandoned_) wanted_.before_write();
}

std::string Display::State::place(const Source& source) {
  const std::lock_guard lock(mutex_);
  return abandoned_ ? std::string() : wanted_.place(source);
}

void Display::State::write(const std::vector<ScreenText>& texts) {
  if (!texts.empty() && wanted_.before_write) before_write();
  for (const auto& each : texts) {
    writer_.write(each);
    const auto failure = writer_.take_failure();
    if (!failure.empty()) {
      const auto line = text::to_line(text::Severity::warning, failure, wanted_.screen.colour_err);
      writer_.write({Stream::err, line + "\n"});
    }
  }
}

void Display::State::acknowledge(const std::vector<OutputPiece>& pieces) {
  std::map<Source, std::pair<std::uint64_t, std::size_t>> shown;
  for (const auto& piece : pieces) {
    auto& [offset, bytes] = shown[piece.source];
    offset = piece.end();
    bytes += piece.bytes.size();
  }
  const std::lock_guard lock(mutex_);
  if (abandoned_) return;
  for (const auto& [source, taken] : shown) {
    shown_to_[source] = taken.first;
    shown_(source, taken.first, taken.second);
  }
}

void Display::State::close(bool own_line) {
  std::unique_lock lock(mutex_);
  closing_ = true;
  own_line_ = own_line;
  changed_.notify_all();
  auto written = writer_.written();
  auto progress = Clock::now();
  while (!changed_.wait_for(lock, interval_of_progress, [this] { return closed_; })) {
    if (std::exchange(written, writer_.written()) != writer_.written()) progress = Clock::now();
    if (Clock::now() - progress < time_without_progress) continue;
    abandoned_ = true;
    writer_.abandon();
    return say_what_is_left();
  }
}

void Display::State::abandon() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  abandoned_ = true;
  writer_.abandon();
  changed_.notify_all();
}

// Called under the lock.
void Display::State::say_what_is_left() {
  for (const auto& [source, received] : received_) {
    const auto left = received.next() - shown_to_[source];
    if (left == 0) continue;
    os::say(os::Severity::warning, left_out_text(source.rank, left, wanted_.place(source)));
  }
}

void Display::State::show_end(std::uint32_t rank) {
  std::vector<std::pair<Source, OutputPiece>> ends;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [source, end] : ends_) {
      if (source.rank == rank) ends.emplace_back(source, end);
    }
  }
  for (const auto& [source, end] : ends) {
    auto* const stream = source.stream == Stream::out ? stdout : stderr;
    const auto colour =
        source.stream == Stream::out ? wanted_.screen.colour_out : wanted_.screen.colour_err;
    auto prefix = prefix_text(wanted_.prefix == option::Prefix::node ? Prefix::node : Prefix::rank,
                              {rank}, 1, {{rank, end.node}});
    if (colour) prefix = coloured(prefix, {rank});
    for (const auto& line : last_lines(end.bytes, end.offset == 0)) {
      std::fprintf(stream, "%s%s\n", prefix.c_str(), line.c_str());
    }
    std::fflush(stream);
  }
}

Display::Display(Wanted wanted, Shown shown)
    : state_(std::make_shared<State>(std::move(wanted), std::move(shown))) {}

Display::~Display() {
  state_->abandon();
}

void Display::start() {
  state_->begin();
  std::thread([state = state_] { state->run(); }).detach();
}

void Display::add(OutputPiece piece, std::uint32_t ranks) {
  state_->add(std::move(piece), ranks);
}

void Display::finish(bool own_line) {
  state_->close(own_line);
}

void Display::show_end(std::uint32_t rank) {
  state_->show_end(rank);
}

}  // namespace muster::view
