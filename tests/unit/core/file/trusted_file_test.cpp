#include "core/file/trusted_file.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/scratch_directory.hpp"

#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::file {
namespace {

Trust trust_me() {
  return trust_root_and(::getuid());
}

TEST(TrustedFile, GivesTheContentOfAFileOfARightfulOwner) {
  const fixtures::ScratchDirectory scratch;
  EXPECT_EQ(read_trusted_file(scratch.write("f", "a: 1\n"), trust_me()), "a: 1\n");
  EXPECT_EQ(read_trusted_file(scratch.write("empty", ""), trust_me()), "");
}

TEST(TrustedFile, GivesNothingWhereThereIsNoFile) {
  const fixtures::ScratchDirectory scratch;
  EXPECT_EQ(read_trusted_file(scratch.path("missing"), trust_me()), std::nullopt);
  EXPECT_EQ(read_trusted_file(scratch.write("f", "") + "/below", trust_me()), std::nullopt);
}

TEST(TrustedFile, RefusesAFileThatOthersCanWrite) {
  const fixtures::ScratchDirectory scratch;
  const std::string file = scratch.write("f", "a: 1\n");
  for (const mode_t mode : {0664U, 0646U}) {
    ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    EXPECT_EQ(fixtures::error_of([&] { read_trusted_file(file, trust_me()); }),
              file + ": its group or other users can write to it; run chmod go-w on it");
    EXPECT_NO_THROW(read_trusted_file(file, trust_any_owner()));
  }
}

TEST(TrustedFile, RefusesAFileOfSomeoneElse) {
  const fixtures::ScratchDirectory scratch;
  const std::string file = scratch.write("f", "a: 1\n");
  const Trust stranger{{::getuid() + 1}, false};
  EXPECT_NE(fixtures::error_of([&] { read_trusted_file(file, stranger); }).find("is not trusted"),
            std::string::npos);
  EXPECT_NO_THROW(read_trusted_file(file, trust_any_owner()));
}

TEST(TrustedFile, RefusesAnythingButARegularFileAtOnce) {
  const fixtures::ScratchDirectory scratch;
  ASSERT_EQ(::mkfifo(scratch.path("fifo").c_str(), 0600), 0);
  EXPECT_THROW(read_trusted_file(scratch.path("fifo"), trust_me()), Error);
  EXPECT_THROW(read_trusted_file(scratch.path(), trust_me()), Error);
  EXPECT_THROW(read_trusted_file("/dev/zero", trust_any_owner()), Error);
}

TEST(TrustedFile, RefusesMoreThanAMebibyte) {
  const fixtures::ScratchDirectory scratch;
  const std::string full(max_file_bytes, 'x');
  EXPECT_EQ(read_trusted_file(scratch.write("full", full), trust_me()), full);
  const std::string larger = scratch.write("larger", full + "x");
  EXPECT_NE(fixtures::error_of([&] { read_trusted_file(larger, trust_me()); }).find("larger than"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::file
