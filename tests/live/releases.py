"""Which live tests run on which release of Slurm.

With this machine's own Slurm, all tests run. scripts/test --suite SUITE runs them with the Slurm of another Debian
release and skips those that cannot apply there, printing each skipped test with its reason. With --release-specific, it
runs only the tests whose results depend on Slurm, PMIx or PyTorch and not on muster alone. scripts/test --arm64 runs
only the tests in ON_ARM64.
"""

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest


@dataclass(frozen=True)
class Release:
    """A Debian release, as given by its packages. test_releases.py compares this with what is installed."""

    slurm: str
    pmix: str  # the release of the PMIx that Slurm's plugin is built with; empty if there is no plugin
    lacks: Mapping[str, str]  # what a test may need (a marker), and why it is missing
    # What a site would set for its users. Debian builds PyTorch without the libuv that its TCPStore requires.
    environment: Mapping[str, str] = field(default_factory=lambda: {"USE_LIBUV": "0"})


RELEASES = {
    # This machine's release on arm64 (scripts/test --arm64).
    "bookworm-arm64": Release(slurm="22.05", pmix="4.2", lacks={}, environment={}),
    "trixie": Release(slurm="24.11", pmix="5.0", lacks={
        "mpi_second": "its Open MPI 5 fails after any PMIx_Init() before its own, without muster, too"}),
    "forky": Release(slurm="26.05", pmix="", lacks={"pmix": "its Slurm is built without PMIx"}),
}

