#include "launcher/supervisor/groups/lighthouse_keeper.hpp"

#include "core/contains.hpp"
#include "core/rendezvous/endpoint.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/open_files.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/resolve.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/slurm/side_step.hpp"
#include "launcher/supervisor/attempts/node_pool.hpp"
#include "launcher/supervisor/groups/lighthouse.hpp"
#include "launcher/supervisor/groups/relay.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::groups {
namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds look_interval{250};
constexpr seconds probe_timeout{2};
constexpr seconds start_timeout{90};  // Python on a slow file system
constexpr unsigned max_misses = 3;    // probes without an answer
constexpr unsigned max_failures = 5;  // starts of a lighthouse that has never answered
constexpr seconds longest_pause{10};
constexpr milliseconds node_timeout{2000};
constexpr std::size_t max_output = 4096;

// Outside the range from which systems take ports by themselves.
std::uint16_t some_port() {
  constexpr std::uint16_t first = 20'000;
  constexpr std::uint16_t last = 29'999;
  std::random_device random;
  return std::uniform_int_distribution<std::uint16_t>(first, last)(random);
}

// Asks once whether an HTTP server answers.
class Probe : public std::enable_shared_from_this<Probe> {
 public:
  using Answered = std::function<void(bool)>;

  Probe(asio::io_context& io, Answered answered)
      : socket_(io), deadline_(io), answered_(std::move(answered)) {}

  void start(const tcp::endpoint& server) {
    const auto self = shared_from_this();
    deadline_.expires_after(probe_timeout);
    deadline_.async_wait([self](std::error_code cancelled) {
      if (!cancelled) self->finish(false);
    });
    socket_.async_connect(server, [self](std::error_code error) {
      if (error) return self->finish(false);
      self->ask();
    });
  }

 private:
  void ask() {
    static constexpr std::string_view question = "GET /status HTTP/1.1\r\nHost: muster\r\n\r\n";
    asio::async_write(socket_, asio::buffer(question),
                      [self = shared_from_this()](std::error_code error, std::size_t) {
                        if (error) return self->finish(false);
                        self->socket_.async_read_some(
                            asio::buffer(self->answer_),
                            [self](std::error_code failed, std::size_t) { self->finish(!failed); });
                      });
  }

  void finish(bool answered) {
    if (!answered_) return;
    std::error_code ignored;
    deadline_.cancel();
    socket_.close(ignored);
    std::exchange(answered_, nullptr)(answered);
  }

  tcp::socket socket_;
  asio::steady_timer deadline_;
  Answered answered_;
  std::array<char, 64> answer_{};
};

class Keeper {
 public:
  Keeper(const LighthouseCommand& command, attempts::NodePool& pool, const Environment& environment,
         os::Descriptor listener)
      : command_(command),
        pool_(pool),
        environment_(environment),
        relay_(io_, std::move(listener), {}),
        timer_(io_) {}

  void run() {
    begin();
    look_later();
    io_.run();
  }

 private:
  void begin();
  void look_later();
  void look();
  void probe();
  void answered(bool answers);
  void failed(const std::string& why);
  void stop_srun();
  [[nodiscard]] std::string choose_node();
  [[nodiscard]] bool is_lost(const std::string& node);
  [[nodiscard]] std::vector<std::string> words(const tcp::endpoint& server) const;
  [[nodiscard]] std::string last_words() const;

  const LighthouseCommand& command_;
  attempts::NodePool& pool_;
  const Environment& environment_;
  asio::io_context io_{1};
  Relay relay_;
  asio::steady_timer timer_;
  os::Descriptor output_ = os::Descriptor();  // of the lighthouse
  std::string node_;
  std::optional<tcp::endpoint> server_;
  pid_t srun_ = -1;
  Clock::time_point started_;
  Clock::time_point next_start_;
  std::set<std::string> avoided_;  // nodes on which it has not answered
  std::uint64_t generation_ = 0;   // of the lighthouse
  unsigned misses_ = 0;
  unsigned failures_ = 0;
  bool probes_ = false;
  bool is_up_ = false;
  bool was_up_ = false;
};

bool Keeper::is_lost(const std::string& node) {
  const auto pool = pool_.all();
  const auto known = std::ranges::find(pool.nodes, node, &PoolNode::name);
  return known != pool.nodes.end() && known->lost_at.has_value();
}

// A node that a group uses is watched, so its loss is noticed early.
std::string Keeper::choose_node() {
  const auto pool = pool_.all();
  const auto first = [&](const auto& fits) {
    const auto found = std::ranges::find_if(pool.nodes, fits);
    return found == pool.nodes.end() ? std::string() : found->name;
  };
  auto node = first([this](const PoolNode& each) {
    return each.group && !each.lost_at && !avoided_.contains(each.name);
  });
  if (!node.empty()) return node;
  avoided_.clear();
  node = first([](const PoolNode& each) { return !each.lost_at; });
  return node.empty() && !pool.nodes.empty() ? pool.nodes.front().name : node;
}

