#include "worker/pmix/session.hpp"

#include "worker/error.hpp"
#include "worker/pmix/bounded.hpp"
#include "worker/pmix/nodes.hpp"
#include "worker/pmix/status_text.hpp"
#include "worker/rank_info.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <sys/mman.h>
#include <unistd.h>

namespace muster::worker::pmix {
namespace {

// The name is normally already in this process; a message waits for it no longer than this.
constexpr std::chrono::milliseconds name_timeout{500};
constexpr std::chrono::milliseconds leave_timeout{2500};

// Enlarges the heap of the thread that will call PMIx_Init. glibc lets the heap of every thread but the
// first grow page by page, with a system call and a page fault each, and PMIx_Init allocates half a
// megabyte in small pieces. Without glibc this does no harm.
class WarmHeap {
 public:
  WarmHeap() {
    for (auto& block : blocks_) {
      block = std::malloc(block_bytes);
      populate(block);
    }
    // The last block keeps the memory of the others from being returned to the kernel.
    for (std::size_t i = 0; i + 1 < blocks_.size(); ++i) std::free(blocks_[i]);
  }
  WarmHeap(const WarmHeap&) = delete;
  WarmHeap& operator=(const WarmHeap&) = delete;
  ~WarmHeap() { std::free(blocks_.back()); }

 private:
  static constexpr std::size_t block_bytes = 64 * 1024;  // malloc() uses mmap() for larger blocks

  static void populate([[maybe_unused]] void* block) {
#ifdef MADV_POPULATE_WRITE
    // A page may have 64 KiB (arm64), which is as large as the block.
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(block) / page * page;
    // Older kernels refuse this: then there are page faults.
    if (block != nullptr) {
      ::madvise(reinterpret_cast<void*>(begin), std::max<std::size_t>(block_bytes, page),
                MADV_POPULATE_WRITE);
    }
#endif
  }

