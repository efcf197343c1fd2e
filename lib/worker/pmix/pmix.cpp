#include "worker/pmix/pmix.hpp"

#include "worker/error.hpp"
#include "worker/pmix/bounded.hpp"
#include "worker/pmix/fence.hpp"
#include "worker/pmix/missing.hpp"
#include "worker/pmix/numbering.hpp"
#include "worker/pmix/ranges.hpp"
#include "worker/pmix/status_text.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace muster::worker::pmix {
namespace {

// In steps of up to this many ranks, every rank looks for every record.
constexpr int small_step = 64;

// Part of a call's time, reserved to find out which ranks are missing.
std::chrono::milliseconds search_timeout(const Deadline& deadline) {
  return std::min<std::chrono::milliseconds>(deadline.left() / 4, std::chrono::seconds{2});
}

class PmixTransport final : public Transport {
 public:
  PmixTransport(const PmixApi& api, const Environment& environment, muster_numbering numbering,
                const Deadline& deadline)
      : session_(api, environment, deadline),
        numbering_(session_, environment, numbering, deadline),
        prefix_(unused_prefix(deadline)) {}

  muster_transport kind() const override { return MUSTER_TRANSPORT_PMIX; }
  const RankInfo& rank_info() const override { return numbering_.rank_info(); }
  std::vector<Bytes> exchange(const Phase& phase, std::span<const std::byte> mine,
                              std::span<const int> wanted, const Deadline& deadline) override;
  std::vector<int> local_ranks() const override { return numbering_.local_ranks(session_); }
  std::string node_of(int rank) const override;
  std::optional<Bytes> recall(int rank, const Deadline& deadline) override;
  void abort(int code, const std::string& reason, const Deadline& deadline) override;
  void finalize(const Deadline& deadline) override { session_.leave(deadline); }

 private:
  const PmixApi& api() const { return session_.api(); }
  std::string key(std::uint32_t phase) const { return prefix_ + std::to_string(phase); }
  std::string unused_prefix(const Deadline& deadline) const;
  void put(const Phase& phase, std::span<const std::byte> mine) const;
  void meet(const Phase& phase, const Deadline& deadline) const;
  [[noreturn]] void lost(const Phase& phase, const std::string& why,
                         const Deadline& deadline) const;
  [[noreturn]] void broken(const Phase& phase, Status status, const Deadline& deadline) const;
  std::string missing_in_words(const Search& search) const;
  std::string nobody_missing(const Search& search) const;
  std::string in_words(const std::vector<int>& procids) const;
  void check_node(const Phase& phase, std::span<const Found> found, const Deadline& deadline) const;
  std::vector<int> and_the_rest(std::span<const int> wanted) const;
  std::vector<Bytes> read(const Phase& phase, std::span<const int> wanted,
                          const Deadline& deadline) const;
  Bytes record_of(const Phase& phase, int rank, const Found& found, const Deadline& deadline) const;
  std::string who(int rank) const;

