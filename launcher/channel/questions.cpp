#include "launcher/channel/questions.hpp"

#include "launcher/channel/message.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::channel {
namespace {

constexpr const char* plans_too_long = "the plans of all nodes together are too long";

}  // namespace

struct Questions::Kind {
  std::string_view name;
  std::size_t max_bytes;
  void (Questions::*ask)(Question, Reply);
};

const Questions::Kind* Questions::find(std::string_view question) {
  static constexpr std::array<Kind, 6> kinds{{
      {"host", max_message_bytes, &Questions::leader},
      {"where", 0, &Questions::where},
      {"trouble", max_message_bytes, &Questions::failure},
      {"plan", max_plan_bytes, &Questions::plan},
      {"share", max_shared_bytes, &Questions::share},
      {"notice", max_notice_bytes, &Questions::notice},
  }};
  const auto* const found = std::find_if(kinds.begin(), kinds.end(),
                                         [&](const auto& kind) { return kind.name == question; });
  return found == kinds.end() ? nullptr : found;
}

Questions::Text Questions::admit(std::string_view question, std::size_t bytes) {
  const auto* const kind = find(question);
  if (kind == nullptr || bytes > kind->max_bytes) return Text::refused;
  if (kind->ask != &Questions::plan) return Text::wanted;
  plan_bytes_ += bytes;
  plans_refused_ = plans_refused_ || plan_bytes_ > max_plan_bytes_of_step;
  if (plans_refused_) plans_.clear();
  return plans_refused_ ? Text::discarded : Text::wanted;
}

void Questions::ask(Question question, Reply reply) {
  if (const auto* const kind = find(question.name)) {
    (this->*kind->ask)(std::move(question), std::move(reply));
  }
}

void Questions::leader(Question question, Reply reply) {
  leader_text_ = std::move(question.text);
  for (const auto& seeker : std::exchange(seekers_, {})) seeker(*leader_text_);
  if (failure_) {
    reply(std::string(told) + '\n' + *failure_);
  } else {
    leader_reply_ = std::move(reply);
  }
}

void Questions::where(Question /*question*/, Reply reply) {
  if (leader_text_) {
    reply(*leader_text_);
  } else {
    seekers_.push_back(std::move(reply));
  }
}

// Only the first failure is reported. The leader reports it if it listens, because it must also dismiss the
// other members.
void Questions::failure(Question question, Reply reply) {
  if (failure_) {
    reply(std::string(told));
    return;
  }
  failure_ = std::move(question.text);
  const bool leader_tells = leader_reply_ && leader_reply_(std::string(tell) + '\n' + *failure_);
  reply(std::string(leader_tells ? told : tell));
}

void Questions::plan(Question question, Reply reply) {
  planners_.push_back(std::move(reply));
  if (plans_refused_) {
    for (const auto& planner : std::exchange(planners_, {})) planner(plans_too_long);
    return;
  }
  plans_.insert_or_assign(question.node, std::move(question.text));
  if (plans_.size() != question.nodes) return;
  std::vector<std::string> texts;
  for (auto& [node, text] : std::exchange(plans_, {})) texts.push_back(std::move(text));
  if (take_plans_) std::exchange(take_plans_, nullptr)(std::move(texts));
  for (const auto& planner : std::exchange(planners_, {})) planner({});
}

void Questions::share(Question question, Reply reply) {
  sharers_.push_back(std::move(reply));
  shared_.insert_or_assign(question.node, std::move(question.text));
  if (shared_.size() != question.nodes) return;
  std::string all;
  for (const auto& [node, text] : std::exchange(shared_, {})) {
    if (!all.empty()) all += '\n';
    all += text;
  }
  for (const auto& sharer : std::exchange(sharers_, {})) sharer(all);
}

void Questions::notice(Question question, Reply reply) {
  if (take_notice_) take_notice_(question.text);
  reply({});
}

}  // namespace muster::channel
