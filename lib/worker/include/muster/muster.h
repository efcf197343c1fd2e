/* libmuster: the processes of one job step find each other and bring up NCCL, using only PMIx.
 *
 *     muster_t *m;
 *     if (muster_init(&m, NULL) != MUSTER_OK) errx(1, "%s", muster_last_error());
 *     printf("rank %d of %d\n", muster_rank(m), muster_size(m));
 *     muster_finalize(&m, MUSTER_DEFAULT);
 *
 * Requirements. Slurm with PMIx (`srun --distributed`, or `srun --mpi=pmix`). Without PMIx the same calls go
 * over TCP to rank 0, and a process that is alone needs neither. The library needs neither muster's plugin
 * nor a GPU. It links neither libpmix nor libnccl: it opens them when a call needs them.
 *
 * Calls. Every function that returns a muster_status returns MUSTER_OK (0) or an error. After an error,
 * muster_last_error() on the same thread returns one line: what happened, why, what to do. "Collective"
 * means: every rank of the step makes the same calls in the same order.
 *
 * Errors. Any call may return MUSTER_ERR_ARGUMENT, MUSTER_ERR_MEMORY or MUSTER_ERR_INTERNAL; any call on a
 * handle also MUSTER_ERR_STATE or MUSTER_ERR_BUSY; any collective call also MUSTER_ERR_TIMEOUT,
 * MUSTER_ERR_PEER, MUSTER_ERR_MISMATCH or MUSTER_ERR_TRANSPORT. Below, "Errors" lists what a call adds. A
 * call that refuses an argument has sent nothing, and the handle remains usable. After a collective call has
 * failed for any other reason, only the queries, muster_abort() and muster_finalize() may be used: what other
 * ranks saw of the call cannot be known.
 *
 * Deadlines. `timeout_ms` bounds the whole call, in milliseconds: 1 to 86400000 (24 hours), or MUSTER_DEFAULT
 * for the handle's (options.timeout_ms). No call waits forever.
 *
 * Threads. Functions may be called from any thread, but not from a signal handler (muster_stop_requested()
 * may). On one handle, only the queries may run during another call; a second call at the same time returns
 * MUSTER_ERR_BUSY and changes nothing. The library leaves no thread of its own behind; PMIx has one between
 * muster_init() and muster_finalize(). The handle belongs to the process that made it: after fork(), calls of
 * the child return MUSTER_ERR_STATE.
 *
 * Ownership. Whatever is passed to a call remains the caller's and may be freed once the call has returned.
 * Each call says how long a pointer that it returns stays valid.
 *
 * ABI. Structures begin with their size and may grow at their end; symbols carry versions (MUSTER_0.1).
 * Everything here exists since 0.1, unless it says otherwise. */
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
#define MUSTER_VERSION_MINOR 2
#define MUSTER_VERSION_PATCH 0

/* The version of the library that is loaded: major * 10000 + minor * 100 + patch. All ranks of one step must
 * have the same major and minor version. Never fails. */
MUSTER_API int muster_version(void);

/* ---------------------------------------------------------------- errors */

typedef enum muster_status {
  MUSTER_OK = 0,
  MUSTER_ERR_ARGUMENT = 1,    /* a value that this call does not accept */
  MUSTER_ERR_STATE = 2,       /* finalized, aborted, failed before, or a forked child */
  MUSTER_ERR_BUSY = 3,        /* another thread is inside a call on this handle */
  MUSTER_ERR_ENVIRONMENT = 4, /* the environment does not say which rank this is, or how to reach others */
  MUSTER_ERR_LIBRARY = 5,     /* libpmix, libnccl or libcuda is missing, too old or not a library */
  MUSTER_ERR_TIMEOUT = 6,     /* the deadline passed; the text names the missing ranks if they are known */
  MUSTER_ERR_PEER = 7,        /* another rank died or left */
  MUSTER_ERR_MISMATCH = 8,    /* ranks differ in version, size, tag, call or generation */
  MUSTER_ERR_GPU = 9,         /* no GPU, a GPU used twice, an unsuitable driver or NCCL */
  MUSTER_ERR_TRANSPORT = 10,  /* PMIx or a socket failed */
  MUSTER_ERR_NCCL = 11,       /* NCCL failed */
  MUSTER_ERR_MEMORY = 12,     /* out of memory */
  MUSTER_ERR_NOT_FOUND = 13,  /* nothing is known about that rank (yet) */
  MUSTER_ERR_INTERNAL = 14    /* a bug in muster */
} muster_status;

