#include "core/view/output.hpp"

#include "core/error.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_record.hpp"

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

TEST(Output, IsRefusedFromAnotherVersion) {
  fixtures::expect_one_form<OutputPiece>();
  const auto text = to_text({.source = {7, Stream::err}, .offset = 3, .bytes = "x"});
  for (const auto& other :
       {'1' + text, text + "0 ", text.substr(0, text.size() - 1), std::string("\x01")}) {
    fixtures::expect_error([&] { output_from_text(other); },
                           "is the same muster version installed on every node?");
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
