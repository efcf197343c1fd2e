// A topology as the cache stores it. The first letter of an input says whether it has a seal.
#include "core/topology/serialize.hpp"
#include "fixtures/made_up_node.hpp"
#include "launcher/topology/cache/cache.hpp"
#include "target.hpp"

namespace {

using namespace muster;

topology::Topology small_node() {
  auto node = fixtures::made_up_node({.packages = 2, .cores_per_l3 = 1});
  fixtures::add_gpu(node, node.packages[0].cpus, 1);
  fixtures::add_gpu(node, {}, 2);
  fixtures::add_nic(node, "mlx5_0", node.packages[1].cpus, 3);
  node.gpus[0].uuid = "GPU-1";
  node.gpu_links.push_back({0, 1, 25});
  return node;
}

void read_input(std::string_view text) {
  if (text.starts_with('c')) {
    const auto topology = topology::cache::from_cache_text({"boot", "key"}, text.substr(1));
    fuzz::expect(topology == small_node(), "a broken seal holds");
    return;
  }
  const auto topology = topology::deserialize(text.substr(std::min<std::size_t>(text.size(), 1)));
  fuzz::expect(topology::deserialize(serialize(topology)) == topology, "a topology changes");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {"s" + serialize(small_node()), "s" + serialize(topology::Topology{}),
          "c" + topology::cache::to_cache_text({"boot", "key"}, small_node())};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 4U << 20, .per_byte = 4096}, read_input);
}
