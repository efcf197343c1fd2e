"""The file of `accelerate config`, through muster.accelerate, and Hugging Face's Trainer: with the real packages."""

import re

import pytest
from cluster import Cluster
from framework import ENVIRONMENTS, PATIENCE, PROGRAMS, Framework, hosts, hosts_by_slurm

TRAINER = Framework("accelerate", "torch", "trainer_sum.py")

PROCESSES = """compute_environment: LOCAL_MACHINE
distributed_type: {type}
machine_rank: 3
main_process_ip: 192.0.2.1
main_process_port: 1
mixed_precision: bf16
num_machines: 7
num_processes: 56
rdzv_backend: static
use_cpu: {cpu}
"""
FSDP = """fsdp_config:
  fsdp_version: 2
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_state_dict_type: SHARDED_STATE_DICT
"""


@pytest.fixture(autouse=True)
def programs(cluster: Cluster) -> None:
    for program in PROGRAMS.glob("*.py"):
        cluster.give("alice", program)


def start(cluster: Cluster, words: str, options: str = "-N2 -n3"):
    return cluster.srun(f"--distributed=accelerate {options} {ENVIRONMENTS}/torch/bin/python -m muster.accelerate {words}",
                        timeout=PATIENCE, env={"PYTHONPATH": f"{cluster.prefix}/share/muster/python"})


@pytest.mark.slow
def test_the_file_says_how_and_the_step_says_where(cluster: Cluster) -> None:
    cluster.write("cpu.yaml", PROCESSES.format(type="MULTI_CPU", cpu="true"))
    result = start(cluster, "--config_file=cpu.yaml accelerate_config.py a 'b c'")
    assert hosts(result) == hosts_by_slurm(cluster, "-N2 -n3")
    assert result.out.count("precision bf16") == 3 and result.out.count("arguments ['a', 'b c']") == 3


@pytest.mark.slow
def test_what_the_program_gets_is_what_accelerate_launch_gives(cluster: Cluster) -> None:
    cluster.write("fsdp.yaml", PROCESSES.format(type="FSDP", cpu="false") + FSDP)
    cluster.write("show.py", "import os\nprint(sorted((n, v) for n, v in os.environ.items() "
                             "if n.startswith(('ACCELERATE_', 'FSDP_', 'PARALLELISM_'))))\n")
    launched = cluster.run(f"{ENVIRONMENTS}/torch/bin/accelerate launch --config_file=fsdp.yaml --num_machines=1 "
                           "--num_processes=1 --machine_rank=0 --main_process_ip=127.0.0.1 --main_process_port=0 show.py",
                           timeout=PATIENCE)
    assert launched.code == 0, launched.err
    result = start(cluster, "--config_file=fsdp.yaml show.py", "-N1 -n1")
    assert result.code == 0, result.err
    (expected,) = re.findall(r"^\[.*\]$", launched.out, re.MULTILINE)
    assert result.out.strip() == expected
    assert "FSDP_AUTO_WRAP_POLICY" in expected


@pytest.mark.slow
def test_words_of_accelerate_launch_come_before_the_file(cluster: Cluster) -> None:
    cluster.write("cpu.yaml", PROCESSES.format(type="MULTI_CPU", cpu="true"))
    result = start(cluster, "--config_file=cpu.yaml --mixed_precision=no -m accelerate_config x")
    assert hosts(result) == hosts_by_slurm(cluster, "-N2 -n3")
    assert result.out.count("precision no") == 3 and result.out.count("arguments ['x']") == 3


@pytest.mark.slow
def test_without_a_step_it_is_one_line(cluster: Cluster) -> None:
    result = cluster.run(f"{ENVIRONMENTS}/torch/bin/python -m muster.accelerate accelerate_config.py", timeout=PATIENCE,
                         env={"PYTHONPATH": f"{cluster.prefix}/share/muster/python"})
    assert result.code == 1
    assert result.err.strip() == "muster.accelerate: this is not a muster step; start it with srun --distributed=accelerate"


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["-N3 -n6", "-N3 -n5"], ids=["block", "uneven"])
def test_the_trainer_of_hugging_face_trains_one_model(cluster: Cluster, layout: str) -> None:
    result = TRAINER.srun(cluster, layout)
    assert hosts(result) == hosts_by_slurm(cluster, layout)
    assert result.out.count("after 2 steps") == len(hosts(result))