/* The last error of this thread: one line without a line feed, "" if there was none. Never NULL. The text is
 * valid until the next call of this thread that fails. */
MUSTER_API const char *muster_last_error(void);

/* The name of a status: "ok", "timeout", "mismatch", ...; "unknown" for any other number. Valid forever. */
MUSTER_API const char *muster_status_name(int status);

/* ---------------------------------------------------------------- init, finalize, abort */

typedef struct muster_step muster_t; /* opaque */

#define MUSTER_DEFAULT (-1)

/* How the ranks reach each other. */
typedef enum muster_transport {
  MUSTER_TRANSPORT_AUTO = 0,  /* PMIx if this step has it; otherwise TCP, or SINGLE if there is one rank */
  MUSTER_TRANSPORT_PMIX = 1,  /* PMIx, or an error */
  MUSTER_TRANSPORT_TCP = 2,   /* TCP to rank 0, or an error */
  MUSTER_TRANSPORT_SINGLE = 3 /* this process is the only rank */
} muster_transport;

/* How ranks are numbered, here and in every call. */
typedef enum muster_numbering {
  MUSTER_RANKS_AUTO = 0,      /* RANK if the launcher has set it, otherwise SLURM_PROCID */
  MUSTER_RANKS_SLURM = 1,     /* SLURM_PROCID */
  MUSTER_RANKS_CONTIGUOUS = 2 /* node by node: nodes in the order of their lowest SLURM_PROCID */
} muster_numbering;

typedef struct muster_options {
  size_t size;    /* sizeof(muster_options); MUSTER_OPTIONS sets it */
  int timeout_ms; /* of muster_init(), and the default of every call: 1 to 86400000. MUSTER_DEFAULT: the
                     seconds in MUSTER_TIMEOUT (environment), otherwise 300 s */
  int transport;  /* a muster_transport. MUSTER_TRANSPORT=pmix|tcp|single (environment) replaces AUTO */
  int numbering;  /* a muster_numbering */
} muster_options;

/* The defaults: muster_options options = MUSTER_OPTIONS; */
#define MUSTER_OPTIONS \
  { sizeof(muster_options), MUSTER_DEFAULT, MUSTER_TRANSPORT_AUTO, MUSTER_RANKS_AUTO }

/* Joins this process to its step. Not collective: it waits for no other rank, and the first collective call
 * finds out which ranks are missing. Over TCP, rank 0 listens from now on.
 *   handle   receives the handle, which muster_finalize() frees; NULL after an error
 *   options  NULL for the defaults
 * A process has one handle at a time (otherwise MUSTER_ERR_STATE), and may make another after
 * muster_finalize().
 * Errors: MUSTER_ERR_ENVIRONMENT, MUSTER_ERR_LIBRARY, MUSTER_ERR_TIMEOUT, MUSTER_ERR_TRANSPORT. */
MUSTER_API int muster_init(muster_t **handle, const muster_options *options);

/* Leaves the step. Not collective, but a rank must not leave before its last collective call has returned.
 * Frees the handle and sets *handle to NULL, even if it returns an error, except for MUSTER_ERR_BUSY. Returns
 * MUSTER_OK for a NULL handle. Once PMIx has been left, the death of a process no longer ends the step
 * through PMIx. Communicators are not affected.
 * Errors: MUSTER_ERR_TIMEOUT, MUSTER_ERR_TRANSPORT. */
MUSTER_API int muster_finalize(muster_t **handle, int timeout_ms);

/* Ends the whole step. Prints `reason` on stderr with rank and node, asks the resource manager to kill every
 * rank, and exits this process with `code` if that has not happened within 10 s. Over TCP it tells rank 0,
 * which tells the others, and exits.
 *   code    1 to 255
 *   reason  one line, cut at 1000 bytes; NULL for none
 * Never returns MUSTER_OK: it returns an error, or not at all. */
MUSTER_API int muster_abort(muster_t *handle, int code, const char *reason);

/* ---------------------------------------------------------------- this rank */

/* The queries. They return at once, without communication, and may be called from any thread while the handle
 * lives. They return -1 (or NULL) for a NULL handle and for what is not known. */
