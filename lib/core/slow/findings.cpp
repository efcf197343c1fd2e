#include "core/slow/findings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster::slow {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

constexpr std::size_t max_links = 8;         // in an attempt
constexpr nanoseconds ask_again = 7s;        // an agent examines one thing at a time
constexpr nanoseconds time_to_examine = 9s;  // then it is told without a cause
constexpr nanoseconds time_to_examine_nodes = 18s;
constexpr nanoseconds examine_again = 60s;  // nodes that kept their link from being named
constexpr nanoseconds links_interval = 10s;
constexpr nanoseconds longest_wait = 120s;  // for the links
constexpr std::uint32_t first_number_of_links = 1000;
// What a rank costs and what a link costs are measured in different ways.
constexpr double as_much = 1.25;

Named named_of(const SlowLink& link, const Findings::NameOf& name_of, nanoseconds now) {
  Named named{.node = name_of(link.from), .since = now};
  named.link = NamedLink{.to = link.to ? name_of(*link.to) : std::string()};
  named.link->direction = link.direction;
  return named;
}

void update(Named& named, const SlowLink& link) {
  named.time_percent = 100 * link.lost_share;
  named.over = false;
  named.link->speed = link.speed;
  named.link->others = link.others;
  named.link->busy_percent = 100 * link.busy_share;
  named.link->repeated_percent = 100 * link.repeated_share;
}

}  // namespace

bool Findings::Suspected::has_answers() const {
  return std::ranges::all_of(asked, [](const Asked& each) { return each.evidence.has_value(); });
}

void Findings::add(std::size_t node, const Piece& piece) {
  tracker_.add(node, piece);
  has_news_ = true;
}

void Findings::examined(std::size_t node, std::uint32_t number, const Evidence& evidence) {
  const auto take = [&](Suspected& suspected) {
    for (auto& asked : suspected.asked) {
      const auto& question = asked.question;
      if (question.number == number && question.node == node && !asked.evidence)
        asked.evidence = evidence;
    }
  };
  std::ranges::for_each(ranks_, take);
  for (auto& of : named_links_) take(of.suspected);
}

void Findings::look_at_ranks(Time now, const NameOf& name_of) {
  if (!std::exchange(has_news_, false)) return;
  for (const auto index : tracker_.look(now, name_of)) {
    const Question question{.number = static_cast<std::uint32_t>(index),
                            .node = tracker_.node_of(index),
                            .rank = tracker_.named()[index].rank};
    ranks_.push_back({.since = now, .asked = {{.question = question, .next = now}}});
  }
}

void Findings::look_at_links(Time now, const NameOf& name_of) {
  if (looked_ && now < *looked_ + links_interval) return;
  slow_links_ = links_.look_again(now);
  const auto passed = now - looked_.value_or(now);
  for (auto& of : named_links_) {
    const auto overlaps = [&of](const SlowLink& link) { return link.overlaps(of.link); };
    const auto found = std::ranges::find_if(slow_links_, overlaps);
    if (!of.suspected.told && now >= of.suspected.since + examine_again) {
      of.suspected.since = now;
      for (auto& asked : of.suspected.asked) asked.evidence.reset();
    }
    of.named.over = found == slow_links_.end();
    if (of.named.over) continue;
    update(of.named, *found);
    of.named.lost +=
        nanoseconds(std::llround(found->lost_share * static_cast<double>(passed.count())));
  }
  for (const auto& link : links_.look(now)) {
    const auto overlaps = [&link](const OfLink& of) { return of.link.overlaps(link); };
    const auto known = std::ranges::find_if(named_links_, overlaps);
    if (known != named_links_.end()) {
      if (!known->suspected.told) {
        known->link = link;
        known->named = named_of(link, name_of, known->named.since);
        update(known->named, link);
      }
      continue;
    }
    if (named_links_.size() == max_links) continue;
    auto number = static_cast<std::uint32_t>(first_number_of_links + 2 * named_links_.size());
    OfLink of{.link = link, .named = named_of(link, name_of, now), .suspected = {.since = now}};
    update(of.named, link);
    for (const auto node : {std::optional(link.from), link.to}) {
      if (node)
        of.suspected.asked.push_back(
            {.question = {.number = number++, .node = *node}, .next = now});
    }
    named_links_.push_back(std::move(of));
  }
  looked_ = now;
}

void Findings::ask(Suspected& suspected, Time now, std::vector<Question>& questions) {
  const bool late = now >= suspected.since + time_to_examine_nodes;
  for (auto& asked : suspected.asked) {
    if (suspected.told || late || asked.evidence || now < asked.next) continue;
    questions.push_back(asked.question);
    asked.next = now + ask_again;
  }
}

bool Findings::is_explained(std::size_t index) const {
  const auto& evidence = ranks_[index].asked.front().evidence;
  if (evidence && !fits_slow_link(*evidence)) return false;
  return std::ranges::any_of(slow_links_, [&](const SlowLink& link) {
    return link.touches(tracker_.node_of(index)) &&
           100 * link.lost_share * as_much >= tracker_.named()[index].time_percent;
  });
}

// One that shows no reason of its own waits for the links.
bool Findings::may_tell(std::size_t index, Time now, bool ends) const {
  const auto& suspected = ranks_[index];
  const auto& evidence = suspected.asked.front().evidence;
  if (!ends && !evidence && now < suspected.since + time_to_examine) return false;
  if (evidence && !fits_slow_link(*evidence)) return true;
  if (tracker_.named()[index].over && !ends) return false;
  return links_.would_know(suspected.since, now) || now >= suspected.since + longest_wait;
}

bool Findings::may_tell(const OfLink& of, Time now) const {
  if (of.named.over) return false;
  if (!of.suspected.has_answers() && now < of.suspected.since + time_to_examine_nodes) return false;
  const auto slows = [](const Asked& asked) {
    return asked.evidence && slows_connections(*asked.evidence);
  };
  return std::ranges::none_of(of.suspected.asked, slows);
}

void Findings::decide(Time now, bool ends, std::vector<Named>& fresh) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    auto& suspected = ranks_[i];
    if (suspected.told) continue;
    if (is_explained(i)) {
      suspected.since = now;  // the links have to be looked at again once this one is over
      continue;
    }
    if (!may_tell(i, now, ends)) continue;
    const auto& evidence = suspected.asked.front().evidence;
    if (evidence) tracker_.explain(i, cause_of(*evidence, tracker_.named()[i].time_percent));
    suspected.told = true;
    fresh.push_back(tracker_.named()[i]);
  }
  for (auto& of : named_links_) {
    if (of.suspected.told || !(ends ? !of.named.over : may_tell(of, now))) continue;
    of.suspected.told = true;
    fresh.push_back(of.named);
  }
}

Findings::Result Findings::look(Time now, const NameOf& name_of) {
  Result result;
  look_at_ranks(now, name_of);
  look_at_links(now, name_of);
  for (auto& suspected : ranks_) ask(suspected, now, result.questions);
  for (auto& of : named_links_) ask(of.suspected, now, result.questions);
  decide(now, false, result.fresh);
  return result;
}

std::vector<Named> Findings::end(Time now) {
  std::vector<Named> fresh;
  decide(now, true, fresh);
  return fresh;
}

std::vector<Named> Findings::named() const {
  std::vector<Named> all;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].told) all.push_back(tracker_.named()[i]);
  }
  for (const auto& of : named_links_) {
    if (of.suspected.told) all.push_back(of.named);
  }
  return all;
}

}  // namespace muster::slow
