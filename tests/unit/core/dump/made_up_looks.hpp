// Made-up observations of nodes, for tests.
#pragma once

#include "core/dump/look.hpp"

#include <string>
#include <vector>

namespace muster::dump {

inline std::vector<Thread> main_thread(std::vector<Frame> frames) {
  return {{.name = "MainThread", .main = true, .frames = std::move(frames)}};
}

inline ProcessLook look(std::uint32_t rank, std::vector<Frame> frames, char state = 'S') {
  ProcessLook look;
  look.rank = rank;
  look.node = "node" + std::to_string(rank / 16 + 1);
  look.pid = 1000 + rank;
  look.program = "python3";
  look.first = {.state = state, .wait = "poll", .cpu_ms = 10, .threads = main_thread(frames)};
  look.second = look.first;
  look.apart_ms = 1000;
  look.tool = "py-spy";
  return look;
}

inline const std::vector<Frame> in_all_reduce{
    {"all_reduce", "/venv/lib/python3/site-packages/torch/distributed/distributed_c10d.py", 2501},
    {"step", "/home/alice/train.py", 31},
    {"main", "/home/alice/train.py", 88}};

inline const std::vector<Frame> in_data_loading{{"read", "/home/alice/data.py", 7},
                                                {"main", "/home/alice/train.py", 86}};

}  // namespace muster::dump
