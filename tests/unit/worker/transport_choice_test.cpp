#include "worker/transport_choice.hpp"

#include "worker/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::worker {
namespace {

using testing::HasSubstr;
using Map = Environment::Map;

// A task of `srun --mpi=pmix`, as Slurm 22.05 to 24.11 starts it.
Map pmix_task() {
  return {
      {"SLURM_JOB_ID", "42"}, {"SLURM_STEP_ID", "3"},        {"SLURM_PROCID", "1"},
      {"SLURM_NTASKS", "4"},  {"SLURM_STEP_NUM_TASKS", "4"}, {"PMIX_NAMESPACE", "slurm.pmix.42.3"},
      {"PMIX_RANK", "1"}};
}

Map with(Map map, const Map& more) {
  for (const auto& [name, value] : more) map.insert_or_assign(name, value);
  return map;
}

Map without(Map map, std::initializer_list<const char*> names) {
  for (const char* name : names) map.erase(name);
  return map;
}

const Map plain_task = without(pmix_task(), {"PMIX_NAMESPACE", "PMIX_RANK"});
const Map rendezvous{{"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "29500"}};

Choice choose(const Map& map, muster_transport asked = MUSTER_TRANSPORT_AUTO) {
  return choose_transport(Environment{map}, asked);
}

std::string refusal(const Map& map, muster_transport asked = MUSTER_TRANSPORT_AUTO) {
  try {
    const auto choice = choose(map, asked);
    return "chose " + std::to_string(choice.transport) + ": " + choice.why;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_ENVIRONMENT) << error.what();
    return error.what();
  }
}

TEST(TransportChoice, takes_pmix_where_the_step_has_it) {
  EXPECT_EQ(choose(pmix_task()).transport, MUSTER_TRANSPORT_PMIX);
  EXPECT_EQ(choose(with(pmix_task(), rendezvous)).transport, MUSTER_TRANSPORT_PMIX);
}

TEST(TransportChoice, takes_pmix_for_one_rank_too) {
  EXPECT_EQ(choose(with(pmix_task(), {{"SLURM_STEP_NUM_TASKS", "1"}})).transport,
            MUSTER_TRANSPORT_PMIX);
}

TEST(TransportChoice, takes_tcp_where_the_step_has_no_pmix) {
  const auto choice = choose(with(plain_task, rendezvous));
  EXPECT_EQ(choice.transport, MUSTER_TRANSPORT_TCP);
  EXPECT_THAT(choice.why, HasSubstr("--mpi=pmix"));
  EXPECT_EQ(choose(with(plain_task, {{"MUSTER_EXCHANGE", "10.0.0.1:29501"}})).transport,
            MUSTER_TRANSPORT_TCP);
}

TEST(TransportChoice, is_alone_outside_slurm) {
  EXPECT_EQ(choose({}).transport, MUSTER_TRANSPORT_SINGLE);
}

TEST(TransportChoice, is_alone_in_a_batch_script_whatever_srun_would_start) {
  EXPECT_EQ(
      choose({{"SLURM_JOB_ID", "42"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}).transport,
      MUSTER_TRANSPORT_SINGLE);
}

TEST(TransportChoice, believes_whoever_set_world_size) {
  EXPECT_EQ(choose(with(rendezvous, {{"WORLD_SIZE", "2"}})).transport, MUSTER_TRANSPORT_TCP);
  EXPECT_EQ(choose(with(rendezvous, {{"WORLD_SIZE", "1"}})).transport, MUSTER_TRANSPORT_SINGLE);
}

TEST(TransportChoice, says_what_to_do_when_ranks_cannot_reach_each_other) {
  const auto text = refusal(plain_task);
  EXPECT_THAT(text, HasSubstr("4 ranks"));
  EXPECT_THAT(text, HasSubstr("--mpi=pmix"));
  EXPECT_THAT(text, HasSubstr("MASTER_ADDR"));
}

TEST(TransportChoice, does_not_take_the_pmix_of_another_step) {
  const auto inherited = with(pmix_task(), {{"SLURM_STEP_ID", "4"}});
  EXPECT_THAT(refusal(inherited), HasSubstr("does not belong to this step, 42.4"));
  EXPECT_EQ(choose(with(inherited, rendezvous)).transport, MUSTER_TRANSPORT_TCP);
  const auto other_job = with(pmix_task(), {{"SLURM_JOB_ID", "43"}});
  EXPECT_THAT(refusal(other_job, MUSTER_TRANSPORT_PMIX), HasSubstr("42.3"));
  // 42.3 must not be taken for 42.33, or vice versa.
  EXPECT_THAT(refusal(with(pmix_task(), {{"PMIX_NAMESPACE", "slurm.pmix.42.33"}})),
              HasSubstr("another step"));
}

TEST(TransportChoice, does_not_take_pmix_that_a_process_outside_any_step_has_inherited) {
  const auto shell = without(pmix_task(), {"SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS"});
  EXPECT_EQ(choose(shell).transport, MUSTER_TRANSPORT_SINGLE);
  EXPECT_THAT(refusal(shell, MUSTER_TRANSPORT_PMIX), HasSubstr("inherited"));
  const auto batch_script = with(shell, {{"SLURM_STEP_ID", "-5"}, {"SLURM_PROCID", "0"}});
  EXPECT_THAT(refusal(batch_script, MUSTER_TRANSPORT_PMIX), HasSubstr("inherited"));
}

TEST(TransportChoice, does_not_take_the_pmix_of_another_launcher) {
  const auto mpirun = with(pmix_task(), {{"PMIX_NAMESPACE", "prterun-login-77@1"}});
  EXPECT_THAT(refusal(mpirun, MUSTER_TRANSPORT_PMIX), HasSubstr("prterun-login-77@1"));
}

TEST(TransportChoice, does_not_take_one_pmix_rank_for_several_processes) {
  const auto torchrun = with(with(pmix_task(), rendezvous), {{"WORLD_SIZE", "16"}});
  EXPECT_EQ(choose(torchrun).transport, MUSTER_TRANSPORT_TCP);
  EXPECT_THAT(refusal(torchrun, MUSTER_TRANSPORT_PMIX), HasSubstr("share its PMIx rank"));
  EXPECT_EQ(choose(with(pmix_task(), {{"WORLD_SIZE", "4"}})).transport, MUSTER_TRANSPORT_PMIX);
}

TEST(TransportChoice, knows_the_namespace_of_a_heterogeneous_step) {
  const auto second =
      with(pmix_task(), {{"SLURM_JOB_ID", "43"}, {"SLURM_JOB_ID_HET_GROUP_0", "42"}});
  EXPECT_EQ(choose(second).transport, MUSTER_TRANSPORT_PMIX);
}

TEST(TransportChoice, tells_what_is_missing_for_what_was_asked_for) {
  EXPECT_THAT(refusal({}, MUSTER_TRANSPORT_PMIX), HasSubstr("not started by srun"));
  EXPECT_THAT(refusal(plain_task, MUSTER_TRANSPORT_PMIX), HasSubstr("without PMIx"));
  EXPECT_THAT(refusal(pmix_task(), MUSTER_TRANSPORT_TCP), HasSubstr("MASTER_ADDR"));
  EXPECT_EQ(choose(pmix_task(), MUSTER_TRANSPORT_SINGLE).transport, MUSTER_TRANSPORT_SINGLE);
  EXPECT_EQ(choose(with(pmix_task(), rendezvous), MUSTER_TRANSPORT_TCP).transport,
            MUSTER_TRANSPORT_TCP);
}

TEST(TransportChoice, obeys_the_environment_where_the_program_leaves_it_open) {
  const auto told = with(with(pmix_task(), rendezvous), {{"MUSTER_TRANSPORT", "tcp"}});
  EXPECT_EQ(choose(told).transport, MUSTER_TRANSPORT_TCP);
  EXPECT_EQ(choose(told, MUSTER_TRANSPORT_PMIX).transport, MUSTER_TRANSPORT_PMIX);
  EXPECT_EQ(choose(with(pmix_task(), {{"MUSTER_TRANSPORT", "single"}})).transport,
            MUSTER_TRANSPORT_SINGLE);
}

TEST(TransportChoice, refuses_words_and_sizes_that_mean_nothing) {
  EXPECT_THAT(refusal({{"MUSTER_TRANSPORT", "mpi"}}), HasSubstr("'mpi' is unknown"));
  EXPECT_THAT(refusal({{"WORLD_SIZE", "0"}}), HasSubstr("WORLD_SIZE=0"));
  EXPECT_THAT(refusal({{"WORLD_SIZE", "many"}}), HasSubstr("WORLD_SIZE=many"));
  EXPECT_THAT(refusal({{"WORLD_SIZE", "99999999"}}), HasSubstr("not a number from 0 to"));
  EXPECT_THAT(refusal(with(pmix_task(), {{"SLURM_STEP_NUM_TASKS", "0"}})),
              HasSubstr("SLURM_STEP_NUM_TASKS=0"));
}

}  // namespace
}  // namespace muster::worker
