/* Many collective calls in one step: in each, every rank gives different data of a different size,
 * reads the data of some of the others and reports what is wrong.
 * usage: many_phases PHASES slurm|contiguous|auto
 */
#include <err.h>
#include <muster/muster.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t size_of(int rank, int phase) {
  return (size_t)((rank * 37 + phase * 11) % 500);
}
static unsigned char byte_of(int rank, int phase, size_t at) {
  return (unsigned char)(rank * 7 + phase * 13 + (int)at);
}

static void check(int status, const char* what) {
  if (status != MUSTER_OK)
    errx(1, "%s: %s: %s", what, muster_status_name(status), muster_last_error());
}

static void check_blob(const muster_blob* blob, int phase) {
  if (blob->size != size_of(blob->rank, phase)) {
    errx(1, "phase %d: rank %d gave %zu bytes, not %zu", phase, blob->rank, blob->size,
         size_of(blob->rank, phase));
  }
  for (size_t i = 0; i < blob->size; ++i) {
    if (((const unsigned char*)blob->data)[i] != byte_of(blob->rank, phase, i)) {
      errx(1, "phase %d: byte %zu of rank %d is wrong", phase, i, blob->rank);
    }
  }
}

/* All ranks in one phase, none in the next, then every third, starting with a different one each time. */
static size_t choose(muster_blob* wanted, int size, int phase) {
  size_t count = 0;
  for (int rank = 0; rank < size; ++rank) {
    if (phase % 3 == 0 || (phase % 3 == 2 && rank % 3 == phase % 2)) wanted[count++].rank = rank;
  }
  return count;
}

static void exchange(muster_t* m, int phase) {
  const int rank = muster_rank(m), size = muster_size(m);
  unsigned char mine[500];
  for (size_t i = 0; i < size_of(rank, phase); ++i) mine[i] = byte_of(rank, phase, i);
  muster_blob* wanted = calloc((size_t)size, sizeof *wanted);
  if (wanted == NULL) errx(1, "out of memory");
  const size_t count = choose(wanted, size, phase);
  check(muster_exchange(m, "data", mine, size_of(rank, phase), wanted, count, MUSTER_DEFAULT),
        "exchange");
  for (size_t i = 0; i < count; ++i) check_blob(&wanted[i], phase);
  free(wanted);
}

static void show_place(muster_t* m) {
  muster_endpoint first;
  check(muster_endpoint_of(m, 0, &first, MUSTER_DEFAULT), "endpoint");
  printf(
      "rank=%d size=%d procid=%d contiguous=%d local=%d/%d node=%d/%d name=%s transport=%d "
      "first=%s@%s\n",
      muster_rank(m), muster_size(m), muster_procid(m), muster_contiguous_rank(m),
      muster_local_rank(m), muster_local_size(m), muster_node_rank(m), muster_node_count(m),
      muster_node_name(m), muster_transport_used(m), first.node, first.address);
}

int main(int argc, char** argv) {
  if (argc != 3) errx(2, "usage: many_phases PHASES slurm|contiguous|auto");
  muster_options options = MUSTER_OPTIONS;
  options.timeout_ms = 20000;
  if (strcmp(argv[2], "slurm") == 0) options.numbering = MUSTER_RANKS_SLURM;
  if (strcmp(argv[2], "contiguous") == 0) options.numbering = MUSTER_RANKS_CONTIGUOUS;
  /* While slurmstepd 22.05 starts tasks, it runs as the user for a moment. If another node's PMIx server
   * connects then, slurmstepd refuses it permanently ("Unauthorized credential"). This was seen with
   * programs as fast as this one. */
  usleep(300000);
  muster_t* m;
  check(muster_init(&m, &options), "init");
  const int phases = atoi(argv[1]);
  for (int phase = 1; phase <= phases; ++phase) {
    exchange(m, phase);
    if (phase % 5 == 0) check(muster_barrier(m, MUSTER_DEFAULT), "barrier");
  }
  show_place(m);
  check(muster_finalize(&m, MUSTER_DEFAULT), "finalize");
  return 0;
}
