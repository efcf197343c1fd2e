// The whole interface of muster.so: Slurm's hooks, one call each.
//
// Slurm loads it into srun, sbatch and salloc (as the user) and into slurmstepd (as root) for every step of
// a site, whether the step uses muster or not. No exception may leave a hook: std::terminate in slurmstepd
// ends the step, and srun exits with 0.
//
// Most steps do not use muster, and their hooks end here: the code that decides this is linked first, into
// pages that the loader has read for its own use.
extern "C" {
#include <slurm/slurm_version.h>
#include <slurm/spank.h>
// SPANK_PLUGIN defines const objects, which C++ would keep local to this file.
extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
SPANK_PLUGIN(muster, 1)
// `muster doctor` reads it from the file: Slurm does not load a plugin built for another release.
extern const char muster_built_for[];
const char muster_built_for[] = "muster.so for Slurm " MUSTER_SLURM_RELEASE;
}

#include "spank/copies.hpp"
#include "spank/immortal.hpp"
#include "spank/muster_command.hpp"
#include "spank/option.hpp"
#include "spank/plugstack.hpp"
#include "spank/sbatch.hpp"
#include "spank/slurmstepd.hpp"
#include "spank/spank_handle.hpp"
#include "spank/srun.hpp"

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>

#include <unistd.h>

namespace muster::spank {
namespace {

// One process serves one step. These have static storage, because a step that muster cannot plan must not
// start.
constinit Immortal<Option> the_option;
constinit Immortal<Srun> this_srun;
constinit Immortal<Node> this_node;

// The plugin's line in plugstack.conf, which Slurm keeps while the plugin is loaded. The pointer also
// identifies the working copy, because each of that copy's hooks receives it. Another copy of this file
// shares these variables.
constinit std::span<char*> own_words;

Option& option() {
  return the_option.value;
}
Srun& srun() {
  return this_srun.value;
}
Node& node() {
  return this_node.value;
}

// Parsed on demand: a step without muster does not need it.
Plugstack plugstack() {
  return parse_plugstack({own_words.begin(), own_words.end()});
}

bool submitting() {
  return spank_context() == S_CTX_LOCAL || spank_context() == S_CTX_ALLOCATOR;
}

template <typename Body>
int guard(const char* hook, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    slurm_error("muster: %s failed: %s", hook, error.what());
  } catch (...) {
    slurm_error("muster: %s failed for an unknown reason", hook);
  }
  return -1;
}

// In srun, sbatch and salloc a failure ends the program here. For an `optional` plugin Slurm would
// continue, and would start the job without what the user asked for.
int end_on_failure(int result) {
  if (result != 0) std::exit(1);  // NOLINT(concurrency-mt-unsafe)
  return 0;
}

// Likewise in a task's process that has not yet become the user's program.
int end_task_unless_it_starts(int result) {
  if (result == Node::dry_run) _exit(0);
  if (result != 0) _exit(1);
  return 0;
}

int accept_option(int /*value*/, const char* argument, int /*remote*/) {
  return guard("option", [&] {
    option().accept(argument);
    // This must happen here, because srun requires a program before it calls init_post_opt.
    if (option().asks_for_help() && submitting()) show_help(plugstack());
    return 0;
  });
}

bool inert(char** words) {
  return words != own_words.data();
}

// Why this copy must do nothing; empty if it is the working copy.
std::string why_inert() {
  if (own_words.data() != nullptr)
    return own_path() + " is in two lines of plugstack.conf; the second does nothing: remove it";
  const auto* const earlier = earlier_copy();
  if (earlier == nullptr) return {};
  return own_path() + " does nothing: " + earlier +
         " is in an earlier line of plugstack.conf; remove one of them";
}

int register_option(spank_t handle) {
  static char name[] = "distributed";
  static char argument[] = "PROFILE[,KEY[=VALUE]]...";
  static char usage[] =
      "[muster] launch a distributed training run: the profile (torch, ...) sets ranks, "
      "rendezvous and binding; --distributed=help lists profiles and keys";
  static spank_option entry{name, argument, usage, 2, 0, accept_option};
  return spank_option_register(handle, &entry) == ESPANK_SUCCESS ? 0 : -1;
}

// UnkillableStepTimeout's default, in seconds. slurmstepd cannot end while it waits for a plan.
constexpr int usual_unkillable_timeout = 60;

// Logs once per node, in slurmd's log, what is wrong or dangerous about the line.
void check_line(const Plugstack& line) {
  if (!line.error.empty()) slurm_error("muster: %s", line.error.c_str());
  if (line.timeout > std::chrono::seconds{usual_unkillable_timeout})
    slurm_info(
        "muster: warning: timeout=%ld in plugstack.conf: if UnkillableStepTimeout is shorter, Slurm "
        "drains a node whose step is cancelled during this time",
        static_cast<long>(line.timeout.count()));
  if (line.trust_any_owner)
    slurm_error(
        "muster: trust_any_owner in plugstack.conf lets users change what runs on this node; "
        "it is for tests only: remove it");
}

// In slurmstepd after user_init: true for a step without muster, whose hooks end here.
bool unused(char** words) {
  return inert(words) || !node().used();
}

void warn_of_misspelling(SlurmApi& slurm) {
  const auto name = misspelled_option_variable(environ);
  if (name.empty()) return;
  slurm.notice("muster: warning: nothing reads " + name + " in the environment; did you mean " +
               wire::option_variable + "?");
}

bool takes_option(spank_context_t context) {
  return context == S_CTX_REMOTE || submitting();
}

}  // namespace
}  // namespace muster::spank

