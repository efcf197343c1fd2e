/* libmuster: the processes of one job step find each other and bring up NCCL, by PMIx alone.
 *
 *     muster_t *m;
 *     if (muster_init(&m, NULL) != MUSTER_OK) errx(1, "%s", muster_last_error());
 *     printf("rank %d of %d\n", muster_rank(m), muster_size(m));
 *     muster_finalize(&m, MUSTER_DEFAULT);
 *
 * What is needed: Slurm with PMIx (`srun --distributed`, or `srun --mpi=pmix`). Without PMIx the same calls
 * go over TCP to rank 0, and a process that is alone needs neither. Neither muster's plugin, a GPU, libpmix
 * nor libnccl is needed to link or load this library: the latter two are opened when a call needs them.
 *
 * Calls. Every function that returns a muster_status returns MUSTER_OK (0) or an error, and then
 * muster_last_error() of the same thread is one line: what, why, what to do. "Collective" means: every rank
 * of the step makes the same calls in the same order. A failed collective call leaves the handle unusable
 * but for the queries, muster_abort() and muster_finalize(): what others saw of it cannot be known.
 *
 * Deadlines. `timeout_ms` bounds the whole call, in milliseconds; MUSTER_DEFAULT takes the handle's
 * (options.timeout_ms). No call waits for ever, and none has an infinite deadline.
 *
 * Threads. On a handle only the queries may run beside another call; a second call meanwhile returns MUSTER_ERR_BUSY and changes nothing. No thread of this
 * library's is left behind; PMIx has one of its own between muster_init() and muster_finalize().
 * After fork() the child's calls return MUSTER_ERR_STATE: the handle belongs to the parent. No function may
 * be called from a signal handler.
 *
 * Ownership. Everything that a call is given stays the caller's and may go when the call returns.
 * Pointers that a call hands out live as long as their comment says.
 *
 * ABI. Structures begin with their size and may grow at their end; symbols carry versions (MUSTER_0.1).
 * Since 0.1, where nothing else is said. */
#ifndef MUSTER_MUSTER_H
#define MUSTER_MUSTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MUSTER_API __attribute__((visibility("default")))
#else
#define MUSTER_API
#endif

/* ---------------------------------------------------------------- version */

#define MUSTER_VERSION_MAJOR 0
#define MUSTER_VERSION_MINOR 1
#define MUSTER_VERSION_PATCH 0

/* Of the library that is loaded, major * 10000 + minor * 100 + patch. Ranks of one step must have the same
 * major and minor. */
MUSTER_API int muster_version(void);

/* ---------------------------------------------------------------- errors */

typedef enum muster_status {
  MUSTER_OK = 0,
  MUSTER_ERR_ARGUMENT = 1,    /* a value that this call cannot take */
  MUSTER_ERR_STATE = 2,       /* finalized, aborted, failed before, or a forked child */
  MUSTER_ERR_BUSY = 3,        /* another thread is inside a call on this handle */
  MUSTER_ERR_ENVIRONMENT = 4, /* the environment does not say who this process is */
  MUSTER_ERR_LIBRARY = 5,     /* libpmix, libnccl or libcuda is missing, too old or no library */
  MUSTER_ERR_TIMEOUT = 6,     /* the deadline passed; the text says who was missing, where it can be known */
  MUSTER_ERR_PEER = 7,        /* another rank died or left */
  MUSTER_ERR_MISMATCH = 8,    /* ranks differ in version, size, tag, call or generation */
  MUSTER_ERR_GPU = 9,         /* no GPU, a GPU used twice, a driver or an NCCL that does not fit */
  MUSTER_ERR_TRANSPORT = 10,  /* PMIx or a socket failed */
  MUSTER_ERR_NCCL = 11,       /* NCCL failed */
  MUSTER_ERR_MEMORY = 12,     /* out of memory */
  MUSTER_ERR_NOT_FOUND = 13,  /* nothing is known of that rank (yet) */
  MUSTER_ERR_INTERNAL = 14    /* a bug in muster */
} muster_status;