MUSTER_API int muster_rank(const muster_t *handle);              /* in the numbering of the handle, from 0 */
MUSTER_API int muster_size(const muster_t *handle);              /* ranks of the step, at least 1 */
MUSTER_API int muster_procid(const muster_t *handle);            /* in Slurm's numbering */
MUSTER_API int muster_contiguous_rank(const muster_t *handle);   /* node by node */
MUSTER_API int muster_local_rank(const muster_t *handle);        /* among the ranks of this node, from 0 */
MUSTER_API int muster_local_size(const muster_t *handle);        /* ranks of this node */
MUSTER_API int muster_node_rank(const muster_t *handle);         /* nodes in order of lowest SLURM_PROCID */
MUSTER_API int muster_node_count(const muster_t *handle);        /* nodes of the step */
MUSTER_API const char *muster_node_name(const muster_t *handle); /* valid as long as the handle */
MUSTER_API int muster_transport_used(const muster_t *handle);    /* a muster_transport, never AUTO */

/* ---------------------------------------------------------------- exchange, broadcast, barrier */

#define MUSTER_MAX_BLOB (1u << 20) /* bytes that one rank may pass to one call: 1 MiB */
#define MUSTER_MAX_TAG 63          /* bytes of a tag */

/* What a rank shared. The caller sets `rank`; the call sets `data` and `size`. The data is valid until the
 * next collective call on the handle or muster_finalize(); it is NULL if size is 0. */
typedef struct muster_blob {
  int rank;
  const void *data;
  size_t size;
} muster_blob;

/* Collective. Shares bytes with every rank that wants them, and reads what other ranks shared. No rank
 * returns before all have called. Keep the data small: over PMIx, every byte travels to every node.
 *   tag     names the call: 1 to MUSTER_MAX_TAG bytes without control characters, the same on every rank
 *           (otherwise MUSTER_ERR_MISMATCH)
 *   data    `size` bytes, 0 to MUSTER_MAX_BLOB, which may differ from rank to rank; NULL if size is 0
 *   wanted  `count` entries (NULL if count is 0): the ranks to read, all, some or none, in any order,
 *           including this one */
MUSTER_API int muster_exchange(muster_t *handle, const char *tag, const void *data, size_t size,
                               muster_blob *wanted, size_t count, int timeout_ms);

/* Collective. Copies `size` bytes of rank `root` into the buffer of every rank. No rank returns before all
 * have called.
 *   buffer  `size` bytes: read on the root, written on the others; NULL if size is 0
 *   size    0 to MUSTER_MAX_BLOB, the same on every rank (otherwise MUSTER_ERR_MISMATCH)
 *   root    0 to muster_size() - 1, the same on every rank (otherwise MUSTER_ERR_MISMATCH) */
MUSTER_API int muster_broadcast(muster_t *handle, void *buffer, size_t size, int root, int timeout_ms);

/* Collective. No rank returns before all have called. */
MUSTER_API int muster_barrier(muster_t *handle, int timeout_ms);

/* Not collective. Names what the program did between the end of its last call on this handle and now, for
 * the page that `muster report` makes from a run with logs=. It does not communicate, and does nothing
 * without logs=.
 *   what  1 to MUSTER_MAX_TAG bytes without control characters */
MUSTER_API int muster_mark(muster_t *handle, const char *what);

/* Where a rank is. The address is numeric: on the network that the launcher chose (NCCL_SOCKET_IFNAME,
 * GLOO_SOCKET_IFNAME); otherwise the source address of packets to MASTER_ADDR; otherwise the address of
 * the node's name in /etc/hosts; otherwise the first that is not loopback. */
typedef struct muster_endpoint {
  char node[256]; /* the node's name in Slurm */
  char address[64];
} muster_endpoint;

/* Not collective. Writes where `rank` (0 to muster_size() - 1) is. Known for this process, and for every rank
 * that the last collective call read (PMIx: for every rank after the first collective call).
 * Errors: MUSTER_ERR_NOT_FOUND for any other rank; over PMIx MUSTER_ERR_TIMEOUT, MUSTER_ERR_TRANSPORT. */
MUSTER_API int muster_endpoint_of(muster_t *handle, int rank, muster_endpoint *endpoint, int timeout_ms);

/* ---------------------------------------------------------------- stop */

/* For a program that saves its state and exits cleanly when a signal asks it to: the signal of `sbatch
 * --signal=USR1@120`, or the SIGTERM of scancel, preemption or the time limit.
 *
 *     muster_stop_on(NULL);
 *     for (...) {
 *       if (muster_stop_requested()) break;
 *
 * Needs no handle and no step. One rank may see a signal one step of the loop before another: ranks that must
 * stop together agree on it first (MPI_Allreduce, ncclAllReduce; muster.torch.stop_requested() does). */

