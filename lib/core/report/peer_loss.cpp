#include "core/report/peer_loss.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace muster::report {
namespace {

// All in lower case.
constexpr std::array peer_words{
    // sockets of any library
    std::string_view("connection closed by peer"), std::string_view("connection reset by"),
    std::string_view("connection refused"), std::string_view("broken pipe"),
    std::string_view("connectionreseterror"), std::string_view("connection was likely closed"),
    std::string_view("no route to host"), std::string_view("socket closed"),
    // gloo
    std::string_view("application timeout caused pair closure"),
    std::string_view("timed out waiting"),
    // NCCL
    std::string_view("ncclremoteerror"), std::string_view("ncclsystemerror"),
    std::string_view("remote process exited"), std::string_view("nccl communicator was aborted"),
    std::string_view("nccl communicator encountered error"),
    std::string_view("watchdog caught collective operation timeout"),
    std::string_view("process group watchdog thread terminated"),
    // torch: process groups and the store
    std::string_view("distbackenderror"), std::string_view("distnetworkerror"),
    std::string_view("diststoreerror"), std::string_view("failed to recv, got 0 bytes"),
    std::string_view("remote server shutdown or crash"), std::string_view("socket timeout"),
    std::string_view("rendezvousclosederror"),
    // PMIx, MPI, UCX
    std::string_view("lost-connection"), std::string_view("pmix_err_lost_connection"),
    std::string_view("pmix_err_proc_aborted"), std::string_view("proc-aborted"),
    std::string_view("mpi_err_proc_failed"), std::string_view("endpoint timeout"),
    // JAX's coordination service
    std::string_view("heartbeat timeout"), std::string_view("barrier timed out"),
    // muster's library
    std::string_view("peererror"), std::string_view("muster_err_peer")};

// Messages that look like the loss of a peer, but are the rank's own mistake.
constexpr std::array own_words{
    std::string_view("ncclinvalidusage"), std::string_view("ncclinvalidargument"),
    std::string_view("ncclunhandledcudaerror"), std::string_view("duplicate gpu detected")};

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return lower;
}

bool has_one_of(std::string_view text, const auto& words) {
  return std::ranges::any_of(
      words, [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Newer torch begins each line of a traceback with "[rank3]: ".
std::string_view without_rank(std::string_view line) {
  constexpr std::string_view begin = "[rank";
  if (!line.starts_with(begin)) return line;
  const auto end = line.find("]: ");
  return end == std::string_view::npos ? line : line.substr(end + 3);
}

// "RuntimeError: boom", as Python's interpreter ends a traceback.
bool names_exception(std::string_view line) {
  line = without_rank(line);
  const auto type = line.substr(0, line.find(':'));
  const auto in_name = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '.';
  };
  return std::ranges::all_of(type, in_name) &&
         (type.ends_with("Error") || type.ends_with("Exception") || type.ends_with("Timeout"));
}

// The last exception in the lines; empty if there is none.
std::string_view last_exception(const std::vector<std::string>& lines) {
  const auto last = std::find_if(lines.rbegin(), lines.rend(),
                                 [](const std::string& line) { return names_exception(line); });
  return last == lines.rend() ? std::string_view() : without_rank(*last);
}

bool lines_blame_peer(const std::vector<std::string>& lines) {
  if (const auto last = last_exception(lines); !last.empty()) return blames_peer(last);
  return std::ranges::any_of(lines, [](const std::string& line) { return blames_peer(line); });
}

}  // namespace

bool blames_peer(std::string_view text) {
  const auto lower = in_lower_case(text.substr(0, max_message_bytes));
  return has_one_of(lower, peer_words) && !has_one_of(lower, own_words);
}

bool lost_peer(const RankEnd& end) {
  if (end.exception && !end.exception->of_signal) return blames_peer(end.exception->message);
  if (end.blamed_peer) return true;
  return !end.last_lines_shared && lines_blame_peer(end.last_lines);
}

std::string_view named_exception(const RankEnd& end) {
  return end.last_lines_shared ? std::string_view() : last_exception(end.last_lines);
}

bool says_why(const RankEnd& end) {
  if (end.exception && !end.exception->of_signal) return !blames_peer(end.exception->message);
  const auto last = named_exception(end);
  return !last.empty() && !blames_peer(last);
}

}  // namespace muster::report
