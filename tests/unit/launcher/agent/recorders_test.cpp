#include "launcher/agent/recorders.hpp"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using status::Collectives;

Collectives of(const std::string& backend, std::uint64_t enqueued, std::uint64_t started,
               std::uint64_t completed) {
  Collectives sum;
  dump::Recorder recorder;
  recorder.groups.push_back({.group = "0",
                             .backend = backend,
                             .enqueued = enqueued,
                             .started = started,
                             .completed = completed});
  add(sum, recorder);
  return sum;
}

TEST(Recorders, SayThatARankIsInsideACollectiveOnceTheBackendHasBegunIt) {
  EXPECT_EQ(of("gloo", 4, 0, 3).inside, 1);
  EXPECT_EQ(of("gloo", 4, 0, 4).inside, 0);
  EXPECT_EQ(of("nccl", 9, 8, 7).inside, 1);
  EXPECT_EQ(of("nccl", 9, 7, 7).inside, 0) << "the GPU has not come to it";
}

TEST(Recorders, MoveWithEachCounter) {
  const auto before = of("nccl", 9, 8, 7).progress;
  EXPECT_NE(of("nccl", 10, 8, 7).progress, before);
  EXPECT_NE(of("nccl", 9, 9, 7).progress, before);
  EXPECT_NE(of("nccl", 9, 8, 8).progress, before);
  Collectives two = of("nccl", 9, 8, 7);
  add(two, {});
  EXPECT_EQ(two, (Collectives{.recorders = 2, .inside = 1, .progress = before}));
}

TEST(Recorders, AreNoneOfProcessesThatHaveNone) {
  Recorders recorders;
  for (int look = 0; look < 2; ++look) EXPECT_EQ(recorders.look({getpid(), -1}), Collectives());
}

}  // namespace
}  // namespace muster::agent
