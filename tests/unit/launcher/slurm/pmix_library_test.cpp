#include "launcher/slurm/pmix_library.hpp"

#include "fixtures/scratch_directory.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

// Texts as a shared object contains them.
std::string plugin_with(const std::vector<std::string>& texts) {
  std::string plugin =
      "\x7f"
      "ELF";
  for (const auto& text : texts) plugin += '\0' + text;
  return plugin + '\0';
}

TEST(PmixLibrary, IsWhereThePluginLooks) {
  EXPECT_EQ(libpmix_of(plugin_with({"/opt/pmix/lib", "libpmix.so", "%s: no libpmix.so", "/a b"})),
            (std::vector<std::string>{"/opt/pmix/lib/libpmix.so", "libpmix.so"}));
  EXPECT_EQ(libpmix_of(plugin_with({"/a:/b", "libpmix.so.2", "libpmix_plug"})),
            (std::vector<std::string>{"/a/libpmix.so.2", "/b/libpmix.so.2", "libpmix.so.2"}));
  EXPECT_EQ(libpmix_of(plugin_with({"/opt/lib/libpmix.so.2"})),
            (std::vector<std::string>{"/opt/lib/libpmix.so.2"}));
  EXPECT_TRUE(libpmix_of(plugin_with({"/usr/lib", "mpi/pmix"})).empty());
  EXPECT_TRUE(libpmix_of("").empty());
}

TEST(PmixLibrary, IsThereOrNot) {
  const fixtures::ScratchDirectory plugins, libraries;
  const auto name = "libpmix.so.4711";  // no loader finds it
  plugins.write("mpi_pmix_v5.so", plugin_with({libraries.path(), name}));
  EXPECT_FALSE(has_libpmix(plugins.path()));
  libraries.write(name, "");
  EXPECT_TRUE(has_libpmix(plugins.path()));
}

TEST(PmixLibrary, IsBelievedInWhereThePluginSaysNothing) {
  const fixtures::ScratchDirectory plugins;
  EXPECT_TRUE(has_libpmix(plugins.path()));
  plugins.write("mpi_pmix.so", plugin_with({"/usr/lib"}));
  EXPECT_TRUE(has_libpmix(plugins.path()));
}

}  // namespace
}  // namespace muster::slurm
