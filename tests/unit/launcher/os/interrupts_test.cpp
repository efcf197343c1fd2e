#include "launcher/os/interrupts.hpp"

#include "launcher/os/descriptor.hpp"

#include <array>
#include <csignal>
#include <cstdint>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

constexpr int timeout_ms = 20'000;

// A child in a process group of its own, which SIGINT does not end.
class OtherGroup {
 public:
  OtherGroup() : leader_(fork()) {
    if (leader_ == 0) {
      std::signal(SIGINT, SIG_IGN);
      setpgid(0, 0);
      pause();
      _exit(0);
    }
    setpgid(leader_, leader_);
  }
  OtherGroup(const OtherGroup&) = delete;
  OtherGroup& operator=(const OtherGroup&) = delete;
  ~OtherGroup() {
    kill(leader_, SIGKILL);
    waitpid(leader_, nullptr, 0);
  }

  [[nodiscard]] pid_t id() const { return leader_; }

 private:
  pid_t leader_;
};

class Interrupted : public testing::Test {
 protected:
  Interrupted() {
    sigset_t taken;
    sigemptyset(&taken);
    sigaddset(&taken, SIGINT);
    sigaddset(&taken, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &taken, &before_);
    signals_ = Descriptor(signalfd(-1, &taken, SFD_CLOEXEC));
  }
  ~Interrupted() override {
    signals_ = Descriptor();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Interrupted(const Interrupted&) = delete;
  Interrupted& operator=(const Interrupted&) = delete;

  // Number 0 if none comes within that time.
  signalfd_siginfo next(int milliseconds) {
    signalfd_siginfo info{};
    pollfd source{signals_.get(), POLLIN, 0};
    if (poll(&source, 1, milliseconds) <= 0) return {};
    return read(signals_.get(), &info, sizeof info) == sizeof info ? info : signalfd_siginfo{};
  }

 private:
  sigset_t before_{};
  Descriptor signals_ = Descriptor();
};

TEST_F(Interrupted, OtherGroupTellsOfIt) {
  const OtherGroup group;
  const Interrupts interrupts(group.id());
  kill(-group.id(), SIGINT);
  EXPECT_TRUE(interrupts.told_by(next(timeout_ms)));
}

TEST_F(Interrupted, ThisProcessIsNotToldAsTheOtherGroup) {
  const OtherGroup group;
  Interrupts interrupts(group.id());
  for (const int signal : {SIGINT, SIGRTMIN}) {
    kill(getpid(), signal);
    const auto info = next(timeout_ms);
    ASSERT_EQ(info.ssi_signo, static_cast<std::uint32_t>(signal));
    EXPECT_FALSE(interrupts.told_by(info));
  }
  EXPECT_EQ(interrupts.finish(), 0U);
}

TEST_F(Interrupted, OtherGroupsOtherSignalsTellNothing) {
  const OtherGroup group;
  const Interrupts interrupts(group.id());
  kill(-group.id(), SIGTSTP);
  kill(-group.id(), SIGCONT);
  kill(-group.id(), SIGUSR1);
  EXPECT_EQ(next(100).ssi_signo, 0U);
  kill(-group.id(), SIGINT);
  EXPECT_TRUE(interrupts.told_by(next(timeout_ms)));
}

TEST_F(Interrupted, AnInterruptThatEndedTheGroupIsNotMissed) {
  for (int round = 0; round < 50; ++round) {
    const OtherGroup group;
    Interrupts interrupts(group.id());
    kill(-group.id(), SIGINT);
    EXPECT_EQ(interrupts.finish(), 1U) << round;
  }
}

}  // namespace
}  // namespace muster::os
