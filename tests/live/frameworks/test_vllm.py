"""The real vLLM, on CPUs: a server across the step's nodes, inside a program across its ranks, and with Ray."""

import json
import re
import shlex
import time

import pytest
from cluster import Cluster
from command import Command
from framework import ENVIRONMENTS, PATIENCE, PROGRAMS, Framework, hosts, hosts_by_slurm
from waiting import wait_until

if not (ENVIRONMENTS / "vllm").is_dir():
    pytest.skip("pip could not make the environment of vLLM", allow_module_level=True)

PYTHON = ENVIRONMENTS / "vllm/bin/python"
OFFLINE = Framework("torch", "vllm", "vllm_offline.py")
# There are no weights: vLLM generates random ones.
MODEL = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
         "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 32, "vocab_size": 128,
         "max_position_embeddings": 128, "rms_norm_eps": 1e-5, "bos_token_id": 0, "eos_token_id": 1, "hidden_act": "silu",
         "tie_word_embeddings": False, "torch_dtype": "float32"}
SERVE = ("serve tiny --load-format=dummy --skip-tokenizer-init --enforce-eager --max-model-len=64 --max-num-seqs=2 --seed=1 "
         "--kv-cache-memory-bytes=67108864")
HEAD, WORKER = f"vllm_cli.py {SERVE}.*--node-rank=0", f"vllm_cli.py {SERVE}.*--node-rank=1"


@pytest.fixture(autouse=True)
def programs(cluster: Cluster) -> None:
    for program in PROGRAMS.glob("vllm_*.py"):
        cluster.give("alice", program)
    cluster.write("tiny/config.json", json.dumps(MODEL))


def variables(cluster: Cluster) -> dict[str, str]:
    """vLLM must not access the Internet or compile anything."""
    return {"PYTHONPATH": f"{cluster.prefix}/share/muster/python", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1",
            "TORCHDYNAMO_DISABLE": "1"}


def start(cluster: Cluster, more: str, nodes: int = 2) -> Command:
    return cluster.start(f"srun --distributed=vllm,grace=5 -w node1,node2 -N{nodes} --ntasks-per-node=1 -c2 {PYTHON} "
                         f"-m muster.vllm -- {PYTHON} vllm_cli.py {SERVE} {more}", env=variables(cluster))


def ask(cluster: Cluster, path: str, question: dict | None = None) -> str:
    """Asks from another node; empty if nothing answers."""
    data = "None" if question is None else f"b{json.dumps(question)!r}"
    script = (f"import urllib.request as r; print(r.urlopen(r.Request('http://{cluster.address('node1')}:8000/{path}', {data}, "
              "{'Content-Type': 'application/json'}), timeout=30).read().decode(), end='')")
    return cluster.node("node3", f"/usr/bin/python3 -c {shlex.quote(script)} 2>&1 || true")


def answers(cluster: Cluster) -> bool:
    time.sleep(2)  # each query starts a process, and the server needs the CPUs
    return "tiny" in ask(cluster, "v1/models")


def await_server(cluster: Cluster, step: Command) -> None:
    wait_until(lambda: not step.running or answers(cluster), 2 * PATIENCE, "the server to answer")
    assert step.running, step.out + step.err


def end(cluster: Cluster, node: str, part: str, signal: str) -> None:
    """Signals the oldest process of that part, because muster.vllm's own command line is longer."""
    cluster.node(node, f"pkill -{signal} -o -f ^{PYTHON}.{shlex.quote(part)}")


@pytest.mark.slow
def test_a_server_of_two_nodes_answers_and_ends_whole(cluster: Cluster) -> None:
    step = start(cluster, "--tensor-parallel-size=2")
    await_server(cluster, step)
    answer = json.loads(ask(cluster, "v1/completions", {
        "model": "tiny", "prompt": [5, 6, 7], "max_tokens": 4, "temperature": 0, "ignore_eos": True, "return_token_ids": True}))
    assert len(answer["choices"][0]["token_ids"]) == 4, answer
    assert re.search(r"world_size=2 rank=1 local_rank=0 distributed_init_method=tcp://" + cluster.address("node1"),
                     step.out + step.err), step.out + step.err
    end(cluster, "node1", HEAD, "TERM")
    result = step.wait(120)
    assert result.code == 0, result.out + result.err
    cluster.await_clean(30)


@pytest.mark.slow
def test_a_part_that_is_killed_is_the_failure(cluster: Cluster) -> None:
    step = start(cluster, "--tensor-parallel-size=2")
    await_server(cluster, step)
    end(cluster, "node2", WORKER, "KILL")
    result = step.wait(120)
    assert result.code == 128 + 9, result.out + result.err
    assert "rank      : 1 (local_rank: 0)" in result.err, result.err
    assert "muster.vllm: vLLM exited with code 137 on node2" in result.err, result.err
    cluster.await_clean(30)


@pytest.mark.slow
def test_vllm_in_a_program_meets_by_the_steps_variables(cluster: Cluster) -> None:
    layout = "-N2 -n2 -c2"
    result = OFFLINE.srun(cluster, layout, "tiny", env=variables(cluster))
    assert hosts(result) == hosts_by_slurm(cluster, layout)
    (tokens,) = set(re.findall(r"tensor 0\+1 tokens (.*)", result.out))
    assert len(tokens.split()) == 4


# Without the plug-in, vLLM reports that CPUs do "not support ray" once it has reached the step's cluster.
@pytest.mark.slow
def test_vllm_takes_its_workers_from_the_steps_ray(cluster: Cluster) -> None:
    for name in ("vllm_ray_platform.py", "vllm_two_hosts.py"):
        cluster.write(f"plugin/{name}", (PROGRAMS / name).read_text())
    named = "plugin/vllm_ray_platform-1.dist-info"
    cluster.write(f"{named}/METADATA", "Metadata-Version: 2.1\nName: vllm_ray_platform\nVersion: 1\n")
    cluster.write(f"{named}/entry_points.txt", "[vllm.platform_plugins]\nray_cpu = vllm_ray_platform:register\n")
    more = {"PYTHONPATH": f"{cluster.prefix}/share/muster/python:/home/alice/plugin",
            # On a busy machine Ray's own processes take minutes to start.
            "RAY_agent_register_timeout_ms": "300000", "RAY_raylet_start_wait_time_s": "300"}
    result = cluster.srun(f"--distributed=ray -w node1,node2 --ntasks-per-node=1 -c2 {PYTHON} -m muster.ray --num-gpus=1 "
                          "--object-store-memory=100000000 vllm_ray.py /home/alice/tiny", timeout=2 * PATIENCE,
                          env={**variables(cluster), **more})
    assert result.code == 0, result.out + result.err
    assert re.search(r"^driver on node1 tokens( \d+){4}$", result.out, re.MULTILINE), result.out
    said = result.out + result.err
    assert f"distributed_init_method=tcp://{cluster.address('node1')}:" in said, said
    assert re.search(rf"ip={re.escape(cluster.address('node2'))}\).*\(Worker_TP[01] ", said), said
    cluster.await_clean(30)