  Session session_;
  Numbering numbering_;
  std::string prefix_;
  std::uint32_t last_ = 0;
};

// Keys outlive the process that put them: a second handle, or a second program in the same task, must not
// read the keys of the first. All ranks find the same number, because they have all used PMIx the same number
// of times.
std::string PmixTransport::unused_prefix(const Deadline& deadline) const {
  constexpr int max_uses = 1000;
  for (int use = 1; use <= max_uses; ++use) {
    auto prefix = "muster." + std::to_string(use) + ".";
    // This is a separate query: if it is combined with those about the step, PMIx 4.2 leaves them unanswered
    // in a task's second program.
    if (!look_up(api(), {prefix + "1", session_.me(), Reach::node}, deadline).here()) return prefix;
  }
  throw Error{MUSTER_ERR_TRANSPORT,
              "this task has used PMIx " + std::to_string(max_uses) + " times: start a new step"};
}

void PmixTransport::put(const Phase& phase, std::span<const std::byte> mine) const {
  Value value{};
  value.type = type::byte_object;
  // libpmix makes a copy.
  value.data.bytes = {const_cast<char*>(reinterpret_cast<const char*>(mine.data())), mine.size()};
  auto status = api().put(global_scope, key(phase.number).c_str(), &value);
  if (status == status::success) status = api().commit();
  if (status == status::success || status == status::operation_succeeded) return;
  throw Error{MUSTER_ERR_TRANSPORT,
              phase.what + ": this rank's data cannot be published: " + status_text(api(), status)};
}

std::string PmixTransport::who(int rank) const {
  const RankAndNode one{rank, node_of(rank)};
  return ranks_in_words({&one, 1});
}

std::string PmixTransport::in_words(const std::vector<int>& procids) const {
  std::vector<RankAndNode> ranks;
  ranks.reserve(procids.size());
  const auto nodes = session_.nodes_of(procids);
  for (std::size_t i = 0; i < procids.size(); ++i) {
    const int rank = nodes[i].empty() ? procids[i] : numbering_.rank_of(procids[i], nodes[i]);
    ranks.push_back({rank, nodes[i]});
  }
  return ranks_in_words(ranks);
}

std::string PmixTransport::missing_in_words(const Search& search) const {
  std::string text = "no word from ";
  if (search.missing.empty()) {
    text += in_words(search.unanswered);
  } else {
    text += in_words(search.missing);
    if (!search.unanswered.empty()) text += ", and no answer about " + in_words(search.unanswered);
  }
  if (search.asked < rank_info().size) {
    text += " (asked about " + std::to_string(search.asked) + " of " +
            std::to_string(rank_info().size) + " ranks)";
  }
  return text;
}

std::string PmixTransport::nobody_missing(const Search& search) const {
  const auto asked = std::to_string(search.asked);
  if (search.asked < rank_info().size) {
    return (search.asked == 1 ? "the only rank that could be asked has"
                              : "the " + asked + " ranks that could be asked have") +
           " arrived: a node's slurmstepd is gone or stopped; "
           "rank " +
           std::to_string(numbering_.rank_of(session_.local().ranks.front(), rank_info().node)) +
           ", the first on this node, may say which";
  }
  return "all " + asked +
         " ranks have arrived, but PMIx has not connected them: a node, its network or its "
         "slurmstepd has stopped, or a rank died during this call";
}

// Time is up: ranks that have not arrived by now are missing.
void PmixTransport::lost(const Phase& phase, const std::string& why,
                         const Deadline& deadline) const {
  const auto& local = session_.local();
  const auto search =
      find_missing(session_, key(phase.number), to_ask(local.ranks, local.size), deadline);
  const auto missing =
      search.missing.empty() && search.unanswered.empty()
          ? nobody_missing(search)
          : missing_in_words(search) + "; check what is happening there, or allow more time";
  // Ranks that search later need this node's server, which exits with the node's last process.
  std::this_thread::sleep_until(deadline.end());
  throw Error{MUSTER_ERR_TIMEOUT,
              phase.what + ": after " + deadline.elapsed() + " " + missing + why};
}

// A rank has died, perhaps before the other ranks had to arrive. Only the dead ranks of this node are known.
void PmixTransport::broken(const Phase& phase, Status status, const Deadline& deadline) const {
  const Deadline soon{search_timeout(deadline)};
  const auto search = find_missing(session_, key(phase.number), session_.local().ranks, soon);
  const auto absent =
      search.missing.empty() ? std::string{} : "without " + in_words(search.missing) + ": ";
  throw Error{status_of(status), phase.what + ": after " + deadline.elapsed() + " " + absent +
                                     status_text(api(), status)};
}

void PmixTransport::meet(const Phase& phase, const Deadline& deadline) const {
  const auto status = fence(api(), deadline.earlier(search_timeout(deadline)));
  if (!status) lost(phase, "", deadline);
  if (*status == status::timeout) {
    lost(phase, "; " + status_text(api(), *status),
         deadline.earlier(deadline.left() - search_timeout(deadline)));
  }
  if (*status != status::success) broken(phase, *status, deadline);
}

// A fence does not wait for a rank that has died or left; it ends without that rank and reports success. So
// the ranks of each node check each other when they read. If one is missing, they all fail. The next fence
// then waits for their node until the deadline, so the rest of the step fails there.
std::vector<Bytes> PmixTransport::read(const Phase& phase, std::span<const int> wanted,
                                       const Deadline& deadline) const {
  const auto& near = session_.local().ranks;
  std::vector<Question> questions;
  std::vector<std::size_t> places;  // where the answers for the wanted ranks are
  for (const int procid : near) {
    questions.push_back({key(phase.number), session_.process(procid), Reach::node});
  }
  for (const int rank : wanted) {
    const int procid = numbering_.procid_of(rank);
    const auto found = std::lower_bound(near.begin(), near.end(), procid);
    if (found != near.end() && *found == procid) {
      places.push_back(static_cast<std::size_t>(found - near.begin()));
      continue;
    }
    places.push_back(questions.size());
    questions.push_back({key(phase.number), session_.process(procid), Reach::step});
  }
  const auto found = look_up(api(), questions, deadline);
  check_node(phase, std::span{found}.first(near.size()), deadline);
  std::vector<Bytes> records;
  records.reserve(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    records.push_back(record_of(phase, wanted[i], found[places[i]], deadline));
  }
  return records;
}

void PmixTransport::check_node(const Phase& phase, std::span<const Found> found,
                               const Deadline& deadline) const {
  const auto& ranks = session_.local().ranks;
  std::vector<int> gone;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!found[i].here()) gone.push_back(ranks[i]);
  }
  if (gone.empty()) return;
  throw Error{MUSTER_ERR_PEER, phase.what + ": after " + deadline.elapsed() + " " + in_words(gone) +
                                   " died or left without contributing anything"};
}

