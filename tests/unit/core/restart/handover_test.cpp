#include "core/restart/handover.hpp"

#include "core/error.hpp"
#include "fixtures/random_record.hpp"

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

Handover handover() {
  return {.generation = 2,
          .host = "node1",
          .supervisor_step = "42.3",
          .directory = "/home/alice",
          .command = {"muster", "supervise", "--", "srun", "./train", ""},
          .environment = {"A=b\nc", "PATH=/bin", "BYTES=\xff\xfe"},
          .heartbeat = std::chrono::milliseconds(3000),
          .attempts = "{}",
          .allocated = 3,
          .nodes = {"node1", "node2"},
          .tasks_per_node = 4,
          .lost = {"node4"},
          .line = 1,
          .silence = std::chrono::milliseconds(5),
          .successor_node = "node3",
          .successor_step = "42.0"};
}

TEST(Handover, ArrivesByteByByte) {
  EXPECT_EQ(handover_from(to_bytes(handover())), handover());
}

TEST(Handover, IsTakenWholeOrNotAtAll) {
  fixtures::expect_one_form<Handover>();
  auto none = handover();
  none.command.clear();
  EXPECT_FALSE(handover_from(to_bytes(none)));
  auto too_long = handover();
  too_long.heartbeat = std::chrono::hours(25);
  EXPECT_FALSE(handover_from(to_bytes(too_long)));
}

TEST(SuccessorReader, PutsMessagesTogetherHoweverTheyCome) {
  const auto stream = beat_message() + handover_message(handover()) + end_message();
  MessageReader reader;
  std::string kinds;
  for (const char byte : stream) {
    reader.add({&byte, 1});
    while (const auto message = reader.next()) {
      kinds += message->kind;
      if (message->kind == handover_letter) {
        EXPECT_EQ(handover_from(message->bytes), handover());
      }
    }
  }
  EXPECT_EQ(kinds, "BIE");
}

TEST(SuccessorReader, RefusesWhatNoSupervisorWrites) {
  for (const auto* const text : {"x\n", "\n", "BB\n", "I\n", "I-1\n", "I999999999999\n",
                                 "a line that never ends, and more of it"}) {
    MessageReader reader;
    reader.add(text);
    EXPECT_THROW(reader.next(), Error) << text;
  }
}

}  // namespace
}  // namespace muster::restart
