#include "worker/pmix/api.hpp"

#include "worker/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::worker::pmix {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Environment with_library(const std::string& path) {
  return Environment{{{"MUSTER_PMIX_LIBRARY", path}}};
}

std::string refusal(const std::string& path) {
  try {
    load_api(with_library(path));
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_LIBRARY);
    return error.what();
  }
  return {};
}

TEST(PmixApi, names_a_library_that_is_missing) {
  EXPECT_THAT(refusal("/nowhere/libpmix.so.2"),
              AllOf(HasSubstr("MUSTER_PMIX_LIBRARY=/nowhere/libpmix.so.2 cannot be loaded"),
                    HasSubstr("No such file"), HasSubstr("unset it")));
}

TEST(PmixApi, names_a_text_file) {
  EXPECT_THAT(refusal("/etc/passwd"), AllOf(HasSubstr("/etc/passwd"), HasSubstr("ELF")));
}

TEST(PmixApi, names_a_library_that_is_no_libpmix) {
  EXPECT_THAT(refusal("libdl.so.2"),
              AllOf(HasSubstr("libdl.so.2 has no PMIx_Init"), HasSubstr("MUSTER_PMIX_LIBRARY")));
}

TEST(PmixApi, names_a_library_that_is_too_old_and_its_version) {
  EXPECT_THAT(refusal(MUSTER_TEST_PMIX_OLD),
              AllOf(HasSubstr(MUSTER_TEST_PMIX_OLD), HasSubstr("is PMIx 3.2.5"),
                    HasSubstr("needs PMIx 4 or newer")));
}

TEST(PmixApi, opens_the_library_that_is_named) {
  const auto api = load_api(with_library(MUSTER_TEST_PMIX_GOOD));
  EXPECT_EQ(api.path, MUSTER_TEST_PMIX_GOOD);
  EXPECT_STREQ(api.version(), "OpenPMIx 4.2.2rc2 (PMIx Standard: 4.2)");
  EXPECT_NE(api.fence_nb, nullptr);
}

}  // namespace
}  // namespace muster::worker::pmix
