#include "worker/pmix/missing.hpp"

#include <algorithm>
#include <map>
#include <thread>

namespace muster::worker::pmix {

std::vector<int> to_ask(const std::vector<int>& local, int size) {
  std::vector<int> ranks = local;
  const int most = std::max(max_asked, static_cast<int>(local.size()));
  for (int step = 1; step < size && static_cast<int>(ranks.size()) < most; ++step) {
    const int rank = (local.front() + step) % size;
    if (!std::binary_search(local.begin(), local.end(), rank)) ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

namespace {

using std::chrono::milliseconds;

// A live node answers within 20 ms (measured with 8 to 64 ranks).
constexpr milliseconds answer_timeout{250};

class Searcher {
 public:
  Searcher(const Session& session, std::string key, const Deadline& deadline)
      : session_(session), key_(std::move(key)), deadline_(deadline) {}

  void ask(const std::vector<int>& ranks, Reach reach) {
    std::vector<Question> questions;
    questions.reserve(ranks.size());
    for (const int rank : ranks) questions.push_back({key_, session_.process(rank), reach});
    const auto answers = look_up(session_.api(), questions, deadline_);
    for (std::size_t i = 0; i < ranks.size(); ++i) note(ranks[i], answers[i]);
  }

  // False if the node is gone; no more ranks are then asked.
  bool ask_first(int rank) {
    const auto answer = look_up(session_.api(), {key_, session_.process(rank), Reach::step},
                                Deadline{std::min(answer_timeout, deadline_.left())});
    note(rank, answer);
    return answer.answered || server_answers();
  }

  // The remaining ranks of a node that is gone.
  void give_up(std::span<const int> ranks) {
    search_.asked += static_cast<int>(ranks.size());
    search_.unanswered.insert(search_.unanswered.end(), ranks.begin(), ranks.end());
  }

  // Asks a rank of this node for a key that does not exist.
  bool server_answers() const {
    const auto& ranks = session_.local().ranks;
    const bool first = ranks.front() == session_.local().procid;
    const auto peer = session_.process(first ? ranks.back() : ranks.front());
    return look_up(session_.api(), {key_ + ".probe", peer, Reach::node},
                   Deadline{std::min(answer_timeout, deadline_.left())})
        .answered;
  }

  Search result() && {
    std::sort(search_.missing.begin(), search_.missing.end());
    std::sort(search_.unanswered.begin(), search_.unanswered.end());
    return std::move(search_);
  }

 private:
  void note(int rank, const Found& answer) {
    ++search_.asked;
    if (!answer.answered) search_.unanswered.push_back(rank);
    if (answer.answered && !answer.here()) search_.missing.push_back(rank);
  }

  const Session& session_;
  std::string key_;
  const Deadline& deadline_;
  Search search_;
};

// Groups ranks by node. Ranks of the same node are consecutive; nodes are in the order of their first rank.
std::vector<std::vector<int>> by_node(const Session& session, const std::vector<int>& ranks) {
  const auto nodes = session.nodes_of(ranks);
  std::map<std::string, std::size_t> places;
  std::vector<std::vector<int>> result;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(nodes[i], result.size());
    if (is_new) result.emplace_back();
    result[place->second].push_back(ranks[i]);
  }
  return result;
}

void ask_other_nodes(Searcher& searcher, const std::vector<std::vector<int>>& nodes,
                     const Deadline& deadline) {
  std::vector<int> rest;
  for (const auto& node : nodes) {
    if (deadline.passed()) break;
    const std::span others{node.begin() + 1, node.end()};
    if (!searcher.ask_first(node.front())) {
      searcher.give_up(others);
      break;
    }
    rest.insert(rest.end(), others.begin(), others.end());
  }
  searcher.ask(rest, Reach::step);
}

}  // namespace

Search find_missing(const Session& session, const std::string& key, const std::vector<int>& ranks,
                    const Deadline& deadline) {
  const auto& local = session.local();
  std::vector<int> near;
  std::vector<int> far;
  for (const int rank : ranks) {
    const bool here = std::binary_search(local.ranks.begin(), local.ranks.end(), rank);
    (here ? near : far).push_back(rank);
  }
  Searcher searcher{session, key, deadline};
  // The server knows the ranks on its own node immediately.
  searcher.ask(near, Reach::node);
  if (far.empty()) return std::move(searcher).result();

  if (local.procid != local.ranks.front()) {
    std::this_thread::sleep_for(deadline.left() / 2);
    if (!searcher.server_answers()) return std::move(searcher).result();
  }
  ask_other_nodes(searcher, by_node(session, far), deadline);
  return std::move(searcher).result();
}

}  // namespace muster::worker::pmix
