// What the nodes of a step have sent to the supervisor, and which nodes are waiting for it: the questions of
// the control channel and their answers. Knows nothing about sockets.
//
//   question   asked by                         the answer
//   host       rank 0's node, with the text     sent only when a node has failed: "tell" or
//              of where it can be reached       "told", and a line with the failure
//   where      a node that looks for it         that text, as soon as there is one
//   trouble    a node that cannot continue      "tell" the user, or "told" already
//   plan       every node, with its plan        "" when all plans have arrived, or why they
//                                               were refused
//   share      every node, with a text          all nodes' texts, one line each, when all have
//                                               arrived
//   notice     any node, with lines for the     "": they have been accepted
//              user, while the step runs
//
// A new question is a new row in questions.cpp. The names predate the terms leader and failure.
#pragma once

#include "core/layout/ids.hpp"
#include "core/record/limits.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::channel {

inline constexpr std::string_view tell = "tell";
inline constexpr std::string_view told = "told";
inline constexpr std::size_t max_plan_bytes = std::size_t{16} << 20;
inline constexpr std::size_t max_shared_bytes = 4096;  // from one node
inline constexpr std::size_t max_notice_bytes = 4096;  // from one check of a node
inline constexpr std::size_t max_plan_bytes_of_step = std::size_t{256} << 20;

// Announces a question: the first message of a node that has proved the key.
struct Ask {
  layout::NodeIndex node = 0;
  std::uint32_t nodes = 0;
  std::chrono::milliseconds timeout{0};  // for the answer
  std::size_t bytes = 0;                 // of the text that follows
  std::string question = {};
};
template <class Io>
void fields(Io& io, Ask& ask) {
  io(ask.node)(ask.nodes)(ask.timeout, record::Clamp{ask.timeout.zero(), std::chrono::hours(24)});
  io(ask.bytes)(ask.question, record::Max{64});
}

struct Question {
  std::string name;
  layout::NodeIndex node = 0;  // the node that asks
  std::uint32_t nodes = 0;     // nodes that have tasks in the step
  std::string text;
};

class Questions {
 public:
  // Passes the answer to the node that asked; false if that node is no longer there.
  using Reply = std::function<bool(const std::string&)>;
  // Receives the texts of all nodes in the order of the layout, once.
  using TakePlans = std::function<void(std::vector<std::string>)>;

  // Receives a node's lines for the user; may be called many times.
  using TakeNotice = std::function<void(const std::string&)>;

  explicit Questions(TakePlans take_plans, TakeNotice take_notice = {})
      : take_plans_(std::move(take_plans)), take_notice_(std::move(take_notice)) {}

  enum class Text : std::uint8_t {
    refused,    // the question is unknown, or the text longer than allowed
    discarded,  // one too many: not stored, but the node that asked is told
    wanted,
  };

  // Decides whether to accept a text of this size before it arrives, and counts it against the step's
  // limit.
  Text admit(std::string_view question, std::size_t bytes);

  // Replies immediately, later, or never.
  void ask(Question question, Reply reply);

 private:
  struct Kind;
  static const Kind* find(std::string_view question);

  void leader(Question question, Reply reply);
  void where(Question question, Reply reply);
  void failure(Question question, Reply reply);
  void plan(Question question, Reply reply);
  void share(Question question, Reply reply);
  void notice(Question question, Reply reply);

  TakePlans take_plans_;
  TakeNotice take_notice_;
  std::optional<std::string> leader_text_;
  Reply leader_reply_;
  std::vector<Reply> seekers_;
  std::optional<std::string> failure_;
  std::map<layout::NodeIndex, std::string> plans_;
  std::vector<Reply> planners_;
  std::map<layout::NodeIndex, std::string> shared_;
  std::vector<Reply> sharers_;
  std::size_t plan_bytes_ = 0;
  bool plans_refused_ = false;
};

}  // namespace muster::channel
