#include "launcher/tools/exec/task_report.hpp"

#include "wire/codec.hpp"

namespace muster::exec {
namespace {

constexpr std::size_t max_cpu_words = CpuSet::index_limit / 64;

}  // namespace

std::string encode(const TaskReport& report) {
  wire::Encoder out;
  out.u32(report.procid);
  out.u32(report.local_id);
  out.u64s(report.cpus.words());
  std::vector<std::string> gpus;
  for (const auto& [name, value] : report.gpus) {
    gpus.push_back(name);
    gpus.push_back(value);
  }
  out.texts(gpus);
  out.text(report.failure);
  return out.bytes();
}

std::optional<TaskReport> decode_report(std::string_view bytes) {
  wire::Decoder in(bytes);
  TaskReport report;
  report.procid = in.u32();
  report.local_id = in.u32();
  const auto words = in.u64s();
  const auto gpus = in.texts();
  report.failure = in.text();
  if (!in.done() || gpus.size() % 2 != 0 || words.size() > max_cpu_words) return std::nullopt;
  report.cpus = CpuSet::from_words(words);
  for (std::size_t i = 0; i < gpus.size(); i += 2) report.gpus.add(gpus[i], gpus[i + 1]);
  return report;
}

}  // namespace muster::exec