/* The last error of this thread, one line without its end; "" if there was none. Never NULL. Lives until
 * the thread's next failing call. */
MUSTER_API const char *muster_last_error(void);

/* "timeout", "mismatch", ...; "unknown" for any other number. Lives for ever. */
MUSTER_API const char *muster_status_name(int status);

/* ---------------------------------------------------------------- init, finalize, abort */

typedef struct muster_step muster_t; /* opaque */

#define MUSTER_DEFAULT (-1)

/* How the ranks reach each other. */
typedef enum muster_transport {
  MUSTER_TRANSPORT_AUTO = 0,  /* PMIx if this step has it, else TCP, else alone */
  MUSTER_TRANSPORT_PMIX = 1,  /* PMIx or an error */
  MUSTER_TRANSPORT_TCP = 2,   /* TCP to rank 0 or an error */
  MUSTER_TRANSPORT_SINGLE = 3 /* this process is the only one */
} muster_transport;

/* How ranks are numbered, here and in every call. */
typedef enum muster_numbering {
  MUSTER_RANKS_AUTO = 0,      /* as RANK says if the launcher set it, else Slurm's */
  MUSTER_RANKS_SLURM = 1,     /* SLURM_PROCID */
  MUSTER_RANKS_CONTIGUOUS = 2 /* node by node: nodes in the order of their lowest SLURM_PROCID */
} muster_numbering;

typedef struct muster_options {
  size_t size;    /* sizeof(muster_options): set by MUSTER_OPTIONS */
  int timeout_ms; /* of the init, and the default of every call. MUSTER_DEFAULT: MUSTER_TIMEOUT seconds
                     from the environment, else 300 s. At most 24 hours. */
  int transport;  /* muster_transport. MUSTER_TRANSPORT=pmix|tcp|single in the environment replaces AUTO. */
  int numbering;  /* muster_numbering */
} muster_options;

#define MUSTER_OPTIONS \
  { sizeof(muster_options), MUSTER_DEFAULT, MUSTER_TRANSPORT_AUTO, MUSTER_RANKS_AUTO }

/* Joins this process to its step. Sends nothing that others wait for: a missing rank is found by the first
 * collective call. `options` may be NULL. On error *handle is NULL. One handle per process at a time;
 * another after muster_finalize() is well. */
MUSTER_API int muster_init(muster_t **handle, const muster_options *options);

/* Leaves. Not collective, but a rank must not leave before its last collective call has returned. Frees the handle
 * and sets it to NULL, also on error. A handle that is NULL is MUSTER_OK. After PMIx is left, the death of
 * a process no longer ends the step by PMIx. */
MUSTER_API int muster_finalize(muster_t **handle, int timeout_ms);

/* Ends the whole step: prints `reason` (one line, NULL for none) on stderr with rank and node, asks the
 * resource manager to kill every rank, and exits this process with `code` (1 to 255) if that did not
 * happen by the deadline. Over TCP it tells rank 0 and exits. Does not return MUSTER_OK: it returns an
 * error for bad arguments, or not at all. */
MUSTER_API int muster_abort(muster_t *handle, int code, const char *reason);

/* ---------------------------------------------------------------- who am I */

/* All of these: at once, no communication, callable from any thread while the handle lives; -1 (or NULL)
 * for a NULL handle and where it is not known. */
MUSTER_API int muster_rank(const muster_t *handle);            /* in the numbering of the handle, from 0 */
MUSTER_API int muster_size(const muster_t *handle);            /* ranks of the step, at least 1 */
MUSTER_API int muster_procid(const muster_t *handle);          /* in Slurm's numbering */
MUSTER_API int muster_contiguous_rank(const muster_t *handle); /* node by node */
MUSTER_API int muster_local_rank(const muster_t *handle);      /* among the ranks of this node, from 0 */
MUSTER_API int muster_local_size(const muster_t *handle);      /* ranks of this node */
MUSTER_API int muster_node_rank(const muster_t *handle);       /* nodes in the order of their lowest SLURM_PROCID */
MUSTER_API int muster_node_count(const muster_t *handle);
MUSTER_API const char *muster_node_name(const muster_t *handle); /* lives as long as the handle */
MUSTER_API int muster_transport_used(const muster_t *handle);    /* muster_transport, never AUTO */

