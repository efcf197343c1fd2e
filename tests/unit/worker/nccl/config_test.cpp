#include "worker/nccl/config.hpp"

#include "worker/error.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#if __has_include(<nccl.h>) && __has_include(<cuda_fp16.h>)
#include <nccl.h>
#define MUSTER_TEST_HAS_NCCL_H 1
#endif

namespace muster::worker::nccl {
namespace {

constexpr muster_nccl_options unset = MUSTER_NCCL_OPTIONS;
constexpr int newest = nccl_version(32, 3);

// What a program built with an older nccl.h passes: `size` bytes and not one more, so that an address
// sanitizer detects a read beyond them. Every field and all padding is `fill`.
class GivenConfig {
 public:
  GivenConfig(std::size_t size, std::uint32_t version, int fill = nccl_unset) : bytes_(size) {
    for (std::size_t at = offsetof(NcclConfig, blocking); at + 4 <= size; at += 4) set(at, fill);
    set(0, size);
    set(offsetof(NcclConfig, magic), 0xcafebeefU);
    set(offsetof(NcclConfig, version), version);
    if (size > offsetof(NcclConfig, net_name)) {
      set<const char*>(offsetof(NcclConfig, net_name), nullptr);
    }
    if (size > offsetof(NcclConfig, comm_name)) {
      set<const char*>(offsetof(NcclConfig, comm_name), nullptr);
    }
  }
  template <class Value>
  void set(std::size_t at, Value value) {
    ASSERT_LE(at + sizeof value, bytes_.size());
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  muster_nccl_options options() const {
    auto options = unset;
    options.config = bytes_.data();
    return options;
  }

 private:
  std::vector<std::byte> bytes_;
};

std::string refusal(const muster_nccl_options& options, int version) {
  try {
    make_config(options, version);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_ARGUMENT);
    return error.what();
  }
  return {};
}

// Sizes and offsets as in the real headers, from 2.17.1 to 2.32.3.
TEST(NcclConfig, LiesInMemoryAsInEveryHeader) {
  EXPECT_EQ(offsetof(NcclConfig, magic), 8u);
  EXPECT_EQ(offsetof(NcclConfig, blocking), 16u);
  EXPECT_EQ(offsetof(NcclConfig, net_name), 32u);
  EXPECT_EQ(offsetof(NcclConfig, split_share), 40u);
  EXPECT_EQ(offsetof(NcclConfig, traffic_class), 44u);
  EXPECT_EQ(offsetof(NcclConfig, comm_name), 48u);
  EXPECT_EQ(offsetof(NcclConfig, nvls_ctas), 68u);
  EXPECT_EQ(offsetof(NcclConfig, nvlink_centric_sched), 76u);
  EXPECT_EQ(offsetof(NcclConfig, rma_contexts), 84u);
  EXPECT_EQ(offsetof(NcclConfig, graph_stream_ordering), 92u);
  EXPECT_EQ(offsetof(NcclConfig, host_cft_mode), 108u);
  EXPECT_EQ(offsetof(NcclConfig, nvls_host_mode), 112u);
  EXPECT_EQ(NcclConfig{}.size, 120u);
}

TEST(NcclConfig, IsNonBlockingAndOtherwiseNcclsOwnDefaults) {
  const auto config = make_config(unset, nccl_oldest);
  EXPECT_EQ(config.blocking, 0);
  EXPECT_EQ(config.magic, 0xcafebeefU);
  EXPECT_EQ(config.version, 23200u);
  EXPECT_EQ(config.cga_cluster_size, nccl_unset);
  EXPECT_EQ(config.nvls_host_mode, nccl_unset);
  EXPECT_EQ(config.next, nccl_unset);
  EXPECT_EQ(config.net_name, nullptr);
  EXPECT_EQ(config.comm_name, nullptr);
}

TEST(NcclConfig, TakesNamedFields) {
  auto options = unset;
  options.min_ctas = 4;
  options.traffic_class = 7;
  options.comm_name = "data";
  options.net_name = "IB";
  const auto config = make_config(options, newest);
  EXPECT_EQ(config.min_ctas, 4);
  EXPECT_EQ(config.traffic_class, 7);
  EXPECT_STREQ(config.comm_name, "data");
  EXPECT_STREQ(config.net_name, "IB");
  EXPECT_EQ(config.max_ctas, nccl_unset);
}

TEST(NcclConfig, KeepsNamesThatTheCallerMayFree) {
  auto options = unset;
  std::string name = "a name that is long enough to lie on the heap";
  options.comm_name = name.c_str();
  const auto config = make_config(options, newest);
  name.assign(name.size(), 'x');
  EXPECT_STREQ(config.comm_name, "a name that is long enough to lie on the heap");
}

TEST(NcclConfig, RefusesAFieldThatTheLoadedNcclLacksAndNamesTheVersion) {
  auto options = unset;
  options.comm_name = "data";
  EXPECT_EQ(refusal(options, nccl_version(26, 2)),
            "muster_nccl_options.comm_name was added in NCCL 2.27, and this process has 2.26.2: "
            "leave it unset, or use a newer NCCL");
  EXPECT_EQ(refusal(options, nccl_version(27, 3)), "");
  options = unset;
  options.traffic_class = 1;
  EXPECT_NE(refusal(options, nccl_version(25, 1)), "");
  EXPECT_EQ(refusal(options, nccl_version(26, 2)), "");
  options = unset;
  options.split_share = 1;
  EXPECT_EQ(refusal(options, nccl_oldest), "");
}

TEST(NcclConfig, TakesAProgramsOwnOfEachVersion) {
  struct Header {
    std::size_t size;
    std::uint32_t version;
  };
  for (const auto& [size, version] :
       {Header{40, 21701}, Header{48, 21801}, Header{48, 22501}, Header{48, 22602},
        Header{72, 22703}, Header{80, 22809}, Header{88, 22907}, Header{96, 23003},
        Header{96, 23007}, Header{112, 23102}, Header{120, 23203}}) {
    GivenConfig given{size, version};
    given.set(offsetof(NcclConfig, max_ctas), 8);
    given.set(offsetof(NcclConfig, blocking), 1);
    const auto config = make_config(given.options(), newest);
    EXPECT_EQ(config.max_ctas, 8) << version;
    EXPECT_EQ(config.blocking, 0) << version;
    EXPECT_EQ(config.size, 120u) << version;
    EXPECT_EQ(config.nvls_host_mode, nccl_unset) << version;
  }
}

TEST(NcclConfig, TakesNoPaddingOfAnOlderHeaderForAField) {
  // 48 bytes with 2.25: the last four are padding there, and trafficClass since 2.26.
  const GivenConfig older{48, 22501, 99};
  EXPECT_EQ(make_config(older.options(), newest).traffic_class, nccl_unset);
  const GivenConfig newer{48, 22602, 99};
  EXPECT_EQ(make_config(newer.options(), newest).traffic_class, 99);
  // 96 bytes with 2.30.3: the last ones are graphStreamOrdering since 2.30.5.
  const GivenConfig padded{96, 23003, 99};
  EXPECT_EQ(make_config(padded.options(), newest).graph_stream_ordering, nccl_unset);
}

TEST(NcclConfig, HandsOnWhatANewerHeaderHasAtItsEnd) {
  GivenConfig given{136, nccl_version(35)};
  given.set(std::size_t{128}, 42);
  const auto config = make_config(given.options(), nccl_version(35));
  EXPECT_EQ(config.size, 136u);
  EXPECT_EQ(config.version, 23500u);
  int value = 0;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(&config) + 128, sizeof value);
  EXPECT_EQ(value, 42);
}

TEST(NcclConfig, PutsNamedFieldsOverTheProgramsOwn) {
  GivenConfig given{48, 21801};
  given.set(offsetof(NcclConfig, max_ctas), 8);
  auto options = given.options();
  options.max_ctas = 2;
  options.comm_name = "data";
  const auto config = make_config(options, newest);
  EXPECT_EQ(config.max_ctas, 2);
  EXPECT_STREQ(config.comm_name, "data");
  EXPECT_EQ(config.version, 23200u);
}

TEST(NcclConfig, RefusesWhatIsNoConfiguration) {
  EXPECT_NE(refusal(GivenConfig{18, 21801}.options(), newest), "") << "ends inside a field";
  GivenConfig large{4096, 21801};
  EXPECT_NE(refusal(large.options(), newest), "");
  GivenConfig zeros{48, 21801};
  zeros.set(offsetof(NcclConfig, magic), 0);
  EXPECT_EQ(
      refusal(zeros.options(), newest),
      "muster_nccl_options.config is not an ncclConfig_t: begin with NCCL_CONFIG_INITIALIZER");
  GivenConfig unbounded{48, 21801};
  const std::string endless(5000, 'x');
  unbounded.set(offsetof(NcclConfig, net_name), endless.c_str());
  EXPECT_NE(refusal(unbounded.options(), newest), "");
}

TEST(NcclConfig, IsOnlyGivenWhereSomethingIsAskedFor) {
  EXPECT_FALSE(asks_for_config(unset));
  auto options = unset;
  options.nvls_ctas = 1;
  EXPECT_TRUE(asks_for_config(options));
  options = unset;
  options.comm_name = "data";
  EXPECT_TRUE(asks_for_config(options));
}

#ifdef MUSTER_TEST_HAS_NCCL_H
TEST(NcclConfig, IsAsTheInstalledHeaderHasIt) {
  const ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;
  EXPECT_EQ(theirs.magic, NcclConfig{}.magic);
  EXPECT_EQ(sizeof(ncclUniqueId), sizeof(NcclUniqueId));
  EXPECT_EQ(offsetof(ncclConfig_t, blocking), offsetof(NcclConfig, blocking));
  EXPECT_EQ(offsetof(ncclConfig_t, netName), offsetof(NcclConfig, net_name));
  EXPECT_EQ(offsetof(ncclConfig_t, splitShare), offsetof(NcclConfig, split_share));
#if NCCL_VERSION_CODE >= 22700
  EXPECT_EQ(offsetof(ncclConfig_t, commName), offsetof(NcclConfig, comm_name));
  EXPECT_EQ(offsetof(ncclConfig_t, nvlsCTAs), offsetof(NcclConfig, nvls_ctas));
#endif
  EXPECT_EQ(static_cast<int>(ncclInProgress), nccl_in_progress);
  auto options = unset;
  options.config = &theirs;
  EXPECT_EQ(make_config(options, NCCL_VERSION_CODE).max_ctas, nccl_unset);
}
#endif

}  // namespace
}  // namespace muster::worker::nccl
