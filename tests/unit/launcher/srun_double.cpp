// Stands for srun in the supervisor's tests.
//   exit N       ends with code N
//   die N        ends by signal N
//   guard        prints MUSTER_SUPERVISOR
//   blocks N     says by its code whether signal N and no other is blocked
//   listen FILE  writes its process id, then each signal's number, a line each; ends at SIGTERM
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace {

bool blocks_only(int wanted) {
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  for (int signal = 1; signal < 32; ++signal) {
    if ((sigismember(&blocked, signal) == 1) != (signal == wanted)) return false;
  }
  return true;
}

int listen(const char* path) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  std::FILE* const log = std::fopen(path, "w");
  if (log == nullptr) return 1;
  std::fprintf(log, "%d\n", getpid());
  std::fflush(log);
  while (true) {
    const int signal = sigwaitinfo(&all, nullptr);
    if (signal < 0) continue;
    std::fprintf(log, "%d\n", signal);
    std::fflush(log);
    if (signal == SIGTERM) return 7;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "exit") return std::atoi(argv[2]);
  if (what == "die") {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    raise(std::atoi(argv[2]));
  }
  if (what == "guard") {
    const char* const guard = std::getenv("MUSTER_SUPERVISOR");
    return guard != nullptr && std::to_string(getppid()) == guard ? 0 : 1;
  }
  if (what == "blocks") return blocks_only(std::atoi(argv[2])) ? 0 : 1;
  if (what == "listen") return listen(argv[2]);
  return 99;
}
