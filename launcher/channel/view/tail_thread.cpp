#include "launcher/channel/view/tail_thread.hpp"

#include "launcher/os/detached_work.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

namespace muster::view {
namespace {

constexpr std::chrono::milliseconds retry_interval{10};

}  // namespace

// What both threads share. It lives until both have released it.
class TailThread::Shared : public std::enable_shared_from_this<Shared> {
 public:
  Shared(asio::io_context& owner, Tail::Send send)
      : owner_(&owner), send_(std::move(send)), work_(io_.get_executor()), timer_(io_) {}

  // Called in the owner's thread.
  void open(const std::vector<LogFile>& files, std::uint32_t nodes);
  void connected();
  void leave();

  template <class Work>
  void in_thread(Work work) {
    asio::post(io_, [this, work = std::move(work)]() mutable { work(*this); });
  }

  // Called in the tail's thread.
  Tail& tail() { return *tail_; }
  void look_again(std::function<void()> done);
  void stop_looking() { timer_.cancel(); }
  template <class Work>
  void in_owner(Work work);

 private:
  bool send(OutputPiece piece);

  std::mutex mutex_;
  asio::io_context* owner_;       // null once it is gone
  const Tail::Send send_;         // called only while the owner exists
  std::uint64_t connection_ = 0;  // the owner's connection, counted from 1
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::steady_timer timer_;
  std::optional<Tail> tail_;
  std::uint64_t tails_connection_ = 0;  // the connection for which the tail sends
};

void TailThread::Shared::open(const std::vector<LogFile>& files, std::uint32_t nodes) {
  tail_.emplace(io_, files, nodes, [this](OutputPiece piece) { return send(std::move(piece)); });
  os::start_detached([self = shared_from_this()] { self->io_.run(); });
}

// Output that an older connection did not deliver is sent again, with none of the old pieces in between.
void TailThread::Shared::connected() {
  in_thread([connection = ++connection_](Shared& shared) {
    shared.tails_connection_ = connection;
    shared.tail_->connected();
  });
}

void TailThread::Shared::leave() {
  const std::lock_guard lock(mutex_);
  owner_ = nullptr;
  io_.stop();
}

template <class Work>
void TailThread::Shared::in_owner(Work work) {
  const std::lock_guard lock(mutex_);
  if (owner_ == nullptr) return;
  asio::post(*owner_, [self = shared_from_this(), work = std::move(work)]() mutable {
    if (self->owner_ != nullptr) work(*self);
  });
}

bool TailThread::Shared::send(OutputPiece piece) {
  if (tails_connection_ == 0) return false;
  in_owner([piece = std::move(piece), connection = tails_connection_](Shared& shared) mutable {
    if (connection == shared.connection_) shared.send_(std::move(piece));
  });
  return true;
}

void TailThread::Shared::look_again(std::function<void()> done) {
  if (tail_->sent_all()) return in_owner([done = std::move(done)](Shared& /*shared*/) { done(); });
  timer_.expires_after(retry_interval);
  timer_.async_wait([this, done = std::move(done)](std::error_code stopped) mutable {
    if (!stopped) look_again(std::move(done));
  });
}

TailThread::TailThread(asio::io_context& owner, const std::vector<LogFile>& files,
                       std::uint32_t nodes, Tail::Send send)
    : shared_(std::make_shared<Shared>(owner, std::move(send))) {
  shared_->open(files, nodes);
}

TailThread::~TailThread() {
  shared_->leave();
}

void TailThread::start() {
  shared_->in_thread([](Shared& shared) { shared.tail().start(); });
}

void TailThread::connected() {
  shared_->connected();
}

void TailThread::shown(const Source& source, std::uint64_t offset) {
  shared_->in_thread([source, offset](Shared& shared) { shared.tail().shown(source, offset); });
}

void TailThread::failed(std::uint32_t rank) {
  shared_->in_thread([rank](Shared& shared) { shared.tail().failed(rank); });
}

void TailThread::when_all_is_sent(std::function<void()> done) {
  shared_->in_thread(
      [done = std::move(done)](Shared& shared) mutable { shared.look_again(std::move(done)); });
}

void TailThread::finish(std::function<void()> done) {
  shared_->in_thread([done = std::move(done)](Shared& shared) mutable {
    shared.stop_looking();
    shared.tail().finish();
    shared.in_owner([done = std::move(done)](Shared& /*shared*/) { done(); });
  });
}

}  // namespace muster::view
