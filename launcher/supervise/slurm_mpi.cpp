#include "slurm_mpi.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <string_view>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::supervise {
namespace {

// Both streams of a command, at most 64 KiB of them.
std::string output_of(const std::string& program, const char* argument) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::array<char*, 3> arguments{const_cast<char*>(program.c_str()), const_cast<char*>(argument),
                                 nullptr};
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> chunk{};
  ssize_t size = 0;
  while (failed == 0 && text.size() < 65536 &&
         (size = read(ends[0], chunk.data(), chunk.size())) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  if (failed == 0) waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

bool has_pmix(const std::string& srun) {
  // One plugin name per line, of which "pmix" or "pmix_v4" is one where there is PMIx.
  return output_of(srun, "--mpi=list").find("pmix") != std::string::npos;
}

}  // namespace muster::supervise