# By file, by test if only a part of a file matters, or with a test's parameter if only one case does. Tests that are
# not listed depend only on muster (arguments, profiles, plans, pictures) and give the same result on any release.
RELEASE_SPECIFIC = {
    "test_releases.py": "the release is the expected one",
    "test_training.py": "the main job: an unmodified training by that release's PyTorch",
    "test_layouts.py": "how Slurm spreads tasks and numbers them, het steps and het jobs",
    "test_networks.py": "how nodes find each other by what Slurm says of them",
    "test_faults.py": "agents, srun and slurmstepd killed; nodes without the plugin",
    "test_lost_nodes.py": "nodes cut off; slurmd, slurmstepd and slurmctld that end in mid-step",
    "test_failures.py": "who failed first, by what that release tells of a task's end",
    "test_failures_cgroups.py": "a kill for memory and a rank that no signal ends, by that release's control groups",
    "test_failures_torch.py::test_an_exception_is_named_with_and_without_record_although_peers_fail_for_it":
        "the error file of that release's PyTorch, and what its peers say",
    "test_failure_output.py::test_it_is_in_the_output_of_a_batch_job": "srun's messages and the report in one file",
    "test_failure_output.py::test_it_names_a_rank_of_a_step_of_several_programs": "the tasks of --multi-prog",
    "test_failure_output.py::test_it_names_the_rank_of_a_heterogeneous_step": "the tasks of a heterogeneous step",
    "test_start_hook.py": "that release's Python",
    "test_store.py::test_programs_meet_in_each_way_under_srun[agent-client]": "clients of torch's store, as that PyTorch has them",
    "test_groups.py::test_a_group_that_fails_restarts_alone": "several steps beside each other in one job, and their attempts",
    "test_groups.py::test_a_spare_goes_to_the_group_that_needs_it_first": "a node that is cut off, beside steps that go on",
    "test_group_parts.py::test_groups_share_a_node_and_none_of_its_devices": "several steps on one node, each with a part of it",
    "test_group_parts.py::test_the_gpus_of_the_job_are_divided[sbatch]": "how that release tells of a job's GPUs",
    "test_groups.py::test_each_program_has_a_world_of_its_own": "what that release's srun does with several programs",
    "test_ranks.py": "stderr files, slurmstepd killed, agents cut off, as that release starts tasks",
    "test_restarts.py::test_a_rank_that_fails_is_followed_by_another_attempt_on_the_same_nodes": "a step after a failed one",
    "test_restarts.py::test_the_attempts_are_steps_of_one_job": "a step after one that was killed",
    "test_restarts.py::test_a_step_that_its_user_ends_is_not_started_again": "signals to that release's srun and salloc",
    "test_restarts.py::test_scancel_ends_the_training_and_not_one_attempt": "scancel, as that release tells of it",
    "test_restarts.py::test_a_batch_job_starts_its_training_again": "the variables of a batch job",
    "test_restarts.py::test_at_a_prompt_the_attempts_keep_their_nodes": "salloc with srun's options",
    "test_restarts.py::test_at_a_prompt_each_component_gets_its_nodes": "salloc and srun with several components",
    "test_inherited_variables.py": "the variables that a task gets and hands on to what it starts or submits",
    "test_suspend.py": "how that release suspends a job",
    "test_restarts.py::test_nothing_of_an_attempt_is_left_when_the_next_begins": "the end of a killed step's ranks",
    "test_node_loss.py::test_a_node_that_comes_back_before_slurm_calls_it_down_is_used_again": "the words for a node's state",
    "test_node_loss.py::test_the_job_outlives_a_node_that_slurm_calls_down[]": "a node taken out of a running job",
    "test_node_loss.py::test_a_second_node_is_removed_as_the_first_where_slurm_permits_it":
        "a step beside one that cannot end, and two removals",
    "test_restart_faults.py::test_a_node_that_is_lost_during_the_restart_costs_one_more_attempt":
        "a launch that fails, and the step that it leaves behind",
    "test_requeue.py::test_a_preempted_job_goes_on_after_the_one_that_took_its_nodes[again]": "how a preempted job is shown",
    "test_requeue.py::test_a_job_at_its_time_limit_goes_on_after_a_requeue[]": "how a job at its time limit is shown",
    "test_requeue.py::test_a_job_that_may_not_be_requeued_says_so_at_its_start_and_keeps_its_exit_code": "scontrol's words",
    "test_requeue.py::test_a_requeue_that_slurm_refuses_is_said_and_keeps_the_exit_code": "scontrol's refusal",
    "test_requeue.py::test_an_exit_code_of_requeue_exit_is_the_sites_business": "RequeueExit",
    "test_growing.py::test_a_node_that_comes_to_the_job_is_used_where_it_has_cores[used]": "a job that another one enlarges",
    "test_health.py::test_a_spare_takes_the_place_of_a_node_that_the_command_finds_ill": "a step beside all others of its job",
    "test_health.py::test_ranks_that_have_lost_both_their_agent_and_slurmstepd_are_ended_before_the_next_attempt":
        "a step whose slurmstepd has gone",
    "test_health.py::test_a_rank_that_nothing_ends_costs_its_node_the_place": "control groups of a step, and one beside it",
    "test_succession.py::test_a_successor_that_dies_costs_nothing_but_itself": "a batch script's node, and a step beside the ranks",
    "test_endings.py": "scancel, preemption, requeue and time limit, as that release tells of them",
    "test_dump.py::test_a_step_of_a_heterogeneous_job_is_looked_at_whole[JOB+1.0]": "the steps of a heterogeneous job, and one beside them",
    "test_worker_pmix.py": "the worker library over Slurm's PMIx",
    "test_worker_failures.py": "failing ranks over PMIx and over TCP",
    "test_worker_torch.py::test_contiguous_ranks_are_torchs_ranks": "PyTorch's groups over PMIx",
    "test_worker_torch.py::test_a_training_on_three_nodes_learns": "a training over muster's own rendezvous",
    "test_worker_torch.py::test_where_slurm_has_no_pmix_they_meet_at_the_launchers_port": "PyTorch's groups over TCP",
    "test_worker_torch.py::test_a_script_of_env_meets_by_torch_or_by_muster[by_muster]": "that PyTorch's rendezvous handlers",
    "test_plugstack.py": "how Slurm loads plugins",
    "test_policy.py": "what reaches a node's agent from the submit host",
    "test_rights.py": "the rights of a step's processes",
    "test_agent_process.py": "limits, tracking and control groups, as Slurm sets them",
    "test_strangers.py": "ports that Slurm has leased, or not",
    "test_configless.py": "what slurmctld sends to the nodes",
    "test_neighbours.py": "other SPANK plugins and TaskProlog",
    "test_contained_plugins.py": "SlurmdParameters=contain_spank, which older Slurm does not have",
    "test_own_tmp.py": "tasks with a /tmp of their own, by that release's plugin",
    "test_slow_prolog.py": "what Slurm does meanwhile",
    "test_exchange_place.py": "the TCP exchange where Slurm has no PMIx",
    "test_environment.py": "Slurm's own variables beside muster's",
    "test_gpus.py::test_slurm_chooses_gpus_by_the_cpus_that_it_gives_the_tasks": "which GPU that release gives a task for its CPUs",
    "test_gpus.py::test_each_rank_is_beside_the_gpu_that_slurm_chose_for_it": "which GPU that release gives a task for its CPUs",
    "test_public_lines.py": "what each release's srun does with people's lines",
    "test_submission.py": "srun, sbatch and salloc with the option",
    "test_site_rules.py::test_a_policy_by_partition_costs_two_questions_from_each_node": "what squeue asks slurmctld",
    "test_site_rules.py::test_nodes_whose_questions_slurmctld_puts_off_ask_again": "how slurmctld limits the rate of questions",
    "test_signals.py": "how often that release signals a job's ranks",
    "test_waits.py::test_a_launch_that_waits_says_for_what_and_ends_by_a_signal": "srun and salloc in the queue",
    "test_waits.py::test_ctrl_c_on_a_terminal_cancels_a_launch_that_waits": "srun and salloc in the queue",
}

