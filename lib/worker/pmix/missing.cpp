#include "worker/pmix/missing.hpp"

#include <algorithm>

namespace muster::worker::pmix {

std::vector<int> to_ask(const std::vector<int>& local, int size) {
  std::vector<int> ranks = local;
  const int most = std::max(most_asked, static_cast<int>(local.size()));
  for (int step = 1; step < size && static_cast<int>(ranks.size()) < most; ++step) {
    const int rank = (local.front() + step) % size;
    if (!std::binary_search(local.begin(), local.end(), rank)) ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

Search find_missing(const Session& session, const std::string& key, const std::vector<int>& ranks,
                    const Deadline& deadline) {
  const auto& local = session.local();
  std::vector<Question> questions;
  questions.reserve(ranks.size());
  for (const int rank : ranks) {
    // Of its own node's ranks the server knows at once; it would wait for one that has not come.
    const bool near = std::binary_search(local.ranks.begin(), local.ranks.end(), rank);
    questions.push_back({key, session.process(rank), near ? Reach::node : Reach::step});
  }
  const auto answers = look_up(session.api(), questions, deadline);
  Search search{.missing = {}, .unanswered = {}, .asked = static_cast<int>(ranks.size())};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!answers[i].answered)
      search.unanswered.push_back(ranks[i]);
    else if (!answers[i].here())
      search.missing.push_back(ranks[i]);
  }
  return search;
}

}  // namespace muster::worker::pmix
