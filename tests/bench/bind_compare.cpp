// One node's mapping by muster and by mpibind, in turns: how long each takes, and what each task gets.
//
//   bind_compare LIBMPIBIND ROUNDS NODE.XML TASKS...
//
// JSON: the node's cores and the CPUs near each GPU, according to hwloc. Then, for each number of tasks
// and each mapper, its tasks, and the seconds of each round from the XML ("read") and with the
// node in memory ("map").
#include "core/binding/binding.hpp"
#include "core/topology/hwloc/load.hpp"
#include "core/topology/topology.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwloc.h>

namespace {

using namespace muster;
using Clock = std::chrono::steady_clock;
using Names = std::vector<std::string>;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bind_compare: %s\n", why.c_str());
  std::exit(1);
}

// As JSON: the words in it are numbers, addresses and CPU lists.
std::string quoted(const Names& words) {
  return words.empty() ? "[]" : fmt::format("[\"{}\"]", fmt::join(words, "\", \""));
}

struct Task {
  std::string cpus;
  Names gpus;  // by PCI address
};

using Mapping = std::vector<Task>;

std::string json(const Mapping& mapping) {
  Names tasks;
  for (const auto& [cpus, gpus] : mapping) {
    tasks.push_back(fmt::format(R"({{"cpus": "{}", "gpus": {}}})", cpus, quoted(gpus)));
  }
  return fmt::format("[{}]", fmt::join(tasks, ", "));
}

class Mapper {
 public:
  virtual ~Mapper() = default;
  virtual void read(const std::string& xml) = 0;
  virtual Mapping map(std::size_t tasks) = 0;
};

class Muster : public Mapper {
 public:
  void read(const std::string& xml) override { node_ = topology::hwloc::load_xml_topology(xml); }

  Mapping map(std::size_t tasks) override {
    binding::BindingRequest request;
    request.allowed = node_.pus;
    for (std::size_t gpu = 0; gpu < node_.gpus.size(); ++gpu) request.gpus.push_back(gpu);
    request.tasks = tasks;
    Mapping mapping;
    for (const auto& task : binding::bind(node_, request).tasks) {
      Names gpus;
      for (const auto gpu : task.gpus) gpus.push_back(to_string(node_.gpus[gpu].address));
      mapping.push_back({task.cpus.to_string(), gpus});
    }
    return mapping;
  }

 private:
  topology::Topology node_;
};

std::string list_of(hwloc_const_bitmap_t set) {
  std::array<char, 8192> text{};
  hwloc_bitmap_list_snprintf(text.data(), text.size(), set);
  return text.data();
}

// Uses only its public interface. The handle's topology is the caller's, so reading is separate from mapping,
// as in mpibind's own plugins.
class Mpibind : public Mapper {
 public:
  explicit Mpibind(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) fail(dlerror());
  }
  Mpibind(const Mpibind&) = delete;
  Mpibind& operator=(const Mpibind&) = delete;
  ~Mpibind() override { forget(); }

  void read(const std::string& xml) override {
    forget();
    hwloc_topology_init(&node_);
    if (hwloc_topology_set_xml(node_, xml.c_str()) != 0) fail("hwloc cannot read " + xml);
    check(call<int(hwloc_topology_t)>("mpibind_load_topology")(node_));
  }

  Mapping map(std::size_t tasks) override {
    constexpr int by_pci_bus = 4;  // MPIBIND_ID_PCIBUS
    void* handle = nullptr;
    check(call<int(void**)>("mpibind_init")(&handle));
    check(call<int(void*, int)>("mpibind_set_ntasks")(handle, static_cast<int>(tasks)));
    check(call<int(void*, hwloc_topology_t)>("mpibind_set_topology")(handle, node_));
    check(call<int(void*)>("mpibind")(handle));
    call<int(void*, int)>("mpibind_set_gpu_ids")(handle, by_pci_bus);
    const auto* const cpus = call<hwloc_bitmap_t*(void*)>("mpibind_get_cpus")(handle);
    const auto gpus_of = call<char**(void*, int, int*)>("mpibind_get_gpus_ptask");
    Mapping mapping;
    for (std::size_t task = 0; task < tasks; ++task) {
      int count = 0;
      char** const gpus = gpus_of(handle, static_cast<int>(task), &count);
      mapping.push_back({list_of(cpus[task]), Names(gpus, gpus + count)});
    }
    check(call<int(void*)>("mpibind_finalize")(handle));
    return mapping;
  }

 private:
  template <typename Function>
  std::function<Function> call(const char* name) {
    auto* const found = reinterpret_cast<Function*>(dlsym(library_, name));
    if (found == nullptr) fail(dlerror());
    return found;
  }

  static void check(int code) {
    if (code != 0) fail("mpibind has failed");
  }

  void forget() {
    if (node_ != nullptr) hwloc_topology_destroy(node_);
    node_ = nullptr;
  }

  void* library_;
  hwloc_topology_t node_ = nullptr;
};