/* ---------------------------------------------------------------- exchange, broadcast, barrier */

#define MUSTER_MAX_BLOB (1u << 20) /* bytes that one rank may give to one call */
#define MUSTER_MAX_TAG 63          /* bytes of a tag */

/* What a rank gave. Before the call: `rank` says whose is wanted. After it: `data` and `size`, which live
 * until the next collective call on the handle or its end; data is NULL when size is 0. */
typedef struct muster_blob {
  int rank;
  const void *data;
  size_t size;
} muster_blob;

/* Collective. Gives `size` bytes (0 to MUSTER_MAX_BLOB; 0 for nothing to give) to whoever asks, and reads
 * what `count` others gave: all of them, some or none, in any order, itself too. Every byte travels to every node, so
 * give little: the cost is one PMIx fence. `tag` (not NULL) names the call: ranks with different tags
 * get MUSTER_ERR_MISMATCH. No rank returns before all have called. */
MUSTER_API int muster_exchange(muster_t *handle, const char *tag, const void *data, size_t size,
                               muster_blob *wanted, size_t count, int timeout_ms);

/* Collective. `size` bytes (the same on every rank, up to MUSTER_MAX_BLOB) of `root` into everyone's `buffer`. */
MUSTER_API int muster_broadcast(muster_t *handle, void *buffer, size_t size, int root, int timeout_ms);

/* Collective. No rank returns before all have called. */
MUSTER_API int muster_barrier(muster_t *handle, int timeout_ms);

/* Where a rank is. Known for this process, and for every rank that the last collective call read
 * (PMIx: for every rank after the first collective call); else MUSTER_ERR_NOT_FOUND. */
typedef struct muster_endpoint {
  char node[256];   /* name as Slurm has it */
  char address[64]; /* numeric, on the network that the launcher chose (NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME),
                       else by which its packets to MASTER_ADDR leave, else that of its node's name in /etc/hosts,
                       else its first that is not loopback */
} muster_endpoint;

MUSTER_API int muster_endpoint_of(muster_t *handle, int rank, muster_endpoint *endpoint, int timeout_ms);

/* ---------------------------------------------------------------- NCCL */

#define MUSTER_NCCL_ID_BYTES 128 /* sizeof(ncclUniqueId) */
#define MUSTER_UNSET INT32_MIN   /* NCCL's own "undefined" */

typedef struct muster_nccl_options {
  size_t size;         /* sizeof(muster_nccl_options): set by MUSTER_NCCL_OPTIONS */
  int timeout_ms;      /* of the whole call */
  int roots;           /* MUSTER_DEFAULT: one for each `ranks_per_root` ranks, rounded up; at most the ranks */
  int ranks_per_root;  /* MUSTER_DEFAULT: 128 */
  uint32_t generation; /* which communicator of the program this is, the same on every rank: one that is
                          made again after a failure counts on */
  int device;          /* CUDA index of this rank's GPU. MUSTER_DEFAULT: the calling thread's current one if it
                          has one, else LOCAL_RANK modulo the GPUs that this process sees */
  int cuda_version;    /* CUDART_VERSION that the program needs, to check drivers; 0: not checked */
  unsigned flags;      /* MUSTER_NCCL_* below */
  const void *config;  /* an ncclConfig_t that begins as NCCL_CONFIG_INITIALIZER, or NULL. `blocking` becomes 0. */
  /* Without nccl.h: fields of ncclConfig_t by their own names, MUSTER_UNSET or NULL for NCCL's default. They go
   * over `config`. One that the loaded NCCL does not have yet is MUSTER_ERR_ARGUMENT. */
  int cga_cluster_size, min_ctas, max_ctas, split_share, traffic_class, collnet_enable, cta_policy, nvls_ctas;
  const char *net_name;
  const char *comm_name;
} muster_nccl_options;

