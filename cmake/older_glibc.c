/* What Debian 12's headers and libstdc++ need from a glibc newer than 2.28, provided for the older one
 * (MusterGlibc.cmake).
 *
 * Each comment gives the first glibc release that has the function itself. If one is missing here, the
 * program does not link, and the linker names it. What glibc only moved between its libraries, or has in
 * several versions (pthread_create, stat), needs no replacement: zig links the old one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* 2.32. Whether reference counts may use non-atomic instructions: here they never do. */
extern char __libc_single_threaded;
char __libc_single_threaded = 0;

/* 2.36. For std::random_device. getrandom returns so few bytes completely or not at all. */
uint32_t arc4random(void) {
  uint32_t number;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort();
  return number;
}

/* 2.30. For waits of std::condition_variable until a time of the steady clock. If this machine's glibc
 * lacks it, the condition waits by the wall clock until the same amount of time has passed. If someone
 * sets the wall clock meanwhile, the wait may be too short, which libstdc++ notices because it checks its
 * own clock, or too long by the same amount. */
typedef int (*clockwait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *end) {
  const long second = 1000000000;
  const clockwait of_machine = (clockwait)dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  struct timespec now, until;
  if (of_machine) return of_machine(condition, mutex, clock, end);
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += end->tv_sec - now.tv_sec;
  until.tv_nsec += end->tv_nsec - now.tv_nsec;
  if (until.tv_nsec < 0) {
    until.tv_nsec += second;
    until.tv_sec -= 1;
  } else if (until.tv_nsec >= second) {
    until.tv_nsec -= second;
    until.tv_sec += 1;
  }
  return pthread_cond_timedwait(condition, mutex, &until);
}

/* 2.32. The description, without "Unknown signal 99". */
const char *sigdescr_np(int number) { return number > 0 && number <= SIGSYS ? strsignal(number) : 0; }

/* 2.32. The name after SIG. */
const char *sigabbrev_np(int number) {
  static const char *const names[] = {
      [SIGHUP] = "HUP",       [SIGINT] = "INT",   [SIGQUIT] = "QUIT", [SIGILL] = "ILL",   [SIGTRAP] = "TRAP",
      [SIGABRT] = "ABRT",     [SIGBUS] = "BUS",   [SIGFPE] = "FPE",   [SIGKILL] = "KILL", [SIGUSR1] = "USR1",
      [SIGSEGV] = "SEGV",     [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
      [SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD", [SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
      [SIGTTIN] = "TTIN",     [SIGTTOU] = "TTOU", [SIGURG] = "URG",   [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
      [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGIO] = "POLL", [SIGPWR] = "PWR",
      [SIGSYS] = "SYS"};
  const int count = sizeof names / sizeof *names;
  return number >= 0 && number < count ? names[number] : 0;
}
