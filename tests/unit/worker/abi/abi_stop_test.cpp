// Stop requests as a program uses them. Each test runs in a separate process: handlers last for the process's
// life.
#include "muster/muster.h"
#include "muster/muster.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using testing::ExitedWithCode;
using testing::KilledBySignal;

volatile std::sig_atomic_t calls = 0;
volatile std::sig_atomic_t seen_inside = -1;

void own_handler(int) {
  calls = calls + 1;
  seen_inside = muster_stop_requested();
  errno = EBADF;
}

void own_siginfo_handler(int, siginfo_t* info, void* context) {
  if (info->si_pid == ::getpid() && context != nullptr) calls = calls + 1;
}

// A condition that does not hold ends the child, and EXPECT_EXIT reports this line.
#define HOLDS(condition)                            \
  if (!(condition)) {                               \
    std::fputs("not so: " #condition "\n", stderr); \
    ::_exit(1);                                     \
  }
#define PROCESS(body)                      \
  EXPECT_EXIT(                             \
      {                                    \
        ::unsetenv("MUSTER_STOP_SIGNALS"); \
        body;                              \
        ::_exit(0);                        \
      },                                   \
      ExitedWithCode(0), "")

void install(int signal, int flags, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

TEST(Stop, IsRequestedByUsr1AndByTerm) {
  for (const int signal : {SIGUSR1, SIGTERM}) {
    PROCESS({
      HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
      HOLDS(muster_stop_requested() == 0);
      ::raise(signal);
      HOLDS(muster_stop_requested() == 1);
      HOLDS(muster_stop_requested() == 1);
    });
  }
}

TEST(Stop, IsNeverRequestedWithoutACallAndTheSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        if (muster_stop_requested() == 0) ::raise(SIGUSR1);
      },
      KilledBySignal(SIGUSR1), "");
}

TEST(Stop, LeavesSignalsAloneThatAreNotNamed) {
  EXPECT_EXIT(
      {
        muster_stop_on("USR2");
        ::raise(SIGTERM);
      },
      KilledBySignal(SIGTERM), "");
}

TEST(Stop, AddsUpTheSignalsOfSeveralCalls) {
  PROCESS({
    ::setenv("MUSTER_STOP_SIGNALS", "USR2", 1);
    HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
    HOLDS(muster_stop_on("sighup") == MUSTER_OK);
    HOLDS(muster_stop_on("HUP,USR2") == MUSTER_OK);
    ::raise(SIGHUP);
    HOLDS(muster_stop_requested() == 1);
    ::raise(SIGUSR2);
  });
}

TEST(Stop, RefusesAWordAndInstallsNothing) {
  PROCESS({
    HOLDS(muster_stop_on("USR1,KILL") == MUSTER_ERR_ARGUMENT);
    HOLDS(std::strstr(muster_last_error(), "'KILL'") != nullptr);
    struct sigaction current {};
    ::sigaction(SIGUSR1, nullptr, &current);
    HOLDS(current.sa_handler == SIG_DFL);
  });
}

TEST(Stop, LetsAnEarlierHandlerOfTheProgramRunAndSeeTheRequest) {
  PROCESS({
    install(SIGUSR1, 0, own_handler);
    HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
    errno = ENOENT;
    ::raise(SIGUSR1);
    HOLDS(errno == ENOENT);
    HOLDS(calls == 1);
    HOLDS(seen_inside == 1);
    HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
    ::raise(SIGUSR1);
    HOLDS(calls == 2);
  });
}

TEST(Stop, GivesAnEarlierHandlerItsSiginfo) {
  PROCESS({
    struct sigaction action {};
    action.sa_sigaction = own_siginfo_handler;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGTERM, &action, nullptr);
    HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
    ::raise(SIGTERM);
    HOLDS(calls == 1);
  });
}

TEST(Stop, RunsAHandlerForOneSignalOnce) {
  PROCESS({
    install(SIGUSR1, static_cast<int>(SA_RESETHAND), own_handler);
    HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
    ::raise(SIGUSR1);
    ::raise(SIGUSR1);
    HOLDS(calls == 1);
  });
}

