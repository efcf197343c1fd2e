// Slurm's lists: of hosts, of tasks per node, of ports, of CPUs. The worker library has small parsers of its
// own, which must agree wherever they understand the text.
#include "core/cpuset.hpp"
#include "core/error.hpp"
#include "core/layout/task_counts.hpp"
#include "core/rendezvous/port_candidates.hpp"
#include "core/slurm/hostlist.hpp"
#include "target.hpp"
#include "wire/layout_line.hpp"
#include "worker/tcp/numbering.hpp"
#include "worker/tcp/step_nodes.hpp"

namespace {

using namespace muster;

template <class Read>
void refusable(const Read& read) {
  try {
    read();
  } catch (const Error& refusal) {
    fuzz::expect_one_line(refusal.what());
  }
}

void read_hosts(std::string_view text) {
  const auto hosts = slurm::expand_hostlist(text);
  fuzz::expect(hosts.size() <= slurm::max_hosts, "too many hosts");
  const auto workers = worker::tcp::expand_nodes(text, slurm::max_hosts);
  fuzz::expect(workers.empty() || workers == hosts, "two readers read two lists");
}

void read_tasks(std::string_view text) {
  const auto counts = layout::expand_task_counts(text);
  std::size_t before = 0;
  for (std::size_t node = 0; node < std::min<std::size_t>(counts.size(), 64); ++node) {
    const auto here = worker::tcp::tasks_of_node(text, static_cast<int>(node));
    fuzz::expect(!here || (static_cast<std::size_t>(here->before) == before &&
                           static_cast<std::size_t>(here->here) == counts[node]),
                 "two readers count two numbers of tasks");
    before += counts[node];
  }
  fuzz::expect(before <= wire::max_tasks, "too many tasks");
}

void read_input(std::string_view text) {
  // On any text: these parsers refuse by returning an empty value.
  worker::tcp::expand_nodes(text, 4096);
  for (const int node : {0, 1, 1 << 20}) worker::tcp::tasks_of_node(text, node);
  refusable([&] { read_hosts(text); });
  refusable([&] { read_tasks(text); });
  refusable([&] {
    fuzz::expect(rendezvous::parse_reserved_ports(text).size() <= rendezvous::max_port_candidates,
                 "too many ports");
  });
  refusable([&] {
    const auto cpus = CpuSet::parse(text);
    fuzz::expect(CpuSet::parse(cpus.to_string()) == cpus, "a set of CPUs changes");
  });
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {"node[1-3,7],rack[0-1]node[2-3]-ib",
          "n[008-012]",
          "a,b,c",
          "2(x3),1",
          "8(x16384)",
          "1,2,3",
          "20001-20003,20010",
          "0-7,64-71"};
}

// A short text may name max_hosts hosts, each a string.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 512U << 20, .per_byte = 4096}, read_input);
}
