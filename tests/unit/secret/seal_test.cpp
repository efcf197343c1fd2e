#include "secret/seal.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::secret {
namespace {

constexpr Key key{1, 2, 3};

Seal seal(std::string_view sender = "node", std::string_view client = "nonce 1",
          std::string_view server = "nonce 2") {
  return {key, sender, client, server};
}

TEST(Seal, AcceptsEachFrameInItsTurn) {
  auto sender = seal();
  auto receiver = seal();
  for (const std::string frame : {"one", "two", "", "two"}) {
    EXPECT_TRUE(receiver.accepts(sender.next({frame}), {frame})) << frame;
  }
}

TEST(Seal, CoversThePiecesAsOneFrame) {
  EXPECT_TRUE(seal().accepts(seal().next({"head and text"}), {"head", " and ", "text"}));
}

TEST(Seal, RefusesAFrameThatWasChanged) {
  auto mac = seal().next({"text"});
  EXPECT_FALSE(seal().accepts(mac, {"texT"}));
  mac.front() ^= std::byte{1};
  EXPECT_FALSE(seal().accepts(mac, {"text"}));
}

TEST(Seal, RefusesAFrameThatIsRepeatedOrLeftOut) {
  auto sender = seal();
  const auto first = sender.next({"text"});
  const auto second = sender.next({"text"});
  EXPECT_FALSE(seal().accepts(second, {"text"}));
  auto receiver = seal();
  EXPECT_TRUE(receiver.accepts(first, {"text"}));
  EXPECT_FALSE(receiver.accepts(first, {"text"}));
}

TEST(Seal, RefusesAFrameOfAnotherDirectionOrConnectionOrStep) {
  auto receiver = [] { return seal(); };
  EXPECT_TRUE(receiver().accepts(seal().next({"text"}), {"text"}));
  EXPECT_FALSE(receiver().accepts(seal("supervisor").next({"text"}), {"text"}));
  EXPECT_FALSE(receiver().accepts(seal("node", "nonce 3").next({"text"}), {"text"}));
  EXPECT_FALSE(receiver().accepts(seal("node", "nonce 1", "nonce 3").next({"text"}), {"text"}));
  EXPECT_FALSE(receiver().accepts(seal("node", "nonce 2", "nonce 1").next({"text"}), {"text"}));
  Seal other_step({1, 2, 4}, "node", "nonce 1", "nonce 2");
  EXPECT_FALSE(receiver().accepts(other_step.next({"text"}), {"text"}));
}

}  // namespace
}  // namespace muster::secret
