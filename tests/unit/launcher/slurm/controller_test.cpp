#include "launcher/slurm/controller.hpp"

#include "launcher/os/held_signals.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::slurm {
namespace {

TEST(AwaitController, EndsOnceASignalHasCome) {
  const os::HeldSignals signals;
  kill(getpid(), SIGTERM);
  EXPECT_FALSE(await_controller(signals.descriptor()));
  EXPECT_EQ(signals.take_until({}), SIGTERM);  // and the caller that asked for the wait sees it
}

}  // namespace
}  // namespace muster::slurm
