// Plans a node with 2 x 64 cores of two hardware threads, 8 GPUs and 8 NICs, for every policy
// and for 1 to 256 tasks; and reads this machine's hardware without a cache.
//
//   bind_bench [Google Benchmark's options]
#include "core/binding/binding.hpp"
#include "core/option/key_table.hpp"
#include "core/topology/hwloc/load.hpp"
#include "fixtures/made_up_node.hpp"

#include <cstddef>
#include <string>

#include <benchmark/benchmark.h>

namespace {

using namespace muster;

constexpr unsigned numa_nodes = 8;

// Four NUMA nodes in each package, each with a GPU and a NIC behind one switch.
muster::topology::Topology big_node() {
  auto node = fixtures::made_up_node({.packages = 2,
                                      .numa_per_package = numa_nodes / 2,
                                      .l3_per_numa = 2,
                                      .cores_per_l3 = 8,
                                      .smt = 2});
  for (unsigned i = 0; i < numa_nodes; ++i) {
    const auto bus = static_cast<std::uint8_t>(16 * (i + 1));
    fixtures::add_gpu(node, node.numa_nodes[i].cpus, bus);
    fixtures::add_nic(node, "mlx5_" + std::to_string(i), node.numa_nodes[i].cpus, bus);
  }
  return node;
}

void plan(benchmark::State& state, muster::option::Bind policy) {
  const auto node = big_node();
  muster::binding::BindingRequest request;
  request.allowed = node.pus;
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) request.gpus.push_back(gpu);
  request.tasks = static_cast<std::size_t>(state.range(0));
  request.policy = policy;
  for (auto round : state) benchmark::DoNotOptimize(muster::binding::bind(node, request));
}

void scan(benchmark::State& state, muster::topology::hwloc::Scan how) {
  for (auto round : state)
    benchmark::DoNotOptimize(muster::topology::hwloc::load_live_topology(how));
}

void tasks(benchmark::internal::Benchmark* benchmark, int most) {
  benchmark->Unit(benchmark::kMicrosecond);
  for (int count = 1; count <= most; count *= 2) benchmark->Arg(count);
}

struct Named {
  const char* name;
  muster::option::Bind policy;
  int most_tasks;  // exclusive needs a core per task
};
constexpr Named policies[] = {{"auto", muster::option::Bind::auto_, 256},
                              {"none", muster::option::Bind::none, 256},
                              {"core", muster::option::Bind::core, 256},
                              {"l3", muster::option::Bind::l3, 256},
                              {"numa", muster::option::Bind::numa, 256},
                              {"socket", muster::option::Bind::socket, 256},
                              {"exclusive", muster::option::Bind::exclusive, 128}};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& [name, policy, most] : policies)
    tasks(benchmark::RegisterBenchmark(
              name, [policy = policy](benchmark::State& state) { plan(state, policy); }),
          most);
  benchmark::RegisterBenchmark(
      "scan", [](auto& state) { scan(state, muster::topology::hwloc::Scan::cpus); });
  benchmark::RegisterBenchmark(
      "scan_devices", [](auto& state) { scan(state, muster::topology::hwloc::Scan::devices); });
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