  std::array<void*, 9> blocks_{};
};

// PMIx_Init waits for slurmstepd without a time limit.
Process join(const PmixApi& api, const Environment& environment, const Deadline& deadline) {
  const auto me = std::make_shared<Process>();
  const auto status = run_bounded(
      [&api, me] {
        const WarmHeap warm;
        return api.init(me.get(), nullptr, 0);
      },
      deadline);
  if (!status) {
    throw Error{MUSTER_ERR_TIMEOUT,
                "PMIx_Init of " + api.path + " got no answer from " +
                    std::string{environment.get("PMIX_SERVER_URI2")} + " within " +
                    deadline.elapsed() +
                    ": slurmstepd on this node is stopped or very busy; check the node"};
  }
  if (*status != status::success) {
    throw Error{MUSTER_ERR_TRANSPORT, init_status_text(api, *status)};
  }
  return *me;
}

[[noreturn]] void unknown_key(const PmixApi& api, std::string_view key, const Found& found) {
  throw Error{MUSTER_ERR_TRANSPORT,
              "PMIx did not provide " + std::string{key} + ": " +
                  (found.answered ? status_text(api, found.status) : "no answer in time") +
                  "; is this a Slurm step (srun --mpi=pmix)?"};
}

std::string in_text(const Found& found) {
  return {reinterpret_cast<const char*>(found.bytes.data()), found.bytes.size()};
}

std::string needed_text(const PmixApi& api, std::string_view key, const Found& found) {
  if (!found.here() || found.bytes.empty()) unknown_key(api, key, found);
  return in_text(found);
}

int size_in(const PmixApi& api, const Found& found, int procid) {
  if (!found.here()) unknown_key(api, key::job_size, found);
  if (found.number == 0 || found.number > max_size || procid >= static_cast<int>(found.number)) {
    throw Error{MUSTER_ERR_ENVIRONMENT, "PMIx says that this is rank " + std::to_string(procid) +
                                            " of " + std::to_string(found.number) +
                                            ": a step has 1 to " + std::to_string(max_size) +
                                            " ranks, counted from 0"};
  }
  return static_cast<int>(found.number);
}

std::vector<int> numbers(const std::string& list) {
  std::vector<int> result;
  for (const auto& part : split(list)) {
    int number = -1;
    std::from_chars(part.data(), part.data() + part.size(), number);
    if (number >= 0) result.push_back(number);
  }
  std::sort(result.begin(), result.end());
  return result;
}

// SLURM_PROCID is inherited if a program started this one within its own task.
void check_procid(const Environment& environment, const Local& local) {
  const auto procid = environment.number("SLURM_PROCID", max_size);
  if (!procid || *procid == local.procid) return;
  throw Error{MUSTER_ERR_ENVIRONMENT,
              "PMIx calls this process rank " + std::to_string(local.procid) +
                  ", but SLURM_PROCID is " + std::to_string(*procid) +
                  ": one of them was inherited from another step; start this program with srun"};
}

}  // namespace

Session::Session(const PmixApi& api, const Environment& environment, const Deadline& deadline)
    : api_(api) {
  const auto me = join(api, environment, deadline);
  joined_ = true;
  try {
    local_.nspace.assign(me.nspace, ::strnlen(me.nspace, max_namespace));
    local_.procid = static_cast<int>(me.rank);
    learn(environment, deadline);
    check_procid(environment, local_);
  } catch (...) {
    leave(Deadline{leave_timeout});
    throw;
  }
}

Session::~Session() {
  if (joined_) leave(Deadline{leave_timeout});
}

Process Session::process(int procid) const {
  Process process{};
  std::memcpy(process.nspace, local_.nspace.data(), local_.nspace.size());
  process.rank = static_cast<Rank>(procid);
  return process;
}

void Session::learn(const Environment& environment, const Deadline& deadline) {
  auto all = process(0);
  all.rank = every_rank;
  const std::array questions{
      Question{key::job_size, all, Reach::node}, Question{key::local_peers, all, Reach::node},
      Question{key::node_list, all, Reach::node}, Question{key::hostname, me(), Reach::node}};
  const auto found = look_up(api_, questions, deadline);
  const auto& host = found[3];
  local_.size = size_in(api_, found[0], local_.procid);
  local_.ranks = numbers(needed_text(api_, key::local_peers, found[1]));
  // PMIx 4.2 no longer knows everything when a process joins a second time.
  const auto nodes = environment.number("SLURM_STEP_NUM_NODES", max_size);
  local_.node_list = nodes && !found[2].here() ? "" : needed_text(api_, key::node_list, found[2]);
  local_.node = host.here() ? in_text(host) : std::string{environment.get("SLURMD_NODENAME")};
  local_.nodes =
      local_.node_list.empty()
          ? *nodes
          : 1 + static_cast<int>(std::count(local_.node_list.begin(), local_.node_list.end(), ','));
  if (!std::binary_search(local_.ranks.begin(), local_.ranks.end(), local_.procid)) {
    throw Error{MUSTER_ERR_TRANSPORT,
                "PMIx does not list rank " + std::to_string(local_.procid) +
                    " on its own node: a bug in Slurm's PMIx plugin; set MUSTER_TRANSPORT=tcp"};
  }
}

std::vector<std::string> Session::nodes_of(std::span<const int> procids) const {
  std::vector<Question> questions;
  questions.reserve(procids.size());
  for (const int procid : procids) {
    questions.push_back({key::hostname, process(procid), Reach::process});
  }
  const auto found = look_up(api_, questions, Deadline{name_timeout});
  std::vector<std::string> nodes(procids.size());
  for (std::size_t i = 0; i < procids.size(); ++i) {
    const bool here = std::binary_search(local_.ranks.begin(), local_.ranks.end(), procids[i]);
    if (here)
      nodes[i] = local_.node;
    else if (found[i].here())
      nodes[i] = in_text(found[i]);
  }
  return nodes;
}

void Session::leave(const Deadline& deadline) {
  joined_ = false;
  const auto status = run_bounded([&api = api_] { return api.finalize(nullptr, 0); }, deadline);
  if (!status) return;  // libpmix gives up by itself; by then no caller can be notified
}

}  // namespace muster::worker::pmix
