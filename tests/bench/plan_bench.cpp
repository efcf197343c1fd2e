// The agent's own work for one node of a step of 16384 nodes with 8 tasks each, from srun's
// command line to the bytes for the shim; it reads nothing from the machine.
//
//   plan_bench [Google Benchmark's options]      times
//   plan_bench --peak LAYOUT                     plans once and prints the largest resident size,
//   KiB
#include "core/explain/plan_view.hpp"
#include "core/file/trusted_file.hpp"
#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/requirement.hpp"
#include "core/request/request.hpp"
#include "wire/layout_line.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>

namespace {

using namespace muster;

constexpr std::uint32_t nodes = 16384;
constexpr std::uint32_t tasks = 8;

std::string line(const char* mapping) {
  return std::string("1|node[00001-16384]|") + mapping + "|10.0.0.1";
}
const std::string block = line("0+16384x8");
const std::string cyclic = line("0+16384x1*8");

const muster::profile::Profile& torch() {
  static const muster::profile::Profile profile = muster::profile::load_profile(
      "torch", {MUSTER_SOURCE_DIR "/config/profiles"}, muster::file::trust_any_owner());
  return profile;
}

std::string plan(const std::string& text, muster::option::Ranks ranks) {
  const auto layout = muster::layout::layout_from_text(text);
  muster::request::Request request;
  request.ranks = ranks;
  muster::profile::check_requirements(torch(), layout, muster::layout::number_ranks(layout, ranks));
  const auto node = nodes / 2;
  const Environment environment;
  const auto made =
      muster::plan::make_plan({.request = request,
                               .profile = torch(),
                               .layout = layout,
                               .node = node,
                               .rendezvous = {"10.0.0.1", 20001, Origin::slurm},
                               .network = {"hsn0", "10.0.64.1"},
                               .resources = std::vector<muster::resources::TaskResources>(tasks),
                               .endpoints = {},
                               .run_id = "1.0",
                               .error_directory = "/tmp/muster-1.0-abcdef",
                               .log_directory = {},
                               .attempt = 0,
                               .environment = environment});
  return wire::encode(muster::plan::to_wire(made));
}

void plan_of_block(benchmark::State& state) {
  for (auto round : state) benchmark::DoNotOptimize(plan(block, muster::option::Ranks::slurm));
}
void plan_of_cyclic(benchmark::State& state) {
  for (auto round : state) benchmark::DoNotOptimize(plan(cyclic, muster::option::Ranks::slurm));
}
void plan_of_cyclic_renumbered(benchmark::State& state) {
  for (auto round : state)
    benchmark::DoNotOptimize(plan(cyclic, muster::option::Ranks::contiguous));
}
BENCHMARK(plan_of_block)->Unit(benchmark::kMillisecond);
BENCHMARK(plan_of_cyclic)->Unit(benchmark::kMillisecond);
BENCHMARK(plan_of_cyclic_renumbered)->Unit(benchmark::kMillisecond);

int peak(const char* layout) {
  const bool renumbered = std::strcmp(layout, "renumbered") == 0;
  const bool blocks = std::strcmp(layout, "block") == 0;
  benchmark::DoNotOptimize(plan(blocks ? block : cyclic, renumbered
                                                             ? muster::option::Ranks::contiguous
                                                             : muster::option::Ranks::slurm));
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    status >> word;
    std::printf("%s\n", word.c_str());
    return 0;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--peak") == 0) return peak(argv[2]);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
