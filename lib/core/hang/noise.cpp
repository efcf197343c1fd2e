#include "core/hang/noise.hpp"

#include <cstdlib>
#include <optional>

namespace muster::hang {
namespace {

using status::Counts;
using status::Traffic;
using std::chrono::milliseconds;

constexpr std::int64_t usual_network = 32 << 10;
constexpr std::int64_t network_of_rank = 1024;  // for answers to its questions, acknowledged
constexpr std::int64_t usual_files = 16 << 10;
constexpr std::int64_t files_of_rank = 512;
constexpr std::int64_t busy_ms = 100;  // per second, of one CPU

// If a counter falls, a process or a device is gone, which counts as a change.
std::int64_t change(std::int64_t before, std::int64_t now) {
  return std::abs(now - before);
}

std::int64_t change(const std::optional<Traffic>& before, const std::optional<Traffic>& now) {
  if (!before || !now) return 0;
  return change(before->in, now->in) + change(before->out, now->out);
}

bool is_above(std::int64_t bytes, std::int64_t a_second, milliseconds time) {
  const std::chrono::duration<double> seconds = time;
  return static_cast<double>(bytes) > static_cast<double>(a_second) * seconds.count();
}

bool has_printed(const Counts& before, const Counts& now) {
  const auto bytes = [](const Counts& counts) { return counts.output ? counts.output->bytes : 0; };
  return bytes(before) != bytes(now);
}

// A busy compiler or a new process means that work is being done.
bool works(const Counts& before, const Counts& now, milliseconds time) {
  if (!before.signs || !now.signs) return false;
  const auto& old = *before.signs;
  return old.output != now.signs->output || old.newest_process < now.signs->newest_process ||
         is_above(change(old.compilers_ms, now.signs->compilers_ms), busy_ms, time);
}

bool uses_storage(const Counts& before, const Counts& now, const Noise& noise, milliseconds time) {
  return before.signs && now.signs &&
         is_above(change(before.signs->storage, now.signs->storage), noise.files, time);
}

}  // namespace

Noise noise(std::uint32_t ranks_of_step) {
  return {.network = usual_network + network_of_rank * ranks_of_step,
          .files = usual_files + files_of_rank * ranks_of_step};
}

bool moves_despite_dump(const Counts& before, const Counts& now) {
  return has_printed(before, now) || works(before, now, now.time - before.time);
}

bool moves(const Counts& before, const Counts& now, std::uint32_t ranks_of_step) {
  const auto time = now.time - before.time;
  const auto limits = noise(ranks_of_step);
  return moves_despite_dump(before, now) || uses_storage(before, now, limits, time) ||
         is_above(change(before.network, now.network), limits.network, time) ||
         is_above(change(before.rdma, now.rdma), limits.network, time) ||
         is_above(change(before.files, now.files), limits.files, time);
}

}  // namespace muster::hang
