"""What muster.jax decides before it calls JAX."""

import errno
import socket

import pytest

import muster
import muster.jax as ours


@pytest.mark.parametrize(("environment", "local_rank", "local_size", "expected"), [
    ({}, 1, 4, None),
    ({"CUDA_VISIBLE_DEVICES": "0,1,2,3"}, 2, 4, [2]),
    ({"CUDA_VISIBLE_DEVICES": "0,1,2,3"}, 1, 2, [2, 3]),
    ({"CUDA_VISIBLE_DEVICES": "3"}, 2, 4, [0]),
    ({"CUDA_VISIBLE_DEVICES": "0,1", "SLURM_GPUS_PER_TASK": "2"}, 1, 2, [0, 1]),
    ({"ROCR_VISIBLE_DEVICES": "0,1"}, 1, 2, [1]),
    ({"CUDA_VISIBLE_DEVICES": "0,1", "JAX_LOCAL_DEVICE_IDS": "1"}, 0, 1, None),
    ({"CUDA_VISIBLE_DEVICES": "0,1"}, -1, -1, [0, 1]),
])
def test_a_rank_takes_its_share_of_the_gpus_that_it_sees(environment, local_rank: int, local_size: int, expected) -> None:
    assert ours.device_ids(environment, local_rank, local_size) == expected


def test_a_reserved_port_is_nobody_elses_until_who_may_share_it_listens() -> None:
    holder = ours.reserve_port()
    port = holder.getsockname()[1]
    with socket.socket() as stranger, pytest.raises(OSError) as refused:
        stranger.bind(("127.0.0.1", port))
    assert refused.value.errno == errno.EADDRINUSE
    with socket.create_server(("127.0.0.1", port)) as coordinator:  # sets SO_REUSEADDR, as gRPC does
        coordinator.listen()
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    holder.close()


@pytest.mark.parametrize(("address", "expected"), [("10.0.0.1", "10.0.0.1:5"), ("fd00::1", "[fd00::1]:5")])
def test_an_ipv6_address_has_brackets(address: str, expected: str) -> None:
    assert ours.coordinator(address, 5) == expected


@pytest.mark.parametrize(("before", "after"), [
    ({}, None),
    ({"http_proxy": "p"}, "10.0.0.1"),
    ({"HTTPS_PROXY": "p", "no_proxy": "site"}, "site,10.0.0.1"),
    ({"grpc_proxy": "p", "no_grpc_proxy": "10.0.0.1"}, "10.0.0.1"),
])
def test_the_coordinator_is_reached_past_a_proxy(before: dict, after) -> None:
    environment = dict(before)
    ours.bypass_proxy(environment, "10.0.0.1:1234")
    assert environment.get("no_grpc_proxy") == after


def test_what_comes_from_the_step_cannot_be_given() -> None:
    with pytest.raises(muster.Error, match="process_id comes from the step"):
        ours.initialize(process_id=1)
