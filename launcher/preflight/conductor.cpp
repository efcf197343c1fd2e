#include "launcher/preflight/conductor.hpp"

#include "core/text/quote.hpp"

#include <algorithm>
#include <utility>

#include <asio/io_context.hpp>
#include <fmt/format.h>

namespace muster::preflight {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds time_to_report{400};  // behind a test
constexpr milliseconds time_for_local{3000};
constexpr milliseconds time_to_leave{700};
constexpr std::size_t max_unnamed = 1024;  // beside the nodes

}  // namespace

struct Conductor::Member {
  std::unique_ptr<channel::Session> session = {};
  std::optional<NodeIndex> node = {};
  channel::Address place = {};
  bool gone = false;
};

Conductor::Conductor(std::vector<std::string> nodes, const Times& times, std::function<void()> late)
    : times_(times), late_(std::move(late)) {
  const auto count = nodes.size();
  seen_ = {.nodes = std::move(nodes),
           .answered = std::vector<bool>(count),
           .locals = std::vector<std::optional<Local>>(count),
           .work = std::vector<std::vector<double>>(count)};
  members_.resize(count);
}

Conductor::~Conductor() = default;

void Conductor::start(asio::io_context& io) {
  timer_ = std::make_unique<asio::steady_timer>(io);
  after(times_.gather, &Conductor::begin);
}

void Conductor::stop() {
  phase_ = Phase::over;
  timer_.reset();
  unnamed_.clear();
  for (auto& member : members_) member.reset();
}

Conductor::Clock::time_point Conductor::deadline() const {
  return began_ + times_.limit;
}

// Only the last one set counts.
void Conductor::after(milliseconds time, void (Conductor::*then)()) {
  const auto use = ++timer_use_;
  timer_->expires_after(time);
  timer_->async_wait([this, use, then](std::error_code cancelled) {
    if (!cancelled && use == timer_use_ && phase_ != Phase::over) (this->*then)();
  });
}

void Conductor::opened(std::unique_ptr<channel::Session> session, layout::NodeIndex /*node*/,
                       std::uint32_t /*nodes*/) {
  if (phase_ == Phase::over || unnamed_.size() >= max_unnamed) return;
  const auto member = std::make_shared<Member>();
  member->session = std::move(session);
  unnamed_.push_back(member);
  const std::weak_ptr<Member> weak = member;
  member->session->receive({.message =
                                [this, weak](std::string_view text) {
                                  if (const auto its = weak.lock()) hear(its, text);
                                },
                            .ended =
                                [this, weak](channel::SessionEnd) {
                                  if (const auto its = weak.lock()) lose(its);
                                }});
}

void Conductor::hear(const std::shared_ptr<Member>& member, std::string_view text) {
  if (!member->node) {
    take_hello(member, text);
  } else if (const auto report = test_report(text)) {
    take_report(*member->node, *report);
  } else {
    take_local(*member->node, text);
  }
}

// Each name once: who comes second under one is not heard.
void Conductor::take_hello(const std::shared_ptr<Member>& member, std::string_view text) {
  auto hello = hello_from(text);
  if (!hello || phase_ != Phase::gathering) return;
  const auto found = std::ranges::find(seen_.nodes, hello->node);
  if (found == seen_.nodes.end()) return;
  const auto node = static_cast<NodeIndex>(found - seen_.nodes.begin());
  if (members_[node]) return;
  member->node = node;
  member->place = std::move(hello->place);
  members_[node] = member;
  seen_.answered[node] = true;
  std::erase(unnamed_, member);
  if (std::ranges::all_of(members_, [](const auto& each) { return each != nullptr; })) begin();
}

// What it was testing has failed. Its session is kept: this may be within one of its calls.
void Conductor::lose(const std::shared_ptr<Member>& member) {
  member->gone = true;
  if (!member->node) return;
  for (const auto& [number, test] : std::map(tests_)) {
    if (test.pair.first == *member->node || test.pair.second == *member->node)
      take_report(*member->node,
                  {.test = number, .failure = seen_.nodes[*member->node] + " has gone"});
  }
  if (phase_ == Phase::ending) take_local(*member->node, {});
}

