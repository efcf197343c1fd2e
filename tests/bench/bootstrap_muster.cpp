// One rank that distributes NCCL's ids with libmuster, as bootstrap_bare.cpp does it by hand.
//
//   bootstrap_muster GATE RANKS_PER_ROOT init|exec|ids|look     one rank of a step with --mpi=pmix
//
// The measured time begins before muster_init(), after it, or before the program is loaded, and
// ends with all ids available. `look` reports threads and heap instead. The libnccl
// (MUSTER_NCCL_LIBRARY) is opened before the measured time.
#include "bootstrap_gate.hpp"
#include "bootstrap_look.hpp"
#include "muster/muster.h"

#include <vector>

namespace {

constexpr int patience_ms = 100'000;

void check(int status) {
  if (status != MUSTER_OK) bootstrap::fail(muster_last_error());
}

muster_t* join() {
  muster_options options = MUSTER_OPTIONS;
  options.timeout_ms = patience_ms;
  muster_t* step = nullptr;
  check(muster_init(&step, &options));
  if (muster_size(step) != std::stoi(std::getenv("SLURM_NTASKS"))) bootstrap::fail("it is alone");
  return step;
}

std::vector<char> exchange_ids(muster_t* step, int ranks_per_root) {
  muster_nccl_options options = MUSTER_NCCL_OPTIONS;
  options.ranks_per_root = ranks_per_root;
  options.flags = MUSTER_NCCL_IDS_ONLY;
  const auto roots = (muster_size(step) + ranks_per_root - 1) / ranks_per_root;
  std::vector<char> ids(static_cast<std::size_t>(roots) * MUSTER_NCCL_ID_BYTES);
  std::size_t count = 0;
  check(muster_nccl_ids(step, &options, ids.data(), static_cast<std::size_t>(roots), &count));
  if (count != static_cast<std::size_t>(roots)) bootstrap::fail("not as many ids as roots");
  return ids;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) bootstrap::fail("usage: bootstrap_muster GATE RANKS_PER_ROOT init|exec|ids|look");
  const std::string what = argv[3];
  int version = 0;
  check(muster_nccl_version(&version));
  bootstrap::Gate gate(argv[1]);
  bootstrap::Look look(what == "look");
  auto begin = what != "ids" ? gate.enter(what, argv) : 0;
  auto* step = join();
  look.note("after init");
  if (what == "ids") begin = gate.enter();
  const auto ids = exchange_ids(step, std::stoi(argv[2]));
  const auto end = bootstrap::nanoseconds();
  look.note("after ids");
  if (what == "look") {
    check(muster_finalize(&step, MUSTER_DEFAULT));
    look.note("after finalize");
  }
  gate.leave(begin, end, ", \"nccl\": " + std::to_string(version) + look.text());
  check(muster_finalize(&step, MUSTER_DEFAULT));
  return 0;
}
