#include "launcher/tools/local/step.hpp"

#include "core/error.hpp"
#include "wire/layout_line.hpp"
#include "wire/variables.hpp"

#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <sys/random.h>

namespace muster::local {
namespace {

constexpr const char* loopback = "127.0.0.1";

}  // namespace

std::uint32_t new_number() {
  constexpr std::uint32_t digits =
      900'000'000;  // nine digits: more than a job's number has, and the same length in every list
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) {
    throw Error(
        fmt::format("the kernel provided no random number for this run: {}", std::strerror(errno)));
  }
  return 100'000'000 + number % digits;
}

Environment without_slurm(Environment environment) {
  environment.unset_if([](const auto& variable) {
    return variable.first.starts_with("SLURM_") && variable.first != wire::request_variable;
  });
  return environment;
}

wire::StepFacts facts_of(const Step& step, const Environment& environment, const std::string& host,
                         const std::string& directory) {
  wire::StepFacts facts;
  facts.job_id = step.number;
  facts.step_id = step.attempt;
  facts.node_count = 1;
  facts.task_count = step.ranks;
  facts.global_ids.resize(step.ranks);
  std::iota(facts.global_ids.begin(), facts.global_ids.end(), 0U);
  facts.working_directory = directory;
  facts.arguments = step.command;
  for (const auto& [name, value] : without_slurm(environment)) {
    facts.environment.push_back(fmt::format("{}={}", name, value));
  }
  const std::vector<std::uint32_t> node_of_rank(step.ranks, 0);
  const auto layout = wire::encode(wire::StepLayoutText{
      .nodes = host, .mapping = wire::encode_mapping(node_of_rank), .address = loopback});
  facts.environment.push_back(fmt::format("{}={}", wire::step_variable, layout));
  facts.without_slurm = true;
  return facts;
}

}  // namespace muster::local
