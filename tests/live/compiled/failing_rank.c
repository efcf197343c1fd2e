/* A rank that fails, among others that must notice.
 *
 *     failing_rank WHO WHAT WHEN TIMEOUT_MS
 *
 * Rank WHO (SLURM_PROCID; -1 for none) does WHAT (kill, segv, exit0, exit1, stop, sleep, leave,
 * skip) and the others report how their last call ended: "rank 2 on node1: timeout after 5.0 s: ...".
 * WHEN: before  instead of muster_init()
 *       idle    after it, before the first exchange
 *       within  while it waits in the exchange: another rank joins some seconds later
 *       after   after the first exchange, while the others continue with a second one
 *       end     after muster_finalize() */
#include <muster/muster.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char* what;
static muster_t* step;
static int rank = -1;
static char node[256] = "?";

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(void) {
  if (strcmp(what, "kill") == 0) raise(SIGKILL);
  if (strcmp(what, "segv") == 0) signal(SIGSEGV, SIG_DFL), raise(SIGSEGV);
  if (strcmp(what, "exit0") == 0) _exit(0);
  if (strcmp(what, "exit1") == 0) _exit(1);
  if (strcmp(what, "stop") == 0) raise(SIGSTOP);
  if (strcmp(what, "leave") == 0) {
    muster_finalize(&step, 5000);
    _exit(0);
  }
  if (strcmp(what, "sleep") == 0) sleep(600);
}

static void on_alarm(int signal_number) {
  (void)signal_number;
  fail();
}

/* Reports how it ended, in one write, and exits. */
static void end(int status, double begin) {
  char line[4600];
  const int length = snprintf(line, sizeof line, "rank %d on %s: %s after %.1f s: %s\n", rank, node,
                              muster_status_name(status), now() - begin,
                              status == MUSTER_OK ? "" : muster_last_error());
  if (write(STDOUT_FILENO, line, (size_t)length) != length) _exit(3);
  _exit(status == MUSTER_OK ? 0 : 10 + status);
}

static int exchange(const char* tag, int timeout_ms) {
  muster_blob first = {.rank = 0, .data = NULL, .size = 0};
  return muster_exchange(step, tag, "x", 1, &first, 1, timeout_ms);
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const char* const id = getenv("SLURM_PROCID");
  const int mine = id == NULL ? 0 : atoi(id), who = atoi(argv[1]), timeout_ms = atoi(argv[4]);
  const char* const when = argv[3];
  const int odd = mine == who;
  what = argv[2];

  /* While slurmstepd 22.05 starts tasks, it runs as the user for a moment. If another node's PMIx server
   * connects then, slurmstepd refuses it permanently ("Unauthorized credential"). This was seen with
   * programs as fast as this one. */
  usleep(300000);
  if (odd && strcmp(when, "before") == 0) fail();
  const double begin = now();
  muster_options options = MUSTER_OPTIONS;
  options.timeout_ms = timeout_ms;
  int status = muster_init(&step, &options);
  if (status != MUSTER_OK) end(status, begin);
  rank = muster_rank(step);
  snprintf(node, sizeof node, "%s", muster_node_name(step));

  if (odd && strcmp(when, "idle") == 0) fail();
  if (strcmp(when, "within") == 0) {
    if (odd) {
      signal(SIGALRM, on_alarm);
      const struct itimerval soon = {.it_interval = {0, 0}, .it_value = {0, 400000}};
      setitimer(ITIMER_REAL, &soon, NULL);
    } else if (mine == who + 1) {
      sleep(3);
    }
  }
  double call = now();
  if (!(odd && strcmp(what, "skip") == 0)) status = exchange("first", timeout_ms);
  if (status != MUSTER_OK) end(status, call);

  if (odd && strcmp(when, "after") == 0) fail();
  call = now();
  status = exchange("second", timeout_ms);
  if (status != MUSTER_OK) end(status, call);

  status = muster_finalize(&step, timeout_ms);
  if (odd && strcmp(when, "end") == 0) fail();
  if (strcmp(when, "end") == 0) sleep(2);
  end(status, call);
  return 0;
}
