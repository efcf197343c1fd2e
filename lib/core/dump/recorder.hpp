// Which collective a rank has reached in each of its process groups, as counted there by torch's flight
// recorder. The answer comes from the user's program, so it is read within bounds.
#pragma once

#include "core/dump/line.hpp"
#include "core/record/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::dump {

inline constexpr std::uint32_t max_recorder_rank = (1U << 20) - 1;
inline constexpr std::size_t max_progress_groups = 16;
inline constexpr std::size_t max_progress_bytes = 64;  // per text
inline constexpr std::size_t max_progress_ranks_bytes = 256;
inline constexpr std::size_t max_recorder_bytes = std::size_t{32} << 10;

// Counts a group's collectives from 1; 0: none yet.
struct GroupProgress {
  std::string group;       // torch's name for the group, the same on all ranks
  std::string text = {};   // the program's name for it
  std::string backend;     // "gloo", "nccl"
  std::string ranks = {};  // "0-7"; empty: unknown
  std::uint64_t enqueued = 0;
  std::uint64_t started = 0;  // if the backend reports it
  std::uint64_t completed = 0;
  std::string operation = {};  // of the collective that was enqueued last; empty: unknown
  bool moves = false;          // made progress between two looks

  friend bool operator==(const GroupProgress&, const GroupProgress&) = default;
};
template <class Io>
void fields(Io& io, GroupProgress& progress) {
  for (auto* const text : {&progress.group, &progress.text, &progress.backend, &progress.operation})
    line_field(io, *text, max_progress_bytes);
  line_field(io, progress.ranks, max_progress_ranks_bytes);
  io(progress.enqueued)(progress.started)(progress.completed)(progress.moves);
}

struct Recorder {
  std::optional<std::uint32_t> rank = {};  // torch's
  std::string nccl = {};                   // NCCL's version, "2.29.2"; empty: no NCCL
  std::vector<GroupProgress> groups = {};

  friend bool operator==(const Recorder&, const Recorder&) = default;
};
template <class Io>
void fields(Io& io, Recorder& recorder) {
  io(recorder.rank, record::Range{0U, max_recorder_rank});
  line_field(io, recorder.nccl, max_progress_bytes);
  io(recorder.groups, record::Max{max_progress_groups});
}

// Reads the answer of muster's Python package. Throws an Error of one line if the text is not such an answer,
// or if it says why there is no recorder.
Recorder recorder_of(std::string_view text);

// The later of two looks, marked with what has moved since the first one.
Recorder moved_since(const Recorder& first, Recorder second);

}  // namespace muster::dump
