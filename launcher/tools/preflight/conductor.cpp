#include "launcher/tools/preflight/conductor.hpp"

#include <algorithm>
#include <utility>

#include <asio/io_context.hpp>

namespace muster::preflight {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds report_timeout{400};    // after a test
constexpr milliseconds time_beside_nccl{400};  // for a silent program, which must be killed
constexpr milliseconds time_for_local{3000};
constexpr milliseconds leave_timeout{700};
constexpr std::size_t max_unnamed = 1024;  // in addition to the nodes

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
  seen_.nccl.has_gpu.resize(count);
  seen_.nccl.starts.resize(count);
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

// A later call replaces an earlier one.
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
    if (phase_ == Phase::testing) take_report(*member->node, {.report = *report});
  } else if (const auto of_nccl = nccl_report(text)) {
    if (phase_ == Phase::testing_nccl) take_report(*member->node, *of_nccl);
  } else if (auto start = nccl_start(text)) {
    take_start(*member->node, std::move(*start));
  } else {
    take_local(*member->node, text);
  }
}

// Accepts each name once: ignores a second node with the same name.
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
  seen_.nccl.has_gpu[node] = hello->has_gpu;
  std::erase(unnamed_, member);
  if (std::ranges::all_of(members_, [](const auto& each) { return each != nullptr; })) begin();
}

