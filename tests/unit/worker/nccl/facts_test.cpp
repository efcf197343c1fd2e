#include "worker/nccl/facts.hpp"

#include "worker/error.hpp"

#include <gtest/gtest.h>

namespace muster::worker::nccl {
namespace {

std::string on_node1(int /*rank*/) {
  return "node1";
}
std::string on_node2(int /*rank*/) {
  return "node2";
}

RankFacts full() {
  RankFacts facts;
  facts.nccl_version = 22809;
  facts.cuda_needed = 12040;
  facts.generation = 0xfffffffe;
  facts.roots = 800;
  facts.shared_gpu = true;
  facts.host_hash = 0x0123456789abcdef;
  facts.gpu.state = cuda::Gpu::State::found;
  facts.gpu.device = 3;
  facts.gpu.count = 8;
  facts.gpu.driver_version = 12080;
  facts.gpu.bus_id = "0000:41:00.0";
  for (unsigned char i = 0; i < 16; ++i) facts.gpu.uuid[i] = static_cast<unsigned char>(0xf0 + i);
  facts.id.emplace();
  for (std::size_t i = 0; i < 128; ++i) facts.id->internal[i] = static_cast<char>(i * 2);
  return facts;
}

TEST(NcclFacts, ComeBackAsTheyWere) {
  const auto facts = full();
  const auto back = decode_facts(encode(facts), 7, on_node2);
  EXPECT_EQ(back.nccl_version, facts.nccl_version);
  EXPECT_EQ(back.cuda_needed, facts.cuda_needed);
  EXPECT_EQ(back.generation, facts.generation);
  EXPECT_EQ(back.roots, facts.roots);
  EXPECT_TRUE(back.shared_gpu);
  EXPECT_EQ(back.host_hash, facts.host_hash);
  EXPECT_EQ(back.gpu.state, cuda::Gpu::State::found);
  EXPECT_EQ(back.gpu.device, 3);
  EXPECT_EQ(back.gpu.count, 8);
  EXPECT_EQ(back.gpu.driver_version, 12080);
  EXPECT_EQ(back.gpu.bus_id, "0000:41:00.0");
  EXPECT_EQ(back.gpu.uuid, facts.gpu.uuid);
  ASSERT_TRUE(back.id);
  EXPECT_EQ(back.id->internal, facts.id->internal);
  EXPECT_EQ(back.no_id, "");
}

TEST(NcclFacts, TellApartWhyThereIsNoGpuAndWhyThereIsNoId) {
  RankFacts facts;
  facts.gpu.state = cuda::Gpu::State::no_driver;
  facts.gpu.why = "libcuda.so.1: cannot open";
  auto back = decode_facts(encode(facts), 0, on_node1);
  EXPECT_EQ(back.gpu.why, facts.gpu.why);
  EXPECT_EQ(back.no_id, "");
  facts.no_id = "no interface";
  back = decode_facts(encode(facts), 0, on_node1);
  EXPECT_EQ(back.no_id, "no interface");
  EXPECT_FALSE(back.id);
}

TEST(NcclFacts, AreSmallWithoutAnId) {
  auto facts = full();
  facts.id.reset();
  EXPECT_EQ(encode(facts).size(), 72u);
  EXPECT_EQ(encode(full()).size(), 200u);
}

TEST(NcclFacts, CutALongReason) {
  RankFacts facts;
  facts.no_id = std::string(5000, 'x') + "\n";
  EXPECT_EQ(decode_facts(encode(facts), 0, on_node1).no_id, std::string(max_note, 'x'));
}

TEST(NcclFacts, KeepControlCharactersOutOfMessages) {
  RankFacts facts;
  facts.no_id = "a\nb\x1b[31m";
  EXPECT_EQ(decode_facts(encode(facts), 0, on_node1).no_id, "a?b?[31m");
}

TEST(NcclFacts, RefuseEveryOtherLength) {
  const auto bytes = encode(full());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (size == 72) continue;  // a rank without an id
    EXPECT_THROW(decode_facts(std::span{bytes}.first(size), 7, on_node2), Error) << size;
  }
  auto longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THROW(decode_facts(longer, 7, on_node2), Error);
}

TEST(NcclFacts, RefuseAnotherFormatAndNameTheRank) {
  auto bytes = encode(full());
  for (const std::byte format : {std::byte{1}, std::byte{3}}) {
    bytes[0] = format;
    try {
      decode_facts(bytes, 7, on_node2);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), MUSTER_ERR_MISMATCH);
      EXPECT_STREQ(
          error.what(),
          "node2: rank 7 sent no valid NCCL facts (another format); use the same libmuster on "
          "every node");
    }
  }
  bytes[0] = std::byte{2};
  bytes[1] = std::byte{77};
  EXPECT_THROW(decode_facts(bytes, 7, on_node2), Error);
}

}  // namespace
}  // namespace muster::worker::nccl
