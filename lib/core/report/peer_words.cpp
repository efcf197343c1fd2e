#include "core/report/peer_words.hpp"

#include "core/report/record.hpp"
#include "core/text/lower_case.hpp"

#include <algorithm>
#include <array>

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
    std::string_view("watchdog thread terminated with exception"),
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

// NCCL results that blame the rank itself.
constexpr std::array own_results{
    std::string_view("ncclinvalidusage"), std::string_view("ncclinvalidargument"),
    std::string_view("ncclunhandledcudaerror"), std::string_view("duplicate gpu detected")};

// What torch and NCCL wrap in the same exceptions as the loss of a peer. "Error while attaching to shared
// memory segment" and "Call to ibv_modify_qp failed" are not here, because both may mean that the other side
// is gone.
constexpr std::array own_troubles{
    // the GPU
    std::string_view("cuda error"), std::string_view("cuda failure"),
    std::string_view(" hip error:"), std::string_view("hip failure"),
    std::string_view("uncorrectable ecc"),
    // a port that is taken
    std::string_view("address already in use"), std::string_view("eaddrinuse"),
    std::string_view("failed to listen"),
    // a resource that is used up
    std::string_view("creating shared memory segment"), std::string_view("no space left on device"),
    std::string_view("cannot allocate memory"), std::string_view("too many open files"),
    // the NIC
    std::string_view("call to ibv_reg_"), std::string_view("call to ibv_create_"),
    std::string_view("call to ibv_open_")};

// With one of these, the message may be a victim's, whatever else it says: a dead peer can make a kernel run
// into the driver's time limit and disturb NVLink, and a victim's driver shuts down while the victim exits.
constexpr std::array victims_words{std::string_view("ncclremoteerror"),
                                   std::string_view("remote process exited"),
                                   std::string_view("operation timeout"),
                                   std::string_view("connection closed by"),
                                   std::string_view("connection reset by"),
                                   std::string_view("connection refused"),
                                   std::string_view("nvlink"),
                                   std::string_view("launch timed out"),
                                   std::string_view("driver shutting down"),
                                   std::string_view("context is destroyed")};

bool has_one_of(std::string_view text, const auto& words) {
  return std::ranges::any_of(
      words, [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

Blame blame_in(std::string_view text) {
  const auto lower = text::in_lower_case(text.substr(0, max_message_bytes));
  if (!has_one_of(lower, peer_words)) return Blame::nobody;
  if (has_one_of(lower, own_results)) return Blame::self;
  const bool is_own = has_one_of(lower, own_troubles) && !has_one_of(lower, victims_words);
  return is_own ? Blame::self : Blame::peer;
}

bool blames_peer(std::string_view text) {
  return blame_in(text) == Blame::peer;
}

}  // namespace muster::report
