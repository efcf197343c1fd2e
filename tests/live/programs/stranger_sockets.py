"""How a stranger takes ports, abstract names and descriptors; used by `stranger` in this folder and the bench of that
name."""

import resource
import socket


def server(address: str, port: int, *options: int) -> socket.socket:
    """Listens, on all addresses of both families if `address` is "::". `options` are SOL_SOCKET options to set."""
    one = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        for option in options:
            one.setsockopt(socket.SOL_SOCKET, option, 1)
        if one.family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        one.bind((address, port))
        one.listen()
    except OSError:
        one.close()
        raise
    return one


def named(name: str, kind: int) -> socket.socket:
    """Takes an abstract name."""
    one = socket.socket(socket.AF_UNIX, kind)
    try:
        one.bind("\0" + name)
        if kind == socket.SOCK_STREAM:
            one.listen()
    except OSError:
        one.close()
        raise
    return one


def open_as_many_as_allowed() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