#define MUSTER_NCCL_OPTIONS                                                                          \
  {                                                                                                  \
    sizeof(muster_nccl_options), MUSTER_DEFAULT, MUSTER_DEFAULT, MUSTER_DEFAULT, 0, MUSTER_DEFAULT,  \
        0, 0, NULL, MUSTER_UNSET, MUSTER_UNSET, MUSTER_UNSET, MUSTER_UNSET, MUSTER_UNSET,            \
        MUSTER_UNSET, MUSTER_UNSET, MUSTER_UNSET, NULL, NULL                                         \
  }

/* Several ranks on one GPU are wanted (NCCL 2.30 with NCCL_MULTI_RANK_GPU_ENABLE, or a test with a
 * distinct NCCL_HOSTID per rank). */
#define MUSTER_NCCL_SHARED_GPU 1u
/* muster_nccl_ids() only: do not look at GPUs. */
#define MUSTER_NCCL_IDS_ONLY 2u

/* Version of the NCCL that would be used, as ncclGetVersion() says it (22809). Opens libnccl: the one
 * already in the process, torch's own, MUSTER_NCCL_LIBRARY, or libnccl.so.2 by the system's rules. */
MUSTER_API int muster_nccl_version(int *version);

/* Collective. The ncclUniqueIds of one communicator over all ranks, made by the first rank of each root and in
 * the order in which ncclCommInitRankScalable() wants them; `ids` has room for `capacity` of
 * MUSTER_NCCL_ID_BYTES each, *count says how many there are. With one root it is what ncclCommInitRank() wants.
 * The makers must live until the communicator is up. `options` may be NULL. Checked before it returns,
 * and reported by node: NCCL's versions, and GPUs and drivers of this node, in steps of up to 256 ranks of all nodes.
 * NCCL_COMM_ID is taken out of this process's environment; NCCL reads its other variables once, at the first call. */
MUSTER_API int muster_nccl_ids(muster_t *handle, const muster_nccl_options *options, void *ids,
                               size_t capacity, size_t *count);

/* Collective. A communicator over all ranks, rank r being muster_rank() r: ids, checks, non-blocking init with polling.
 * On success *comm is an ncclComm_t that is ready and the caller's (muster_nccl_destroy or
 * ncclCommDestroy); it is a non-blocking one, so muster_nccl_wait() after what may return ncclInProgress.
 * On error it has been aborted on this rank and *comm is NULL. */
MUSTER_API int muster_nccl_init(muster_t *handle, const muster_nccl_options *options, void **comm);

/* Colours for muster_nccl_split(). */
#define MUSTER_SPLIT_NODE (-2) /* one communicator for each node */
#define MUSTER_SPLIT_NONE (-1) /* this rank is in none: *child becomes NULL */

/* Collective over the ranks of `parent`. A part of it by ncclCommSplit(): ranks with the same `colour` (0 or more, or one of
 * the above), ordered by `key` and then by rank. Needs NCCL 2.18 and no exchange. `options` may be NULL: then
 * the configuration is the parent's. After an error `parent` is the caller's still, of use for muster_nccl_abort() only. */
MUSTER_API int muster_nccl_split(muster_t *handle, void *parent, int colour, int key,
                                 const muster_nccl_options *options, void **child);

/* Waits until nothing is in progress on `comm` any more. When the deadline passes (MUSTER_ERR_TIMEOUT) or NCCL failed
 * (MUSTER_ERR_NCCL) it has been aborted and is gone. */
MUSTER_API int muster_nccl_wait(muster_t *handle, void *comm, int timeout_ms);

/* Ends a communicator in order, or tears it down without its peers. *comm becomes NULL. */
MUSTER_API int muster_nccl_destroy(muster_t *handle, void **comm, int timeout_ms);
MUSTER_API int muster_nccl_abort(muster_t *handle, void **comm);

#ifdef __cplusplus
}
#endif

#endif