using namespace muster::spank;

extern "C" {

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
// A failing init fails this job; the default would drain the node.
extern int slurm_spank_init_failure_mode;
int slurm_spank_init_failure_mode = ESPANK_JOB_FAILURE;
#endif

int slurm_spank_init(spank_t handle, int count, char** words) {
  return guard("init", [&] {
    if (spank_context() == S_CTX_SLURMD) check_line(parse_plugstack({words, words + count}));
    if (!takes_option(spank_context())) return 0;
    if (const auto why = why_inert(); !why.empty()) {
      if (submitting()) slurm_info("muster: warning: %s", why.c_str());
      return 0;
    }
    own_words = {words, static_cast<std::size_t>(count)};
    if (register_option(handle) != 0) return -1;
    if (spank_context() == S_CTX_REMOTE) {
      node().loaded();
      muster::spank::SpankSlurm slurm(handle);
      // The option itself is parsed later, and contains the request.
      if (asks_for_muster(slurm, option())) node().step_begins(plugstack());
    }
    return 0;
  });
}

int slurm_spank_init_post_opt(spank_t handle, int /*count*/, char** words) {
  if (inert(words)) return 0;
  return guard("init_post_opt", [&] {
    if (spank_context() == S_CTX_LOCAL) srun().component_parsed();
    if (!submitting()) return 0;
    muster::spank::SpankSlurm slurm(handle);
    if (!asks_for_muster(option())) {
      if (spank_context() == S_CTX_LOCAL) warn_of_misspelling(slurm);
      return 0;
    }
    switch (spank_context()) {
      case S_CTX_LOCAL:
        return end_on_failure(srun().options_parsed(slurm, option(), plugstack()));
      case S_CTX_ALLOCATOR:
        return end_on_failure(submission_options_parsed(slurm, option(), plugstack()));
      default:
        return 0;
    }
  });
}

int slurm_spank_local_user_init(spank_t handle, int /*count*/, char** words) {
  if (inert(words) || !has_request()) return 0;
  return guard("local_user_init", [&] {
    muster::spank::SpankSlurm slurm(handle);
    return srun().step_created(slurm);
  });
}

int slurm_spank_user_init(spank_t handle, int /*count*/, char** words) {
  if (inert(words)) return 0;
  return guard("user_init", [&] {
    muster::spank::SpankSlurm slurm(handle);
    if (!asks_for_muster(slurm, option())) return 0;
    node().promise_plan();
    return node().step_starts(slurm, option(), plugstack());
  });
}

// Never fails: otherwise Slurm would start no task and srun would exit with 0.
int slurm_spank_task_post_fork(spank_t handle, int /*count*/, char** words) {
  if (unused(words)) return 0;
  guard("task_post_fork", [&] {
    muster::spank::SpankSlurm slurm(handle);
    node().task_forked(slurm);
    return 0;
  });
  return 0;
}

int slurm_spank_task_init(spank_t handle, int /*count*/, char** words) {
  if (unused(words)) return 0;
  return end_task_unless_it_starts(guard("task_init", [&] {
    muster::spank::SpankSlurm slurm(handle);
    return node().task_starts(slurm);
  }));
}

int slurm_spank_task_exit(spank_t handle, int /*count*/, char** words) {
  if (unused(words)) return 0;
  return guard("task_exit", [&] {
    muster::spank::SpankSlurm slurm(handle);
    return node().task_ended(slurm, option(), plugstack());
  });
}

int slurm_spank_exit(spank_t /*handle*/, int /*count*/, char** words) {
  if (unused(words)) return 0;
  return guard("exit", [&] {
    node().step_ended();
    return 0;
  });
}
}