# CI has an hour for all releases. Slurm 24.11 lies between the two others, so these run only on the oldest and on the
# newest; scripts/test --suite trixie still runs them all.
AT_BOTH_ENDS = {
    "trixie": frozenset((
        "test_endings.py", "test_failures_cgroups.py", "test_group_parts.py", "test_groups.py", "test_growing.py",
        "test_health.py", "test_lost_nodes.py", "test_neighbours.py", "test_networks.py", "test_node_loss.py",
        "test_requeue.py", "test_restart_faults.py", "test_signals.py", "test_site_rules.py", "test_slow_prolog.py",
        "test_strangers.py", "test_submission.py", "test_succession.py", "test_waits.py")),
}

# A job from its plan to its report, once each, because qemu-user takes minutes for some of these tests.
ON_ARM64 = {
    "test_releases.py": "the release is the expected one",
    "test_plan.py::test_the_plan_that_is_shown_is_what_the_tasks_get[-N3 -n6]": "the plan, and what the ranks have of it",
    "test_binding.py::test_two_tasks_have_cores_of_their_own": "the binding, as the kernel sees it",
    "test_failures.py::test_the_report_comes_last_and_looks_familiar": "a rank's failure, and the report about it",
    "test_failures.py::test_an_exception_that_a_rank_has_recorded_is_shown": "the record that torch's ranks write",
    "test_start_hook.py::test_an_exception_is_named_on_the_default_line": "the start hook of Python",
    "test_restarts.py::test_a_rank_that_fails_is_followed_by_another_attempt_on_the_same_nodes": "a restart",
    "test_dump.py::test_the_rank_that_misses_a_collective_is_named": "stacks without ptrace, which qemu-user does not have",
    "test_logs.py::test_each_rank_has_a_file_for_each_stream_to_the_last_byte": "the ranks' output",
    "test_worker_pmix.py::test_nodes_count_in_the_order_of_their_lowest_rank_however_srun_was_told": "libmuster over PMIx",
    "test_training.py::test_a_training_on_three_nodes_learns": "the main job: an unmodified training by PyTorch",
}

NEEDS = {"contain_spank": "needs Slurm 24.05 or newer", "pmix": "needs a Slurm with PMIx", "mpi_second": "needs an MPI that accepts an earlier user of PMIx"}
OTHER_SUITE = "compares another Debian release with this file; this machine's own may be any"
SANITIZED_SHIM = "only where the nodes load a plugin with a sanitizer (scripts/test --asan-shim)"
LONG = "takes long (scripts/test --long)"
SINCE = "needs this release of Slurm or a newer one"
NOT_IN_MODE = "cannot be in this mode of Slurm (scripts/test --modes)"
MACHINE = "tests this machine's scripts, build or documents, not Slurm"


TRANSPORTS = [pytest.param("pmix", marks=pytest.mark.pmix), "tcp"]