/* Counts signals as requests to stop, from now on. Uses a signal handler and starts no thread:
 *   - a handler that the program has installed before still runs, with its own flags and mask, once the
 *     request is counted;
 *   - without such a handler, the signal no longer ends the process, which continues until its loop stops;
 *     interrupted calls are restarted (SA_RESTART). An ignored signal is counted as well;
 *   - a handler that the program installs later replaces muster's: install it before this call, or let it
 *     call the handler that sigaction() returned;
 *   - in a forked child the signals do what they would without muster until the child makes this call itself.
 *     exec restores their default.
 *   signals  names separated by commas: HUP, INT, QUIT, USR1, USR2, ALRM, TERM, XCPU, with or without SIG, in
 *            either case. NULL: those of MUSTER_STOP_SIGNALS (environment), otherwise USR1 and TERM
 * May be called from any thread and any number of times; signals add up.
 * Errors: MUSTER_ERR_ARGUMENT for any other name; MUSTER_ERR_STATE if a handler of the program has replaced
 * muster's. */
MUSTER_API int muster_stop_on(const char *signals);

/* 1, forever, once a signal of muster_stop_on() has reached this process; otherwise 0, also without that
 * call and in a forked child. Never fails. May be called from any thread and, unlike all other functions,
 * from a signal handler. */
MUSTER_API int muster_stop_requested(void);

/* How many times the launcher has restarted this run after a failure: 0 in the first attempt. This is
 * TORCHELASTIC_RESTART_COUNT, or 0 if that is not set or not a number. Needs no handle and no step. */
MUSTER_API int muster_restart_count(void);

/* ---------------------------------------------------------------- NCCL */

#define MUSTER_NCCL_ID_BYTES 128 /* sizeof(ncclUniqueId) */
#define MUSTER_UNSET INT32_MIN   /* NCCL's own "undefined" */

typedef struct muster_nccl_options {
  size_t size;         /* sizeof(muster_nccl_options); MUSTER_NCCL_OPTIONS sets it */
  int timeout_ms;      /* of the whole call: 1 to 86400000, or MUSTER_DEFAULT */
  int roots;           /* 1 to muster_size(); more than 1 needs NCCL 2.23. MUSTER_DEFAULT: one for every
                          `ranks_per_root` ranks, rounded up, but 1 with an older NCCL */
  int ranks_per_root;  /* 1 or more. MUSTER_DEFAULT: 128 */
  uint32_t generation; /* which communicator of the program this is, the same on every rank
                          (otherwise MUSTER_ERR_MISMATCH): a program that makes one again after a failure
                          increments it */
  int device;          /* CUDA index of this rank's GPU. MUSTER_DEFAULT: the calling thread's current one if
                          it has one, otherwise LOCAL_RANK modulo the GPUs that this process sees */
  int cuda_version;    /* CUDART_VERSION that the program needs, to check drivers; 0: no check */
  unsigned flags;      /* MUSTER_NCCL_*, or 0 */
  const void *config;  /* an ncclConfig_t that was set to NCCL_CONFIG_INITIALIZER first, or NULL. Its
                          `blocking` is taken as 0 */
  /* Fields of ncclConfig_t under their own names, for programs without nccl.h. MUSTER_UNSET or NULL: NCCL's
   * default. They replace those of `config`. A field that the loaded NCCL lacks is MUSTER_ERR_ARGUMENT. */
  int cga_cluster_size, min_ctas, max_ctas, split_share, traffic_class, collnet_enable, cta_policy;
  int nvls_ctas;
  const char *net_name;
  const char *comm_name;
} muster_nccl_options;

/* The defaults: muster_nccl_options options = MUSTER_NCCL_OPTIONS; */
#define MUSTER_NCCL_OPTIONS                                                                          \
  {                                                                                                  \
    sizeof(muster_nccl_options), MUSTER_DEFAULT, MUSTER_DEFAULT, MUSTER_DEFAULT, 0, MUSTER_DEFAULT,  \
        0, 0, NULL, MUSTER_UNSET, MUSTER_UNSET, MUSTER_UNSET, MUSTER_UNSET, MUSTER_UNSET,            \
        MUSTER_UNSET, MUSTER_UNSET, MUSTER_UNSET, NULL, NULL                                         \
  }

/* Allows several ranks on one GPU (NCCL 2.30 with NCCL_MULTI_RANK_GPU_ENABLE, or a test that gives each rank
 * its own NCCL_HOSTID). */
#define MUSTER_NCCL_SHARED_GPU 1u
/* For muster_nccl_ids() only: do not look at GPUs. */
#define MUSTER_NCCL_IDS_ONLY 2u

