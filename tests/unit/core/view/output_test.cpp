#include "core/view/output.hpp"

#include "core/error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::view {
namespace {

TEST(Output, ComesBackTheSameWhateverItsBytesAre) {
  for (const std::string& bytes :
       {std::string(), std::string("line\n"), std::string("\0\xFF{\r", 4),
        std::string(max_piece_bytes, 'x')}) {
    for (const auto stream : {Stream::out, Stream::err}) {
      const OutputPiece output{
          .source = {4'000'000'000, stream}, .offset = 1ULL << 40, .bytes = bytes};
      const auto text = to_text(output);
      EXPECT_TRUE(is_output(text));
      EXPECT_EQ(output_from_text(text), output);
    }
  }
}

TEST(Output, IsNoEventOfAWatch) {
  EXPECT_FALSE(is_output(R"({"event":"bye"})"));
  EXPECT_FALSE(is_output(""));
}

TEST(Output, IsRefusedWhereItIsNotWhole) {
  const auto text = to_text({.source = {7, Stream::err}, .offset = 3, .bytes = {}});
  EXPECT_EQ(text.size(), head_bytes);
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_THROW(output_from_text(text.substr(0, size)), Error) << size;
  }
}

TEST(Output, IsRefusedOfAStreamThatNoProgramHas) {
  auto text = to_text({.source = {7, Stream::err}, .offset = 3, .bytes = "x"});
  for (const char stream : {'\0', '\3', '\xFF'}) {
    text[1] = stream;
    EXPECT_THROW(output_from_text(text), Error);
  }
}

TEST(Output, IsRefusedWhereItIsTooLong) {
  const std::string bytes(max_piece_bytes + 1, 'x');
  EXPECT_THROW(output_from_text(to_text({.source = {}, .offset = 0, .bytes = bytes})), Error);
  EXPECT_THROW(output_from_text(to_text({.source = {}, .offset = max_offset + 1, .bytes = {}})),
               Error);
}

}  // namespace
}  // namespace muster::view