// From neither mapper: hwloc's own cores, and the CPUs at each GPU's bridge.
std::string facts(const std::string& xml) {
  hwloc_topology_t node = nullptr;
  hwloc_topology_init(&node);
  hwloc_topology_set_io_types_filter(node, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_set_xml(node, xml.c_str()) != 0 || hwloc_topology_load(node) != 0) {
    fail("hwloc cannot read " + xml);
  }
  Names cores;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(node, HWLOC_OBJ_CORE, core)) != nullptr;) {
    cores.push_back(list_of(core->cpuset));
  }
  Names near;
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_pcidev(node, device)) != nullptr;) {
    const auto& pci = device->attr->pcidev;
    near.push_back(fmt::format(R"("{:04x}:{:02x}:{:02x}.{}": "{}")", pci.domain, pci.bus, pci.dev,
                               pci.func,
                               list_of(hwloc_get_non_io_ancestor_obj(node, device)->cpuset)));
  }
  hwloc_topology_destroy(node);
  return fmt::format(R"("cores": {}, "near": {{{}}})", quoted(cores), fmt::join(near, ", "));
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Arm {
  const char* name;
  Mapper* mapper;
};

std::string compare(std::array<Arm, 2> arms, const std::string& xml, std::size_t tasks,
                    int rounds) {
  std::map<std::string, Mapping> mappings;
  std::map<std::string, std::vector<double>> read;
  std::map<std::string, std::vector<double>> map;
  for (int round = -1; round < rounds; ++round) {  // the first round warms up
    for (const auto& [name, mapper] : arms) {
      const double reading = seconds_of([&] { mapper->read(xml); });
      const double mapping = seconds_of([&] { mappings[name] = mapper->map(tasks); });
      if (round < 0) continue;
      read[name].push_back(reading);
      map[name].push_back(mapping);
    }
    std::swap(arms[0], arms[1]);
  }
  Names parts;
  for (const auto& [name, mapping] : mappings) {
    parts.push_back(fmt::format(R"("{}": {{"tasks": {}, "read": [{}], "map": [{}]}})", name,
                                json(mapping), fmt::join(read[name], ", "),
                                fmt::join(map[name], ", ")));
  }
  return fmt::format(R"("{}": {{{}}})", tasks, fmt::join(parts, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) fail("usage: bind_compare LIBMPIBIND ROUNDS NODE.XML TASKS...");
  const std::string xml = argv[3];
  Muster muster;
  Mpibind mpibind(argv[1]);
  Names by_tasks;
  for (int i = 4; i < argc; ++i) {
    by_tasks.push_back(compare({Arm{"muster", &muster}, Arm{"mpibind", &mpibind}}, xml,
                               std::strtoul(argv[i], nullptr, 10), std::atoi(argv[2])));
  }
  fmt::print("{{{}, \"tasks\": {{{}}}}}\n", facts(xml), fmt::join(by_tasks, ", "));
  return 0;
}