// Call it after the session has ended: the test that the node was in has failed. The session object is kept,
// because this may run within one of its calls.
void Conductor::lose(const std::shared_ptr<Member>& member) {
  member->gone = true;
  if (!member->node) return;
  for (const auto& [number, test] : std::map(tests_)) {
    if (test.pair.first == *member->node || test.pair.second == *member->node)
      take_report(*member->node,
                  {.report = {.test = number,
                              .failure = seen_.nodes[*member->node] + " has disconnected"}});
  }
  if (phase_ == Phase::starting_nccl) take_start(*member->node, {.why = "it has disconnected"});
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

bool Conductor::has_time_for(milliseconds work) const {
  return Clock::now() + work + report_timeout < deadline();
}

milliseconds Conductor::time_of_test() const {
  if (phase_ == Phase::testing_nccl) return nccl_limits(times_.limit).test + time_beside_nccl;
  return max_time(times_.small ? small_bounds() : full_bounds());
}

std::vector<Wave> Conductor::next_waves() const {
  const auto count = seen_.nodes.size();
  if (phase_ == Phase::testing_nccl) {
    auto nodes = nccl_nodes(seen_.nccl.starts);
    std::erase_if(nodes, [this](NodeIndex node) { return members_[node]->gone; });
    return next_round(seen_.nccl.rounds, nodes, count, nccl_links(seen_.nccl));
  }
  return next_round(seen_.rounds, present(), count, seen_.links);
}

// Starts the next wave, or the next round, if there is time for it and for the end of the preflight.
void Conductor::next() {
  const bool in_time = has_time_for(time_of_test());
  if (waves_.empty() && in_time) {
    waves_ = next_waves();
    std::ranges::reverse(waves_);
    auto& rounds = phase_ == Phase::testing_nccl ? seen_.nccl.rounds : seen_.rounds;
    if (!waves_.empty()) ++rounds;
  }
  if (!waves_.empty() && in_time) {
    const auto wave = std::move(waves_.back());
    waves_.pop_back();
    return run_wave(wave);
  }
  waves_.clear();
  if (phase_ == Phase::testing) return start_nccl();
  end_tests();
}

void Conductor::run_wave(const Wave& wave) {
  tests_.clear();
  for (const auto& pair : wave) {
    const auto number = next_test_++;
    tests_.emplace(number, Test{pair});
    order_test(number, pair);
  }
  after(time_of_test() + report_timeout, &Conductor::end_wave);
}

void Conductor::order_test(std::uint32_t number, const Pair& pair) {
  const auto& [from, to] = pair;
  auto place = members_[to]->place;
  if (phase_ == Phase::testing_nccl) {
    place.port = seen_.nccl.starts[to]->port;
    members_[to]->session->send(to_text(NcclOrder{number, false, times_.small, {}}));
    members_[from]->session->send(to_text(NcclOrder{number, true, times_.small, place}));
    return;
  }
  members_[to]->session->send(to_text(TestOrder{number, false, times_.small, {}}));
  members_[from]->session->send(to_text(TestOrder{number, true, times_.small, place}));
}

void Conductor::take_report(NodeIndex node, const NcclReport& report) {
  const auto found = tests_.find(report.report.test);
  if (found == tests_.end()) return;
  auto& test = found->second;
  const bool connects = test.pair.first == node;
  if (!connects && test.pair.second != node) return;
  if (report.report.work > 0) seen_.work[node].push_back(report.report.work);
  (connects ? test.from : test.to) = report;
  const auto is_over = [](const auto& each) { return each.second.is_over(); };
  if (std::ranges::all_of(tests_, is_over)) end_wave();
}

void Conductor::end_wave() {
  for (const auto& [number, test] : tests_) keep(test);
  tests_.clear();
  next();
}

void Conductor::keep(const Test& test) {
  const bool of_nccl = phase_ == Phase::testing_nccl;
  const auto& [from, to] = test.pair;
  Link link{from, to, (of_nccl ? seen_.nccl.rounds : seen_.rounds) - 1, {}, {}};
  // An end that does not report in time is in trouble, so the test has failed whatever the other end reports.
  if (!test.is_over()) link.why = seen_.nodes[test.from ? to : from] + " does not answer";
  if (of_nccl) {
    seen_.nccl.tests.push_back(
        test.is_over() ? nccl_test(std::move(link), *test.from, *test.to, seen_.nccl.test_limit)
                       : NcclTest{std::move(link)});
  } else {
    seen_.links.push_back(
        test.is_over() ? tested(std::move(link), test.from->report, test.to->report) : link);
  }
}

// The nodes worth testing: a node already known to be bad would hold up a good one, and be reported twice.
std::vector<NodeIndex> Conductor::fit_for_nccl() const {
  auto nodes = present();
  const auto all = standings(seen_.nodes.size(), seen_.links);
  std::erase_if(nodes, [&](NodeIndex node) {
    const auto standing = all[node].standing;
    return !seen_.nccl.has_gpu[node] || standing == Standing::slow || standing == Standing::failing;
  });
  return nodes;
}

// Asks the nodes nothing unless at least two of them have a GPU.
void Conductor::start_nccl() {
  const auto nodes = fit_for_nccl();
  if (nodes.size() < 2) {
    seen_.nccl.failure = "apart from the nodes already reported, fewer than two have a GPU";
    return end_tests();
  }
  const auto limits = nccl_limits(times_.limit);
  if (!has_time_for(limits.start + limits.test)) {
    seen_.nccl.failure = "no time is left";
    return end_tests();
  }
  seen_.nccl.start_limit = static_cast<double>(limits.start.count());
  seen_.nccl.test_limit = static_cast<double>(limits.test.count());
  phase_ = Phase::starting_nccl;
  for (const auto node : nodes) {
    seen_.nccl.starts[node] = {.state = NcclStart::State::late};
    awaited_starts_.insert(node);
    members_[node]->session->send(to_text(limits));
  }
  after(limits.start + time_beside_nccl + report_timeout, &Conductor::begin_nccl);
}

void Conductor::take_start(NodeIndex node, NcclStart start) {
  if (phase_ != Phase::starting_nccl || awaited_starts_.erase(node) == 0) return;
  seen_.nccl.starts[node] = std::move(start);
  if (awaited_starts_.empty()) begin_nccl();
}

void Conductor::begin_nccl() {
  awaited_starts_.clear();
  phase_ = Phase::testing_nccl;
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

// A node's part ends when its session does.
void Conductor::end_all() {
  phase_ = Phase::over;
  unnamed_.clear();
  for (auto& member : members_) member.reset();
  timer_->expires_after(leave_timeout);
  timer_->async_wait([late = late_](std::error_code cancelled) {
    if (!cancelled && late) late();
  });
}

}  // namespace muster::preflight