std::vector<NodeIndex> Conductor::present() const {
  std::vector<NodeIndex> nodes;
  for (NodeIndex node = 0; node < members_.size(); ++node) {
    if (members_[node] && !members_[node]->gone) nodes.push_back(node);
  }
  return nodes;
}

void Conductor::begin() {
  if (phase_ != Phase::gathering) return;
  phase_ = Phase::testing;
  next();
}

// The next wave, or the next round, as long as there is time for it and for the end.
void Conductor::next() {
  const auto& bounds = times_.small ? small_bounds() : full_bounds();
  const bool in_time = Clock::now() + max_time(bounds) + time_to_report < deadline();
  if (waves_.empty() && in_time) {
    waves_ = next_round(seen_.rounds, present(), seen_.nodes.size(), seen_.links);
    std::ranges::reverse(waves_);
    if (!waves_.empty()) ++seen_.rounds;
  }
  if (waves_.empty() || !in_time) return end_tests();
  const auto wave = std::move(waves_.back());
  waves_.pop_back();
  run_wave(wave);
}

void Conductor::run_wave(const Wave& wave) {
  tests_.clear();
  for (const auto& pair : wave) {
    const auto [from, to] = pair;
    const auto number = next_test_++;
    tests_.emplace(number, Test{pair});
    members_[to]->session->send(to_text(TestOrder{number, false, times_.small, {}}));
    members_[from]->session->send(
        to_text(TestOrder{number, true, times_.small, members_[to]->place}));
  }
  const auto bounds = times_.small ? small_bounds() : full_bounds();
  after(max_time(bounds) + time_to_report, &Conductor::end_wave);
}

void Conductor::take_report(NodeIndex node, const TestReport& report) {
  const auto found = tests_.find(report.test);
  if (found == tests_.end()) return;
  auto& test = found->second;
  const bool connects = test.pair.first == node;
  if (!connects && test.pair.second != node) return;
  if (report.work > 0) seen_.work[node].push_back(report.work);
  (connects ? test.from : test.to) = report;
  const auto is_over = [](const auto& each) { return each.second.is_over(); };
  if (std::ranges::all_of(tests_, is_over)) end_wave();
}

void Conductor::end_wave() {
  for (auto& [number, test] : tests_) {
    Link link{test.pair.first, test.pair.second, seen_.rounds - 1, {}, {}};
    // An end that says nothing in time is in trouble, and so is the test, whatever the other one says.
    if (!test.is_over()) {
      link.why = fmt::format("{} does not answer", seen_.nodes[test.from ? link.to : link.from]);
    } else if (test.from->measure && test.to->failure.empty()) {
      link.measure = test.from->measure;
    } else {
      link.why =
          text::printable(test.from->failure.empty() ? test.to->failure : test.from->failure);
    }
    seen_.links.push_back(std::move(link));
  }
  tests_.clear();
  next();
}

void Conductor::end_tests() {
  phase_ = Phase::ending;
  const auto nodes = present();
  for (const auto node : nodes) members_[node]->session->send(end_of_tests);
  after(std::clamp(std::chrono::ceil<milliseconds>(deadline() - Clock::now()), milliseconds{1},
                   time_for_local),
        &Conductor::end_all);
  if (nodes.empty()) end_all();
}

void Conductor::take_local(NodeIndex node, std::string_view text) {
  if (phase_ != Phase::ending) return;
  if (auto local = local_from_text(text)) seen_.locals[node] = std::move(*local);
  const auto is_missing = [this](NodeIndex each) { return !seen_.locals[each]; };
  if (std::ranges::none_of(present(), is_missing)) after(milliseconds{0}, &Conductor::end_all);
}

// The nodes end when their sessions do.
void Conductor::end_all() {
  phase_ = Phase::over;
  unnamed_.clear();
  for (auto& member : members_) member.reset();
  timer_->expires_after(time_to_leave);
  timer_->async_wait([late = late_](std::error_code cancelled) {
    if (!cancelled && late) late();
  });
}

}  // namespace muster::preflight
