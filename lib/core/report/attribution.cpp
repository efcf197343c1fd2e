#include "core/report/attribution.hpp"

#include "core/contains.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/moments.hpp"
#include "core/report/peer_loss.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <iterator>
#include <optional>
#include <utility>

namespace muster::report {
namespace {

// How much earlier than a rank's own end the ends of its peers may be seen. A crashed or killed process
// closes its sockets just before it is gone, and a busy node delays what follows. A crash can also be a
// consequence (of a library's teardown), so it gets a shorter allowance.
constexpr std::chrono::milliseconds lead_before_crash{100};
constexpr std::chrono::seconds lead_before_kill{1};

Testimony testimony_of_signal(int signal) {
  switch (signal) {
    case SIGABRT:
    case SIGPIPE:
      return Testimony::nothing;
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
      return Testimony::crashed;
    default:
      return Testimony::killed;
  }
}

// Exit codes other than 1 of healthy ranks that have lost a peer.
bool is_code_of_lost_peers(int code) {
  constexpr std::array codes{
      2,    // a panic in Go
      3,    // NVIDIA's nccl-tests
      15,   // MPICH's default error handler: MPI_ERR_OTHER
      16,   // Open MPI's: MPI_ERR_OTHER
      17,   // Open MPI's: MPI_ERR_INTERN
      75,   // EX_TEMPFAIL: programs that want to be restarted
      101,  // a panic in Rust
  };
  constexpr int first_echo = 128;  // 128 + a signal, or a negative number
  return code >= first_echo || contains(codes, code);
}

// The failed ranks that may be the first: none of them blames a peer, and they ended close enough together to
// have the same reason.
std::vector<std::size_t> possible_firsts(std::span<const FailedRank> failed) {
  const Moment end = later_by(failed.front().time, teardown_time);
  std::vector<std::size_t> possible;
  for (std::size_t i = 0; i < failed.size(); ++i) {
    if (failed[i].lost_peer || surely_before(end, failed[i].time)) continue;
    possible.push_back(i);
  }
  return possible;
}

class Evidence {
 public:
  Evidence(std::span<const FailedRank> failed, const OtherRanks& others)
      : failed_(failed), others_(others), possible_(possible_firsts(failed)) {}

  [[nodiscard]] Attribution attribution() const {
    if (possible_.empty()) return all_lost_a_peer();
    const auto earliest = possible_.front();
    const auto testimony = testimony_of(failed_[earliest].end);
    const bool silent = testimony == Testimony::nothing || testimony == Testimony::own_code;
    if (!silent) return {earliest};
    if (const auto stronger = stronger_than(earliest)) return {*stronger};
    const auto odd = only(Testimony::own_code);
    if (odd && (count(Testimony::nothing) != 1 || *odd == earliest)) return {*odd};
    if (possible_.size() == 1 && is_unlike_victims(earliest)) return {earliest};
    return uncertain(odd.value_or(earliest));
  }

 private:
  [[nodiscard]] std::size_t count(Testimony wanted) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        possible_, [&](std::size_t index) { return testimony_of(failed_[index].end) == wanted; }));
  }

  // The only rank with an exit code of its own, if no rank has given a reason.
  [[nodiscard]] std::optional<std::size_t> only(Testimony wanted) const {
    if (count(wanted) != 1 || count(Testimony::says_why) != 0) return std::nullopt;
    return *std::ranges::find_if(
        possible_, [&](std::size_t index) { return testimony_of(failed_[index].end) == wanted; });
  }

  // A rank that was killed or crashed a moment after ranks that left no reason.
  [[nodiscard]] std::optional<std::size_t> stronger_than(std::size_t earliest) const {
    const auto within = [&](std::size_t index, auto lead) {
      return between(failed_[earliest].time, failed_[index].time) <= lead;
    };
    const auto killed = only(Testimony::killed);
    if (killed && within(*killed, lead_before_kill)) return killed;
    for (const auto index : possible_) {
      if (!within(index, lead_before_crash)) return std::nullopt;
      if (testimony_of(failed_[index].end) == Testimony::crashed) return index;
    }
    return std::nullopt;
  }

  // No other rank failed for a reason of its own: either none failed, or all that did say that they lost a
  // peer, which this one does not say.
  [[nodiscard]] bool is_unlike_victims(std::size_t index) const {
    if (others_.left > 0) return false;
    return others_.ended == 0 || (failed_.size() > 1 && index == 0);
  }

  [[nodiscard]] Attribution uncertain(std::size_t likeliest) const {
    std::vector<std::size_t> suspects{likeliest};
    std::ranges::copy_if(possible_, std::back_inserter(suspects),
                         [likeliest](std::size_t index) { return index != likeliest; });
    return {likeliest, false, std::move(suspects), has_others()};
  }

  [[nodiscard]] bool has_others() const { return others_.ended + others_.left > 0; }

  // The rank that they lost did not fail by itself, or did not say so.
  [[nodiscard]] Attribution all_lost_a_peer() const { return {0, false, {}, has_others()}; }

  std::span<const FailedRank> failed_;
  OtherRanks others_;
  std::vector<std::size_t> possible_;
};

}  // namespace

Testimony testimony_of(const RankEnd& end) {
  if (lost_peer(end)) return Testimony::blames_peer;
  if (end.out_of_memory) return Testimony::killed;
  if (says_why(end)) return Testimony::says_why;
  if (end.wait_status == unknown_status) return Testimony::nothing;
  const auto own = end_signal(end.wait_status);
  if (const auto signal = own ? own : signal_behind(shell_code(end.wait_status))) {
    return testimony_of_signal(*signal);
  }
  return exit_code(end.wait_status) == 1 ? Testimony::nothing : Testimony::own_code;
}

std::chrono::milliseconds ending_delay(const RankEnd& end, bool is_first) {
  constexpr std::chrono::milliseconds none{0};
  switch (testimony_of(end)) {
    case Testimony::says_why:
    case Testimony::crashed:
      return none;
    case Testimony::killed:
      // Slurm, or the user by Slurm, may have sent it to all ranks, and those on the other nodes are about to
      // report the same. muster's own signals are not meant here.
      return end.out_of_memory ? none : outside_signals_spread;
    case Testimony::own_code:
      // After another failure this is proof only if several more ranks end in the same way.
      return is_first && !is_code_of_lost_peers(shell_code(end.wait_status)) ? none : peers_lead;
    default:
      return peers_lead;
  }
}

Attribution attribute(std::span<const FailedRank> failed, const OtherRanks& others) {
  return Evidence(failed, others).attribution();
}

}  // namespace muster::report
