/* Each rank reads its neighbour's text: no NCCL, no MPI, no port.   cc ring.c -lmuster -o ring
 *     srun -N2 -n4 --distributed=none ./ring                                                */
#include <err.h>
#include <muster/muster.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  muster_t *step;
  if (muster_init(&step, NULL) != MUSTER_OK) errx(1, "%s", muster_last_error());
  const int rank = muster_rank(step), size = muster_size(step);

  char mine[64];
  snprintf(mine, sizeof mine, "pid %d", (int)getpid());
  muster_blob right = {.rank = (rank + 1) % size};
  if (muster_exchange(step, "pids", mine, strlen(mine), &right, 1, 10000) != MUSTER_OK)
    errx(1, "%s", muster_last_error());

  muster_endpoint where;
  if (muster_endpoint_of(step, right.rank, &where, 10000) != MUSTER_OK)
    errx(1, "%s", muster_last_error());
  printf("rank %d of %d on %s: rank %d is %.*s on %s (%s)\n", rank, size, muster_node_name(step),
         right.rank, (int)right.size, (const char *)right.data, where.node, where.address);

  if (muster_finalize(&step, 10000) != MUSTER_OK) errx(1, "%s", muster_last_error());
  return 0;
}
