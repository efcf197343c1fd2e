#include "core/dump/json.hpp"

#include "core/dump/text.hpp"
#include "core/text/json.hpp"

#include <string_view>
#include <utility>

namespace muster::dump {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word_in_json(Standing standing) {
  if (standing == Standing::silent) return "silent";
  return standing == Standing::suspect ? "suspect" : "waiting";
}

Json stack_json(const std::vector<Frame>& stack) {
  auto list = Json::array();
  for (const auto& frame : stack) {
    list.push_back(Json{{"function", frame.function}, {"file", frame.file}, {"line", frame.line}});
  }
  return list;
}

Json group_json(const Group& group) {
  return {{"standing", word_in_json(group.standing)},
          {"ranks", group.ranks},
          {"state", group.what},
          {"moves", group.moves},
          {"missing", group.missing},
          {"cpu_percent", group.cpu_percent},
          {"node", group.node},
          {"pid", group.pid},
          {"remark", group.remark},
          {"stack", stack_json(group.stack)}};
}

Json child_json(const ChildGroup& group) {
  return {{"ranks", group.ranks}, {"processes", group.processes},       {"program", group.program},
          {"state", group.what},  {"stands_still", group.stands_still}, {"node", group.node},
          {"pid", group.pid},     {"stack", stack_json(group.stack)}};
}

Json collective_json(const Collective& collective) {
  auto calls = Json::object();
  for (const auto& [operation, ranks] : collective.operations) calls[operation] = ranks;
  return {{"group", collective.group},     {"description", collective.text},
          {"backend", collective.backend}, {"operation", collective.operation},
          {"number", collective.number},   {"missing", collective.missing},
          {"waiting", collective.waiting}, {"no_answer", collective.no_answer},
          {"different_calls", calls}};
}

Json progress_json(const GroupProgress& progress) {
  return {{"group", progress.group},         {"description", progress.text},
          {"backend", progress.backend},     {"ranks", progress.ranks},
          {"enqueued", progress.enqueued},   {"started", progress.started},
          {"completed", progress.completed}, {"operation", progress.operation},
          {"moves", progress.moves}};
}

Json threads_json(const std::vector<Thread>& threads) {
  auto list = Json::array();
  for (const auto& thread : threads) {
    list.push_back(
        Json{{"name", thread.name}, {"main", thread.main}, {"frames", stack_json(thread.frames)}});
  }
  return list;
}

Json sample_json(const Sample& sample, Json threads) {
  return {{"state", std::string(1, sample.state)},
          {"kernel_function", sample.wait},
          {"cpu_ms", sample.cpu_ms},
          {"threads", std::move(threads)}};
}

template <class Items, class Write>
Json list(const Items& items, const Write& write) {
  auto values = Json::array();
  for (const auto& item : items) values.push_back(write(item));
  return values;
}

Json process_json(const ProcessLook& look) {
  const bool same = look.first.threads == look.second.threads;
  auto first = sample_json(look.first, threads_json(look.first.threads));
  auto second = sample_json(look.second, same ? Json() : threads_json(look.second.threads));
  return {{"rank", look.rank},
          {"node", look.node},
          {"pid", look.pid},
          {"parent", look.parent},
          {"program", look.program},
          {"tool", look.tool},
          {"remark", look.remark},
          {"apart_ms", look.apart_ms},
          {"recorder", look.recorder ? list(look.recorder->groups, progress_json) : Json()},
          {"looks", Json::array({std::move(first), std::move(second)})}};
}

std::string ras_json(const RasLine& line) {
  return line.ras;
}

}  // namespace

std::string to_json(const Dump& dump) {
  return text::readable_text({{"version", 1},
                              {"step", dump.step},
                              {"time", time_text(dump.time, "%Y-%m-%dT%H:%M:%SZ")},
                              {"took_ms", dump.took.count()},
                              {"ranks_of_step", dump.ranks_of_step},
                              {"groups", list(dump.groups, group_json)},
                              {"collectives", list(dump.collectives, collective_json)},
                              {"children", list(dump.children, child_json)},
                              {"remarks", dump.remarks},
                              {"nccl_ras", list(dump.looks.ras, ras_json)},
                              {"processes", list(dump.looks.processes, process_json)}});
}

}  // namespace muster::dump