/* The version of the NCCL that would be used, as ncclGetVersion() reports it (22809). Opens libnccl: the one
 * that the process has loaded already (PyTorch's, for example), otherwise MUSTER_NCCL_LIBRARY, otherwise
 * libnccl.so.2 by the system's rules. Needs no handle.
 * Errors: MUSTER_ERR_LIBRARY. */
MUSTER_API int muster_nccl_version(int *version);

/* Collective. Distributes the ncclUniqueIds of one communicator to all ranks. The first rank of each root
 * makes one; that process must live until the communicator is up.
 *   options   NULL for the defaults
 *   ids       room for `capacity` ids of MUSTER_NCCL_ID_BYTES each; muster_size() is always enough
 *   count     receives the number of ids, one for each root. They are in the order that
 *             ncclCommInitRankScalable() expects; a single one is for ncclCommInitRank()
 * Checks the ranks' NCCL versions, GPUs and drivers before it returns; an error names ranks and nodes.
 * Removes NCCL_COMM_ID from the environment of this process. NCCL reads its other variables once, at its
 * first call.
 * Errors: MUSTER_ERR_LIBRARY, MUSTER_ERR_GPU, MUSTER_ERR_NCCL. */
MUSTER_API int muster_nccl_ids(muster_t *handle, const muster_nccl_options *options, void *ids,
                               size_t capacity, size_t *count);

/* Collective. Makes a communicator over all ranks, in which each has its muster_rank(): ids and checks as in
 * muster_nccl_ids(), then NCCL's non-blocking initialization, which is polled until it is done.
 *   options  NULL for the defaults
 *   comm     receives an ncclComm_t that is ready. The caller ends it with muster_nccl_destroy() or
 *            ncclCommDestroy(). After an error it has been aborted on this rank, and *comm is NULL
 * The communicator is non-blocking: call muster_nccl_wait() after any NCCL call that may return
 * ncclInProgress.
 * Errors: MUSTER_ERR_LIBRARY, MUSTER_ERR_GPU, MUSTER_ERR_NCCL. */
MUSTER_API int muster_nccl_init(muster_t *handle, const muster_nccl_options *options, void **comm);

/* Values of `colour` for muster_nccl_split(). */
#define MUSTER_SPLIT_NODE (-2) /* one communicator for each node */
#define MUSTER_SPLIT_NONE (-1) /* this rank is in no part: *child becomes NULL */

/* Collective over the ranks of `parent`. Splits it with ncclCommSplit() (NCCL 2.18); no exchange is needed.
 *   parent   an ncclComm_t. After an error it remains the caller's, who may only call
 *            muster_nccl_abort() on it
 *   colour   ranks with the same value are in one part: 0 or more, or one of the two above
 *   key      orders the ranks of a part; ranks with the same key keep their order
 *   options  NULL for the configuration of the parent; only the fields `timeout_ms`, `config` and those
 *            of ncclConfig_t are used
 *   child    receives the ncclComm_t of this rank's part, which is the caller's; NULL after an error
 * Errors: MUSTER_ERR_LIBRARY, MUSTER_ERR_NCCL, MUSTER_ERR_TIMEOUT; MUSTER_ERR_ENVIRONMENT for
 * MUSTER_SPLIT_NODE if it is not known which rank is on which node. */
MUSTER_API int muster_nccl_split(muster_t *handle, void *parent, int colour, int key,
                                 const muster_nccl_options *options, void **child);

/* Waits until nothing is in progress on `comm`, an ncclComm_t of the caller's. If NCCL fails
 * (MUSTER_ERR_NCCL) or the deadline passes (MUSTER_ERR_TIMEOUT), it aborts the communicator, and `comm` must
 * no longer be used. */
MUSTER_API int muster_nccl_wait(muster_t *handle, void *comm, int timeout_ms);

/* Ends a communicator cleanly, or aborts it if that fails or takes too long. *comm becomes NULL. Returns
 * MUSTER_OK if it already is.
 * Errors: MUSTER_ERR_NCCL, MUSTER_ERR_TIMEOUT. */
MUSTER_API int muster_nccl_destroy(muster_t *handle, void **comm, int timeout_ms);

/* Tears a communicator down without waiting for its peers. *comm becomes NULL. Returns MUSTER_OK if it
 * already is. */
MUSTER_API int muster_nccl_abort(muster_t *handle, void **comm);

#ifdef __cplusplus
}
#endif

#endif
