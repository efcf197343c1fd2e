// The real muster-agent; the test takes slurmstepd's place.
#include "wire/frames.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::command {
namespace {

using namespace std::chrono_literals;

constexpr int agent_socket = 3;

class RealAgent {
 public:
  // `seconds_to_answer`: the alarm that the shim would set.
  explicit RealAgent(unsigned seconds_to_answer) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    socket_ = ends[0];
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], agent_socket);
      alarm(seconds_to_answer);
      execl(MUSTER_AGENT, MUSTER_AGENT, "agent", "--config=/nonexistent", nullptr);
      _exit(99);
    }
    close(ends[1]);
  }
  RealAgent(const RealAgent&) = delete;
  RealAgent& operator=(const RealAgent&) = delete;
  ~RealAgent() {
    if (!ended_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(socket_);
  }

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] pid_t pid() const { return pid_; }

  // "signal N" or "code N" when it ends; "runs" if it does not.
  std::string end() {
    const auto deadline = std::chrono::steady_clock::now() + 15s;
    while (std::chrono::steady_clock::now() < deadline) {
      int status = 0;
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        ended_ = true;
        return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                   : "code " + std::to_string(WEXITSTATUS(status));
      }
      std::this_thread::sleep_for(5ms);
    }
    return "runs";
  }

 private:
  int socket_ = -1;
  pid_t pid_ = -1;
  bool ended_ = false;
};

wire::StepFacts facts_of_one_task() {
  return {.job_id = 1,
          .step_id = 0,
          .node_index = 0,
          .node_count = 1,
          .task_count = 1,
          .global_ids = {0},
          .cores = "",
          .option = "none,bind=none",
          .working_directory = "/",
          .arguments = {"/bin/true"},
          .environment = {"SLURM_MUSTER_STEP=1|localhost|0+1x1|127.0.0.1",
                          "SLURM_CLUSTER_NAME=test", "PATH=/usr/bin:/bin"}};
}

TEST(AgentCommand, IsEndedByTheAlarmIfItDoesNotAnswer) {
  RealAgent agent(1);
  EXPECT_EQ(agent.end(), "signal " + std::to_string(SIGALRM));  // it waits in vain for facts
}

// Slurm forwards any signal that a user sends to the step.
TEST(AgentCommand, SurvivesAnAlarmOnceItHasAnswered) {
  RealAgent agent(60);
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  wire::send_frame(agent.socket(), wire::Kind::facts, wire::encode(facts_of_one_task()), deadline);
  const auto answer = wire::receive_frame(agent.socket(), deadline);
  ASSERT_EQ(answer.status, wire::PipeStatus::ok);
  ASSERT_EQ(answer.kind, wire::Kind::plan) << answer.payload;
  kill(agent.pid(), SIGALRM);
  wire::send_frame(agent.socket(), wire::Kind::task_exit, wire::encode(wire::TaskExit{}), deadline);
  EXPECT_EQ(wire::receive_frame(agent.socket(), deadline).kind, wire::Kind::done);
  EXPECT_EQ(agent.end(), "code 0");
}

}  // namespace
}  // namespace muster::command