def by_transport(cases: Sequence[tuple[str, ...]]) -> list:
    """Parameters of a test; the first is the transport."""
    return [pytest.param(*case, marks=pytest.mark.pmix) if case[0] == "pmix" else case for case in cases]


def configure(config: pytest.Config) -> None:
    for marker, need in NEEDS.items():
        config.addinivalue_line("markers", f"{marker}: {need}")
    config.addinivalue_line("markers", f"other_suite: {OTHER_SUITE}")
    config.addinivalue_line("markers", f"machine: {MACHINE}")
    config.addinivalue_line("markers", f"sanitized_shim: {SANITIZED_SHIM}")
    config.addinivalue_line("markers", f"long: {LONG}")
    config.addinivalue_line("markers", f"since(release): {SINCE}")
    config.addinivalue_line("markers", f"not_in_mode(mode, why): {NOT_IN_MODE}")


def suite() -> str:
    """The Debian release whose Slurm is tested; empty for this machine's own."""
    return os.environ.get("MUSTER_SUITE", "")


def mode() -> str:
    """The mode of Slurm in which every cluster comes up (scripts/test --modes); empty for the usual one."""
    return os.environ.get("MUSTER_MODE", "")


def slowness() -> int:
    """How many times longer everything may take than on this machine: qemu-user takes ten times as long or more."""
    return 10 if suite().endswith("-arm64") and platform.machine() != "aarch64" else 1


def environment() -> Mapping[str, str]:
    """The users' environment, on the release under test."""
    # For an srun in a batch script, for which the sanitizer is not preloaded.
    late = {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"} if "MUSTER_SHIM" in os.environ else {}
    return {**(RELEASES[suite()].environment if suite() else {}), **late}


def own_slurm() -> tuple[int, ...]:
    """This machine's own release, as "slurm-wlm 22.05.8" reports it (srun would need a configuration)."""
    said = subprocess.run(["slurmd", "-V"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in said.split()[-1].split(".")[:2])


def slurm() -> tuple[int, ...]:
    """The release under test."""
    return tuple(map(int, RELEASES[suite()].slurm.split("."))) if suite() else own_slurm()


def slurm_has_pmix() -> bool:
    return not suite() or bool(RELEASES[suite()].pmix)


def reason_against(item: pytest.Item) -> str:
    """Why a test is not part of this run, or does not apply to the release under test; empty if it is and does."""
    if item.get_closest_marker("sanitized_shim") and "MUSTER_SHIM" not in os.environ:
        return SANITIZED_SHIM
    if item.get_closest_marker("long") and os.environ.get("MUSTER_LONG") != "1":
        return LONG
    for marker in item.iter_markers("since"):
        if slurm() < tuple(map(int, marker.args[0].split("."))):
            return f"needs Slurm {marker.args[0]} or newer"
    for marker in item.iter_markers("not_in_mode"):
        if mode() == marker.args[0]:
            return f"not in mode {mode()}: {marker.args[1]}"
    if not suite():
        if item.get_closest_marker("contain_spank") and own_slurm() < (24, 5):
            return NEEDS["contain_spank"]
        return OTHER_SUITE if item.get_closest_marker("other_suite") else ""
    if item.get_closest_marker("machine"):
        return MACHINE
    lacks = RELEASES[suite()].lacks
    return next((f"not on {suite()}: {why}" for marker, why in lacks.items() if item.get_closest_marker(marker)), "")


def is_specific(item: pytest.Item) -> bool:
    file, test = item.path.name, item.name
    if file in AT_BOTH_ENDS.get(suite(), ()):
        return False
    listed = ON_ARM64 if suite().endswith("-arm64") else RELEASE_SPECIFIC
    return any(entry in listed for entry in (file, f"{file}::{test.partition('[')[0]}", f"{file}::{test}"))


def select(items: Sequence[pytest.Item]) -> tuple[list[pytest.Item], dict[str, str]]:
    """The tests to run, and the other tests with their reasons."""
    specific = bool(suite()) and os.environ.get("MUSTER_RELEASE_SPECIFIC") == "1"
    selected, left_out = [], {}
    for item in items:
        if why := reason_against(item):
            left_out[item.nodeid] = why
        elif not specific or is_specific(item):
            selected.append(item)
    return selected, left_out
