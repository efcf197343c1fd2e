// One look at a process: its state as the kernel reports it, and its stacks as a tool prints them. Every text
// is a single line, and every list is bounded.
#pragma once

#include "core/dump/line.hpp"
#include "core/dump/recorder.hpp"
#include "core/record/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::dump {

inline constexpr std::size_t max_threads = 64;
inline constexpr std::size_t max_frames = 64;  // per thread: the innermost ones
inline constexpr std::size_t max_function_bytes = 128;
inline constexpr std::size_t max_file_bytes = 256;
inline constexpr std::size_t max_folder_bytes = 4096;
inline constexpr std::size_t max_name_bytes = 64;
inline constexpr std::size_t max_remark_bytes = 200;
inline constexpr std::size_t max_ras_lines = 1024;
inline constexpr std::size_t max_node_bytes = 255;

struct Frame {
  std::string function;
  std::string file;        // as the interpreter names it, or a library
  std::uint32_t line = 0;  // 0: unknown, or different in the two looks

  friend bool operator==(const Frame&, const Frame&) = default;
};
template <class Io>
void fields(Io& io, Frame& frame) {
  line_field(io, frame.function, max_function_bytes);
  line_field(io, frame.file, max_file_bytes);
  io(frame.line);
}

struct Thread {
  std::string name;
  bool main = false;
  std::vector<Frame> frames = {};  // innermost first

  friend bool operator==(const Thread&, const Thread&) = default;
};
template <class Io>
void fields(Io& io, Thread& thread) {
  line_field(io, thread.name, max_name_bytes);
  io(thread.main)(thread.frames, record::Max{max_frames});
}

struct Sample {
  char state = '?';          // of the main thread: R, S, D, T, Z, ...
  std::string wait = {};     // the kernel function in which it waits
  std::uint64_t cpu_ms = 0;  // of all threads, since the process started
  std::vector<Thread> threads = {};

  friend bool operator==(const Sample&, const Sample&) = default;
};
// Everything but its threads.
template <class Io>
void fields(Io& io, Sample& sample) {
  io(sample.state, record::Range{'!', '~'});
  line_field(io, sample.wait, max_name_bytes);
  io(sample.cpu_ms);
}

// One process of a rank: two looks a moment apart.
struct ProcessLook {
  std::uint32_t rank = 0;
  std::string node;
  std::uint32_t pid = 0;
  // The parent process within the same rank; 0 for the task's own process.
  std::uint32_t parent = 0;
  std::string program;  // as the kernel names it
  Sample first;
  Sample second;
  std::uint32_t apart_ms = 0;
  std::string tool = {};  // the tool that printed the stacks: "py-spy", "faulthandler", "gdb", ...
  std::string remark = {};  // why there are no stacks
  std::string logs = {};    // the folder of its logs= file; only for a task's own process
  std::optional<Recorder> recorder = {};  // as of the second look

  friend bool operator==(const ProcessLook&, const ProcessLook&) = default;
};
template <class Io>
void fields(Io& io, ProcessLook& look) {
  constexpr record::Max threads{max_threads};
  line_field(io, look.node, max_node_bytes);
  line_field(io, look.program, max_name_bytes);
  line_field(io, look.tool, max_name_bytes);
  line_field(io, look.remark, max_remark_bytes);
  line_field(io, look.logs, max_folder_bytes);
  io(look.rank)(look.pid)(look.parent)(look.apart_ms)(look.recorder);
  bool same = look.second.threads == look.first.threads;  // they are the same in a hang
  io(look.first)(look.first.threads, threads)(look.second)(same);
  if (!same) {
    io(look.second.threads, threads);
  } else if constexpr (Io::reads) {
    look.second.threads = look.first.threads;
  }
}

// A remark about a node as a whole.
struct NodeRemark {
  std::string node;
  std::string line;

  friend bool operator==(const NodeRemark&, const NodeRemark&) = default;
};
template <class Io>
void fields(Io& io, NodeRemark& remark) {
  line_field(io, remark.node, max_node_bytes);
  line_field(io, remark.line, max_remark_bytes);
}

// One line of the report of NCCL's RAS about the whole job.
struct RasLine {
  std::string node;  // the node that asked
  std::string ras;

  friend bool operator==(const RasLine&, const RasLine&) = default;
};
template <class Io>
void fields(Io& io, RasLine& line) {
  line_field(io, line.node, max_node_bytes);
  line_field(io, line.ras, max_remark_bytes);
}

// Everything that the nodes of a step reported.
struct Looks {
  std::vector<ProcessLook> processes = {};
  std::vector<NodeRemark> remarks = {};
  std::vector<RasLine> ras = {};
  std::vector<std::string> nodes = {};  // nodes that answered in full
};

}  // namespace muster::dump
