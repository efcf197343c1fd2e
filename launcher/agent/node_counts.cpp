#include "launcher/agent/node_counts.hpp"

#include "core/hang/compilers.hpp"
#include "core/status/counters.hpp"
#include "core/text/number.hpp"
#include "launcher/agent/ranks/process_state.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::size_t max_file = 65536;
constexpr milliseconds file_size_timeout{100};  // for reading sizes on any file system
constexpr std::int64_t rdma_unit = 4;           // the kernel counts in four-byte words

bool is_device(std::string_view name) {
  return fs::exists(fs::path("/sys/class/net") / name / "device");
}

// Counts devices only, because bridges, bonds and the like count a device's bytes a second time. If there
// is no device, counts everything except lo.
std::optional<status::Traffic> network() {
  const auto text = os::small_file("/proc/net/dev", max_file);
  if (const auto devices = status::network_traffic(text, is_device)) return devices;
  return status::network_traffic(text, [](auto name) { return name != "lo"; });
}

std::optional<std::int64_t> counter(const fs::path& file) {
  auto text = os::small_file(file, 32);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text::number<std::int64_t>(text);
}

std::optional<status::Traffic> port_traffic(const fs::path& port) {
  const auto in = counter(port / "counters/port_rcv_data");
  const auto out = counter(port / "counters/port_xmit_data");
  if (in && out) return status::Traffic{*in * rdma_unit, *out * rdma_unit};
  const auto in_bytes = counter(port / "hw_counters/rx_bytes");
  const auto out_bytes = counter(port / "hw_counters/tx_bytes");
  if (in_bytes && out_bytes) return status::Traffic{*in_bytes, *out_bytes};
  return std::nullopt;
}

void add(std::optional<status::Traffic>& sum, const std::optional<status::Traffic>& more) {
  if (!more) return;
  sum = sum.value_or(status::Traffic());
  sum->in += more->in;
  sum->out += more->out;
}

std::optional<status::Traffic> rdma() {
  std::optional<status::Traffic> sum;
  std::error_code none;
  for (const auto& device : fs::directory_iterator("/sys/class/infiniband", none)) {
    std::error_code no_ports;
    for (const auto& port : fs::directory_iterator(device.path() / "ports", no_ports)) {
      add(sum, port_traffic(port.path()));
    }
  }
  return sum;
}

std::vector<pid_t> processes(const ranks::Ranks& ranks,
                             const std::vector<ranks::ProcessStat>& below) {
  std::vector<pid_t> all;
  for (const auto& rank : ranks.all()) {
    if (rank.runs()) all.push_back(rank.process->pid());
  }
  for (const auto& process : below) all.push_back(process.pid);
  return all;
}

// The ranks' standard output and error, if these are files. srun prints all other kinds.
std::vector<std::string> streams(const ranks::Ranks& ranks) {
  std::vector<std::string> files;
  for (const auto& rank : ranks.all()) {
    if (!rank.runs()) continue;
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      files.push_back(fmt::format("/proc/{}/fd/{}", rank.process->pid(), stream));
    }
  }
  return files;
}

void add_child(status::Signs& signs, const ranks::ProcessStat& process) {
  signs.newest_process =
      std::max(signs.newest_process, static_cast<std::int64_t>(process.start_time));
  if (!hang::is_compiler(ranks::program_name("/proc", process.pid))) return;
  signs.compilers_ms +=
      static_cast<std::int64_t>(ranks::process_state("/proc", process.pid).cpu_ms);
}

void add_io(status::Counts& counts, const std::vector<pid_t>& processes) {
  for (const auto process : processes) {
    const auto text = os::small_file(fmt::format("/proc/{}/io", process), max_file);
    add(counts.files, status::file_traffic(text));
    const auto storage = status::storage_traffic(text);
    if (storage) counts.signs->storage += storage->in + storage->out;
  }
}

std::optional<status::LastOutput> last_output(const std::vector<view::LogFile>& logs,
                                              const FileSizes::ByFile& sizes) {
  std::optional<status::LastOutput> newest;
  std::int64_t bytes = 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  for (const auto& log : logs) {
    const auto found = sizes.find(log.path.native());
    if (found == sizes.end() || found->second.bytes == 0) continue;
    bytes += found->second.bytes;
    // The file system's clock may be ahead of this node's.
    const auto age = std::max(std::chrono::duration_cast<milliseconds>(now - found->second.written),
                              milliseconds(0));
    if (!newest || age < newest->age) newest = {.rank = log.source.rank, .age = age, .bytes = 0};
  }
  if (newest) newest->bytes = bytes;
  return newest;
}

}  // namespace

status::Counts count_node(const ranks::Ranks& ranks, const std::vector<view::LogFile>& logs,
                          FileSizes& file_sizes, Recorders* recorders) {
  const auto below = ranks.below();
  const auto own_streams = streams(ranks);
  auto files = own_streams;
  for (const auto& log : logs) files.push_back(log.path);
  const auto& sizes = file_sizes.of(files, file_size_timeout);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  status::Counts counts{.time = std::chrono::duration_cast<milliseconds>(now),
                        .network = network(),
                        .rdma = rdma(),
                        .files = {},
                        .output = last_output(logs, sizes),
                        .signs = status::Signs()};
  const auto all = processes(ranks, below);
  add_io(counts, all);
  if (recorders != nullptr) counts.signs->collectives = recorders->look(all);
  for (const auto& stream : own_streams) {
    const auto found = sizes.find(stream);
    if (found != sizes.end()) counts.signs->output += found->second.bytes;
  }
  for (const auto& process : below) add_child(*counts.signs, process);
  return counts;
}

}  // namespace muster::agent
