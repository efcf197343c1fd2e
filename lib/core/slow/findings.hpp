// slow= for one attempt: from what the agents tell to what the user reads. Pure; time is given.
//
// Somebody who is suspected is examined first. Where a link is slow, the rank that gets its data late is
// late at the next collective. So a rank that shows no reason of its own is named only once the links have
// been looked at, and not as long as one to or from its node costs as much. In turn, a link is not named
// while one of its nodes is so short of CPU time or memory that it hardly serves its connections.
#pragma once

#include "core/slow/cause.hpp"
#include "core/slow/links.hpp"
#include "core/slow/named.hpp"
#include "core/slow/tracker.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::slow {

class Findings {
 public:
  using Time = std::chrono::nanoseconds;
  using NameOf = std::function<std::string(std::size_t node)>;

  // To a node: why is your rank, or one of your ranks, slow?
  struct Question {
    std::uint32_t number = 0;
    std::size_t node = 0;
    std::optional<std::uint32_t> rank = {};

    friend bool operator==(const Question&, const Question&) = default;
  };

  explicit Findings(const Limits& limits)
      : tracker_(limits), links_({.percent = limits.percent, .warm_up = limits.warm_up}) {}

  void add(std::size_t node, const Piece& piece);
  void add(std::size_t node, const Traffic& traffic, Time now) { links_.add(node, traffic, now); }
  // A node answers only what it was asked.
  void examined(std::size_t node, std::uint32_t number, const Evidence& evidence);

  struct Result {
    std::vector<Question> questions = {};
    std::vector<Named> fresh = {};  // to tell the user, once
  };
  // Call it every few seconds.
  Result look(Time now, const NameOf& name_of);

  // The step has ended: what has been found so far, whatever is still unanswered.
  std::vector<Named> end(Time now);

  // Those that have been told to the user, as they are now.
  [[nodiscard]] std::vector<Named> named() const;

 private:
  struct Asked {
    Question question;
    Time next{0};  // when to ask again
    std::optional<Evidence> evidence = {};
  };
  // Who may be named.
  struct Suspected {
    Time since{0};
    std::vector<Asked> asked = {};
    bool told = false;

    [[nodiscard]] bool has_answers() const;
  };
  struct OfLink {
    SlowLink link;
    Named named;
    Suspected suspected = {};
  };

  void look_at_ranks(Time now, const NameOf& name_of);
  void look_at_links(Time now, const NameOf& name_of);
  void decide(Time now, bool ends, std::vector<Named>& fresh);
  // Whether a slow link makes this rank late.
  [[nodiscard]] bool is_explained(std::size_t index) const;
  [[nodiscard]] bool may_tell(std::size_t index, Time now, bool ends) const;
  [[nodiscard]] bool may_tell(const OfLink& of, Time now) const;
  static void ask(Suspected& suspected, Time now, std::vector<Question>& questions);

  Tracker tracker_;
  Links links_;
  bool has_news_ = false;             // of the ranks
  std::vector<Suspected> ranks_;      // as in tracker_.named()
  std::vector<OfLink> named_links_;   // those that were slow once
  std::vector<SlowLink> slow_links_;  // at present, by the weaker rule
  std::optional<Time> looked_;        // at the links
};

}  // namespace muster::slow
