// Records of steps with a course that the test chooses.
#pragma once

#include "core/report/record.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace muster::report {

using namespace std::chrono_literals;

inline Moment at(std::chrono::nanoseconds time, std::chrono::nanoseconds error = 0ns) {
  return {time, error};
}

inline std::int32_t exited(int code) {
  return code << 8;
}

inline std::int32_t signalled(int number) {
  return number;
}

// `nodes` nodes with `tasks` ranks each, launched at 0, started after a second; no rank has ended.
inline Record made_up_step(std::uint32_t nodes, std::uint32_t tasks) {
  Record record;
  record.program = "./train.py";
  record.step = "42.0";
  record.ranks = nodes * tasks;
  record.wall_start = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    NodeRecord node;
    node.name = "node" + std::to_string(i + 1);
    node.state = NodeState::done;
    node.tasks = tasks;
    node.started = at(1s);
    node.last_word = at(20s);
    record.nodes.push_back(std::move(node));
  }
  record.over = at(20s);
  return record;
}

// The rank's end; its node follows from block distribution.
inline RankEnd& add_end(Record& record, std::uint32_t rank, std::int32_t wait_status, Moment time) {
  const auto tasks = record.nodes.front().tasks;
  record.node_of.push_back(rank / tasks);
  RankEnd end;
  end.place = {rank, rank % tasks, 4700 + rank};
  end.wait_status = wait_status;
  end.time = time;
  record.ends.push_back(std::move(end));
  return record.ends.back();
}

inline RankEnd& add_exception(Record& record, std::uint32_t rank, std::string message,
                              Moment raised) {
  Moment ended = raised;
  ended.time += 300ms;
  RankEnd& end = add_end(record, rank, exited(1), ended);
  end.exception = Exception{std::move(message), {}, raised};
  return end;
}

inline RankEnd& add_victim(Record& record, std::uint32_t rank, Moment time) {
  RankEnd& end = add_end(record, rank, signalled(15), time);
  end.ended_by_muster = true;
  return end;
}

inline RankEnd& add_success(Record& record, std::uint32_t rank, Moment time) {
  return add_end(record, rank, exited(0), time);
}

// The rank reports that its peer has gone.
inline RankEnd& add_lost_peer(Record& record, std::uint32_t rank, Moment raised) {
  return add_exception(record, rank,
                       "RuntimeError: [../gloo/transport/tcp/pair.cc:534] Connection closed by "
                       "peer [10.0.0.1]:41234",
                       raised);
}

}  // namespace muster::report