TEST(Stop, CountsAnIgnoredSignalToo) {
  PROCESS({
    std::signal(SIGUSR1, SIG_IGN);
    HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
    ::raise(SIGUSR1);
    HOLDS(muster_stop_requested() == 1);
  });
}

int flags_after(int signal) {
  struct sigaction current {};
  ::sigaction(signal, nullptr, &current);
  return current.sa_flags;
}

TEST(Stop, InterruptsNoCallUnlessTheProgramsOwnHandlerDoes) {
  PROCESS({
    install(SIGUSR1, 0, own_handler);
    install(SIGUSR2, SA_RESTART, own_handler);
    HOLDS(muster_stop_on("USR1,USR2,TERM") == MUSTER_OK);
    HOLDS((flags_after(SIGUSR1) & SA_RESTART) == 0);
    HOLDS((flags_after(SIGUSR2) & SA_RESTART) != 0);
    HOLDS((flags_after(SIGTERM) & SA_RESTART) != 0);
  });
}

TEST(Stop, YieldsToALaterHandlerAndSaysSo) {
  PROCESS({
    HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
    install(SIGTERM, 0, own_handler);
    ::raise(SIGTERM);
    HOLDS(calls == 1);
    HOLDS(muster_stop_requested() == 0);
    HOLDS(muster_stop_on("TERM") == MUSTER_ERR_STATE);
    HOLDS(std::strstr(muster_last_error(), "installed another handler") != nullptr);
    ::raise(SIGUSR1);
    HOLDS(muster_stop_requested() == 1);
  });
}

void (*replaced)(int, siginfo_t*, void*) = nullptr;

void chaining_handler(int signal, siginfo_t* info, void* context) {
  calls = calls + 1;
  replaced(signal, info, context);
}

TEST(Stop, IsRequestedThroughALaterHandlerThatCallsTheOneBefore) {
  PROCESS({
    HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
    struct sigaction action {};
    struct sigaction before {};
    action.sa_sigaction = chaining_handler;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGTERM, nullptr, &before);
    replaced = before.sa_sigaction;
    ::sigaction(SIGTERM, &action, nullptr);
    ::raise(SIGTERM);
    HOLDS(calls == 1);
    HOLDS(muster_stop_requested() == 1);
  });
}

template <class Body>
int status_of_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(Stop, LeavesAForkedChildAsItWouldBeWithoutMuster) {
  PROCESS({
    install(SIGUSR1, 0, own_handler);
    HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
    ::raise(SIGUSR1);
    const int ended = status_of_child([] {
      HOLDS(muster_stop_requested() == 0);
      ::raise(SIGUSR1);
      HOLDS(calls == 2);
      HOLDS(muster_stop_requested() == 0);
      ::raise(SIGTERM);
    });
    HOLDS(WIFSIGNALED(ended));
    HOLDS(WTERMSIG(ended) == SIGTERM);
    HOLDS(muster_stop_requested() == 1);
  });
}

TEST(Stop, CountsInAForkedChildThatAsksForIt) {
  PROCESS({
    HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
    ::raise(SIGUSR1);
    const int ended = status_of_child([] {
      HOLDS(muster_stop_on(nullptr) == MUSTER_OK);
      HOLDS(muster_stop_requested() == 0);
      ::raise(SIGTERM);
      HOLDS(muster_stop_requested() == 1);
    });
    HOLDS(WIFEXITED(ended));
    HOLDS(WEXITSTATUS(ended) == 0);
  });
}

TEST(CxxStop, ThrowsForAWordAndKnowsTheRequest) {
  PROCESS({
    bool refused = false;
    try {
      muster::stop_on("nothing");
    } catch (const muster::Error& error) {
      refused = error.status() == MUSTER_ERR_ARGUMENT;
    }
    HOLDS(refused);
    muster::stop_on();
    muster::stop_on("USR2");
    ::raise(SIGUSR2);
    HOLDS(muster::stop_requested());
  });
}

}  // namespace
