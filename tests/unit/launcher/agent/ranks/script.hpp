// A shell script as a rank: a child of the test, which takes slurmstepd's place, in a separate session like a
// task with --pty. Its stdin and stdout are pipes to the test.
#pragma once

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::ranks {

inline constexpr std::chrono::seconds test_deadline{20};

// Whether the condition becomes true in time. A test waits for the end of processes, and only for that.
template <class Condition>
bool comes_true(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + test_deadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

class Script {
 public:
  // The script may use $$ as "SELF" in `environment` values: its own process ID.
  explicit Script(const std::string& text, std::vector<std::string> environment = {},
                  const std::string& stderr_file = "/dev/null") {
    std::array<int, 2> ends{};
    std::array<int, 2> input{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0 || pipe2(input.data(), O_CLOEXEC) != 0)
      ADD_FAILURE() << "no pipe";
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is killed leaves nothing behind
      setsid();
      dup2(input[0], STDIN_FILENO);
      dup2(ends[1], STDOUT_FILENO);
      dup2(open(stderr_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644), STDERR_FILENO);
      std::vector<char*> variables;
      for (auto& variable : environment) {
        const auto self = variable.find("SELF");
        if (self != std::string::npos) variable.replace(self, 4, std::to_string(getpid()));
        variables.push_back(variable.data());
      }
      std::string path = "PATH=/usr/bin:/bin";
      variables.push_back(path.data());
      variables.push_back(nullptr);
      execle("/bin/sh", "sh", "-c", text.c_str(), nullptr, variables.data());
      _exit(99);
    }
    close(ends[1]);
    close(input[0]);
    output_ = ends[0];
    input_ = input[1];
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  ~Script() {
    if (!status_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    kill(-pid_, SIGKILL);  // a suspended child would stay for ever
    close(output_);
    close(input_);
  }

  // Makes its `read` return.
  void go_on() const { EXPECT_EQ(write(input_, "\n", 1), 1); }

  [[nodiscard]] pid_t pid() const { return pid_; }

  // The next line of its output; empty at the end.
  std::string line() {
    std::string text;
    while (true) {
      pollfd ready{output_, POLLIN, 0};
      char letter = 0;
      if (poll(&ready, 1, static_cast<int>(std::chrono::milliseconds(test_deadline).count())) <=
              0 ||
          read(output_, &letter, 1) <= 0 || letter == '\n')
        return text;
      text += letter;
    }
  }

  // Whether no process holds its output any more.
  bool output_ended() {
    char letter = 0;
    pollfd ready{output_, POLLIN, 0};
    while (poll(&ready, 1, 0) > 0)
      if (read(output_, &letter, 1) <= 0) return true;
    return false;
  }

  // As from waitpid; -1 if it does not end.
  int status() {
    comes_true([&] { return reap(); });
    return status_.value_or(-1);
  }

  [[nodiscard]] bool reap() {
    int status = 0;
    if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return status_.has_value();
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  int input_ = -1;
  std::optional<int> status_;
};

// "signal 9" or "code 1".
inline std::string in_words(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WIFEXITED(status) ? "code " + std::to_string(WEXITSTATUS(status)) : "runs";
}

// Whether the process exists; it need not be the test's child.
inline bool is_there(pid_t pid) {
  return kill(pid, 0) == 0;
}

}  // namespace muster::ranks