Bytes PmixTransport::record_of(const Phase& phase, int rank, const Found& found,
                               const Deadline& deadline) const {
  if (!found.answered) {
    throw Error{MUSTER_ERR_TIMEOUT, phase.what + ": after " + deadline.elapsed() + " the data of " +
                                        who(rank) + " has not arrived; check its node"};
  }
  if (!found.here() || found.bytes.empty()) {
    throw Error{MUSTER_ERR_PEER, phase.what + ": after " + deadline.elapsed() + " " + who(rank) +
                                     " has contributed nothing: it died or left (" +
                                     status_text(api(), found.status) + ")"};
  }
  return found.bytes;
}

// Only its own node notices a rank that died before it contributed anything, because the fence succeeds
// without it. In a small step all ranks look for all records, which takes a millisecond, so that no rank
// continues alone.
std::vector<int> PmixTransport::and_the_rest(std::span<const int> wanted) const {
  std::vector<int> ranks{wanted.begin(), wanted.end()};
  if (rank_info().size > small_step) return ranks;
  for (int rank = 0; rank < rank_info().size; ++rank) {
    const bool asked = std::find(wanted.begin(), wanted.end(), rank) != wanted.end();
    if (!asked && rank != rank_info().rank) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<Bytes> PmixTransport::exchange(const Phase& phase, std::span<const std::byte> mine,
                                           std::span<const int> wanted, const Deadline& deadline) {
  if (phase.number > pmix::max_phases(rank_info().size)) {
    throw Error{MUSTER_ERR_TRANSPORT,
                phase.what + ": this is collective call " + std::to_string(phase.number) +
                    ": PMIx never discards data, so a step of " + std::to_string(rank_info().size) +
                    (rank_info().size == 1 ? " rank" : " ranks") + " can make at most " +
                    std::to_string(pmix::max_phases(rank_info().size)) +
                    " calls; use NCCL, MPI or Gloo for frequent exchanges"};
  }
  put(phase, mine);
  meet(phase, deadline);
  last_ = phase.number;
  auto records = read(phase, and_the_rest(wanted), deadline);
  records.resize(wanted.size());
  return records;
}

std::string PmixTransport::node_of(int rank) const {
  const int procid = numbering_.procid_of(rank);
  return session_.nodes_of({&procid, 1}).front();
}

std::optional<Bytes> PmixTransport::recall(int rank, const Deadline& deadline) {
  if (last_ == 0) return std::nullopt;
  auto found = look_up(
      api(), {key(last_), session_.process(numbering_.procid_of(rank)), Reach::step}, deadline);
  if (!found.here()) return std::nullopt;
  return std::move(found.bytes);
}

void PmixTransport::abort(int code, const std::string& reason, const Deadline& deadline) {
  const auto status = run_bounded(
      [&api = api(), code, reason] { return api.abort(code, reason.c_str(), nullptr, 0); },
      deadline);
  if (status && *status == status::success) return;
  throw Error{MUSTER_ERR_TRANSPORT, "PMIx_Abort failed: " + (status ? status_text(api(), *status)
                                                                    : "no answer from slurmstepd")};
}

}  // namespace

std::uint32_t max_phases(int size) {
  // If every rank gives 256 bytes in each phase, 4 GiB are sent to each slurmstepd in total.
  constexpr double most_bytes = 4.0 * 1024 * 1024 * 1024;
  constexpr double record = 256;
  return std::max(100U, static_cast<std::uint32_t>(std::sqrt(2 * most_bytes / record / size)));
}

std::unique_ptr<Transport> make_transport(const PmixApi& api, const Environment& environment,
                                          muster_numbering numbering, const Deadline& deadline) {
  return std::make_unique<PmixTransport>(api, environment, numbering, deadline);
}

std::unique_ptr<Transport> make_pmix_transport(const Environment& environment,
                                               muster_numbering numbering,
                                               const Deadline& deadline) {
  return make_transport(open_api(environment), environment, numbering, deadline);
}

}  // namespace muster::worker::pmix
