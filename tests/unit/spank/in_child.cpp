#include "in_child.hpp"

#include <array>
#include <cstdio>
#include <exception>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::spank {
namespace {

constexpr int threw = 99;

[[noreturn]] void run(const std::function<std::string()>& body) {
  try {
    const auto text = body();
    _exit(write(STDOUT_FILENO, text.data(), text.size()) < 0 ? threw : 0);
  } catch (const std::exception&) {
    _exit(threw);
  }
}

}  // namespace

ChildResult in_child(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  std::fflush(nullptr);  // the child must not write the test's output again
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    run(body);
  }
  close(ends[1]);
  ChildResult result;
  std::array<char, 4096> chunk{};
  for (ssize_t size = 0; (size = read(ends[0], chunk.data(), chunk.size())) > 0;) {
    result.output.append(chunk.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return result;
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace muster::spank