std::vector<std::string> Keeper::words(const tcp::endpoint& server) const {
  const std::vector nodes{node_};
  auto all = slurm::side_step_words(
      {.srun = command_.srun, .job = command_.job, .name = "lighthouse", .nodes = nodes},
      environment_);
  all.insert(all.end(), command_.words.begin(), command_.words.end());
  const auto* const any = server.address().is_v6() ? "::" : "0.0.0.0";
  all.insert(all.end(), {"--min_replicas", fmt::to_string(command_.min), "--bind",
                         rendezvous::endpoint_text(any, server.port())});
  return all;
}

void Keeper::begin() {
  node_ = choose_node();
  const std::vector nodes{node_};
  const auto known = slurm::ask_nodes(nodes, node_timeout);
  const auto addresses = os::numeric_addresses(known.empty() ? node_ : known.front().address);
  std::error_code error;
  const auto address =
      asio::ip::make_address(addresses.empty() ? std::string() : addresses.front(), error);
  ++generation_;
  misses_ = 0;
  started_ = Clock::now();
  if (error) return failed(fmt::format("{} has no address", text::printable(node_)));
  server_.emplace(address, some_port());
  output_ = os::Descriptor(memfd_create("muster-lighthouse", MFD_CLOEXEC));
  const auto command = words(*server_);
  const pid_t keeper = getpid();
  srun_ = fork();
  if (srun_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != keeper) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setsid();
  os::restore_file_limit();
  dup2(output_.get(), STDOUT_FILENO);
  dup2(output_.get(), STDERR_FILENO);
  execvp(command.front().c_str(), os::exec_pointers(command).data());
  _exit(127);
}

void Keeper::look_later() {
  timer_.expires_after(look_interval);
  timer_.async_wait([this](std::error_code cancelled) {
    if (cancelled) return;
    look();
    if (failures_ < max_failures || was_up_)
      look_later();
    else
      io_.stop();
  });
}

void Keeper::look() {
  if (srun_ < 0) {
    if (Clock::now() >= next_start_) begin();
    return;
  }
  bool ended = false;
  for (pid_t child = waitpid(-1, nullptr, WNOHANG); child > 0;
       child = waitpid(-1, nullptr, WNOHANG))
    ended = ended || child == srun_;
  if (ended) {
    srun_ = -1;
    return failed("it has ended");
  }
  if (is_lost(node_)) return failed(fmt::format("{} is lost", text::printable(node_)));
  if (!is_up_ && Clock::now() - started_ > start_timeout)
    return failed(fmt::format("it has not answered for {}", text::duration(start_timeout)));
  if (!probes_) probe();
}

void Keeper::probe() {
  probes_ = true;
  const auto asked = generation_;
  std::make_shared<Probe>(io_, [this, asked](bool answers) {
    probes_ = false;
    if (asked == generation_) answered(answers);
  })->start(*server_);
}

void Keeper::answered(bool answers) {
  misses_ = answers ? 0 : misses_ + 1;
  if (answers && !is_up_) {
    is_up_ = true;
    failures_ = 0;
    relay_.move_to(server_);
    if (std::exchange(was_up_, true))
      os::say(os::Severity::progress,
              fmt::format("the lighthouse runs on {}", text::printable(node_)));
  } else if (is_up_ && misses_ >= max_misses) {
    failed("it does not answer");
  }
}

void Keeper::failed(const std::string& why) {
  relay_.move_to(std::nullopt);
  is_up_ = false;
  ++generation_;
  ++failures_;
  avoided_.insert(node_);
  const bool gives_up = failures_ >= max_failures && !was_up_;
  if (gives_up || was_up_) {
    const auto words = last_words();
    os::say(gives_up ? os::Severity::error : os::Severity::warning,
            fmt::format("the lighthouse on {}: {}{}{}", text::printable(node_), why,
                        words.empty() ? "" : ": " + words,
                        gives_up ? "; export TORCHFT_LIGHTHOUSE to use one of your own"
                                 : "; it is started again"));
  }
  stop_srun();
  const auto pause = failures_ < 2 ? seconds{0} : std::min(seconds{failures_}, longest_pause);
  next_start_ = Clock::now() + pause;
}

// It cancels its step, which must not hold up this process: the node may be gone.
void Keeper::stop_srun() {
  if (srun_ < 0) return;
  kill(srun_, SIGTERM);
  srun_ = -1;
}

// The last line that says something.
std::string Keeper::last_words() const {
  std::string text(max_output, '\0');
  const auto end = lseek(output_.get(), 0, SEEK_END);
  const auto got = pread(output_.get(), text.data(), text.size(),
                         std::max<off_t>(0, end - static_cast<off_t>(text.size())));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (text.ends_with('\n')) text.pop_back();
  return text::printable(text.substr(text.rfind('\n') + 1));
}

}  // namespace

void keep_lighthouse(const LighthouseCommand& command, attempts::NodePool& pool,
                     const Environment& environment, os::Descriptor listener) {
  std::signal(SIGCHLD, SIG_DFL);
  Keeper(command, pool, environment, std::move(listener)).run();
}

}  // namespace muster::groups
