"""muster.h in ctypes: numbers, structures, functions. A unit test compares them with the compiled header."""

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_void_p

DEFAULT = -1
UNSET = -(2**31)
NCCL_ID_BYTES = 128
NCCL_SHARED_GPU = 1
NCCL_IDS_ONLY = 2
SPLIT_NODE = -2
SPLIT_NONE = -1

TRANSPORTS = {"auto": 0, "pmix": 1, "tcp": 2, "single": 3}
NUMBERINGS = {"auto": 0, "slurm": 1, "contiguous": 2}


class Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("timeout_ms", c_int), ("transport", c_int), ("numbering", c_int)]


class Blob(ctypes.Structure):
    _fields_ = [("rank", c_int), ("data", c_void_p), ("size", c_size_t)]


class Endpoint(ctypes.Structure):
    _fields_ = [("node", c_char * 256), ("address", c_char * 64)]


# Fields of ncclConfig_t, by the names that NCCL gives them.
CONFIG_NUMBERS = ("cga_cluster_size", "min_ctas", "max_ctas", "split_share", "traffic_class", "collnet_enable",
                  "cta_policy", "nvls_ctas")
CONFIG_TEXTS = ("net_name", "comm_name")


class NcclOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("timeout_ms", c_int),
        ("roots", c_int),
        ("ranks_per_root", c_int),
        ("generation", c_uint32),
        ("device", c_int),
        ("cuda_version", c_int),
        ("flags", c_uint),
        ("config", c_void_p),
        *[(name, c_int) for name in CONFIG_NUMBERS],
        *[(name, c_char_p) for name in CONFIG_TEXTS],
    ]


STRUCTURES = {
    "muster_options": Options,
    "muster_blob": Blob,
    "muster_endpoint": Endpoint,
    "muster_nccl_options": NcclOptions,
}

_handle = c_void_p
_handle_at = POINTER(c_void_p)

# Name: result, arguments.
FUNCTIONS = {
    "muster_version": (c_int, []),
    "muster_last_error": (c_char_p, []),
    "muster_status_name": (c_char_p, [c_int]),
    "muster_init": (c_int, [_handle_at, POINTER(Options)]),
    "muster_finalize": (c_int, [_handle_at, c_int]),
    "muster_abort": (c_int, [_handle, c_int, c_char_p]),
    "muster_rank": (c_int, [_handle]),
    "muster_size": (c_int, [_handle]),
    "muster_procid": (c_int, [_handle]),
    "muster_contiguous_rank": (c_int, [_handle]),
    "muster_local_rank": (c_int, [_handle]),
    "muster_local_size": (c_int, [_handle]),
    "muster_node_rank": (c_int, [_handle]),
    "muster_node_count": (c_int, [_handle]),
    "muster_node_name": (c_char_p, [_handle]),
    "muster_transport_used": (c_int, [_handle]),
    "muster_exchange": (c_int, [_handle, c_char_p, c_char_p, c_size_t, POINTER(Blob), c_size_t, c_int]),
    "muster_broadcast": (c_int, [_handle, c_void_p, c_size_t, c_int, c_int]),
    "muster_barrier": (c_int, [_handle, c_int]),
    "muster_mark": (c_int, [_handle, c_char_p]),
    "muster_endpoint_of": (c_int, [_handle, c_int, POINTER(Endpoint), c_int]),
    "muster_stop_on": (c_int, [c_char_p]),
    "muster_stop_requested": (c_int, []),
    "muster_restart_count": (c_int, []),
    "muster_nccl_version": (c_int, [POINTER(c_int)]),
    "muster_nccl_ids": (c_int, [_handle, POINTER(NcclOptions), c_void_p, c_size_t, POINTER(c_size_t)]),
    "muster_nccl_init": (c_int, [_handle, POINTER(NcclOptions), POINTER(c_void_p)]),
    "muster_nccl_split": (c_int, [_handle, c_void_p, c_int, c_int, POINTER(NcclOptions), POINTER(c_void_p)]),
    "muster_nccl_wait": (c_int, [_handle, c_void_p, c_int]),
    "muster_nccl_destroy": (c_int, [_handle, POINTER(c_void_p), c_int]),
    "muster_nccl_abort": (c_int, [_handle, POINTER(c_void_p)]),
}


def declare(library: ctypes.CDLL) -> None:
    """Declares the types of every function. A library that was built without some part lacks that part's functions."""
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is not None:
            function.restype, function.argtypes = result, arguments
