// Feeds the readers of foreign text with mutated good input. A reader may refuse with one line, and
// what it accepts it must give back the same; anything else (a crash, a hang, another exception, a
// sanitizer's report) ends the program.
//
//   muster_fuzz [--seed N] [--iterations N | --seconds N] [--reader NAME]
#include "core/error.hpp"
#include "core/layout/hostlist.hpp"
#include "core/layout/layout.hpp"
#include "core/layout/task_counts.hpp"
#include "core/profile/profile.hpp"
#include "core/rendezvous/ports.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"
#include "core/topology/nccl_file.hpp"
#include "core/topology/serialize.hpp"
#include "fixtures/random_text.hpp"
#include "launcher/step/attempt.hpp"
#include "launcher/topology/cache/cache.hpp"
#include "wire/codec.hpp"
#include "wire/layout_line.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace muster;

// One kind of input: good examples to start from, and what is done with each.
struct Reader {
  const char* name;
  std::vector<std::string> good;
  std::function<void(const std::string&)> read;
};

[[noreturn]] void broken(const char* what) {
  std::fprintf(stderr, "muster_fuzz: %s\n", what);
  std::abort();
}

void expect(bool holds, const char* what) {
  if (!holds) broken(what);
}

muster::topology::Topology small_node() {
  muster::topology::Topology node;
  node.pus = {0, 1};
  node.packages.push_back({0, node.pus});
  node.numa_nodes.push_back({0, node.pus, false});
  node.cores = {{{0}, 0, 0, std::nullopt}, {{1}, 0, 0, std::nullopt}};
  node.gpus.resize(2);
  node.gpus[0].uuid = "GPU-1";
  node.gpus[1].at = {{1}, {{0, 7}}};
  node.gpu_links.push_back({0, 1, 25});
  node.nics.resize(1);
  node.nics[0].name = "mlx5_0";
  node.nics[0].gigabits = 200;
  return node;
}

std::vector<Reader> readers() {
  const muster::wire::StepFacts facts{.job_id = 1,
                                      .step_id = 2,
                                      .node_index = 0,
                                      .node_count = 2,
                                      .task_count = 4,
                                      .global_ids = {0, 1},
                                      .cores = "0-3",
                                      .option = "torch",
                                      .working_directory = "/home",
                                      .arguments = {"./train"},
                                      .environment = {"A=1", "B="}};
  const muster::wire::NodePlan plan{
      .warnings = {"careful"},
      .set = {{"A", "1"}},
      .unset = {"B"},
      .tasks = {{{{"RANK", "0"}}, {15}, {muster::wire::MemoryPolicy::Mode::bind, {1}}},
                {{{"RANK", "1"}}, {240}, {}, true, "node1: task 1"}},
      .directory = "/tmp/muster-1.0-node1-abcdef"};
  return {
      {"messages",
       {muster::wire::encode(facts), muster::wire::encode(plan),
        muster::wire::encode(muster::wire::Refusal{"why"}),
        muster::wire::encode(muster::wire::TaskExit{1, 9}),
        muster::wire::encode(muster::wire::TaskUnbound{1}),
        muster::wire::encode(muster::wire::TasksStarted{{4711, 4712}})},
       [](const std::string& text) {
         const auto same = [&](const auto& message) {
           if (message) expect(muster::wire::encode(*message) == text, "a message has two forms");
         };
         same(muster::wire::decode_facts(text));
         same(muster::wire::decode_plan(text));
         same(muster::wire::decode_refusal(text));
         same(muster::wire::decode_task_exit(text));
         same(muster::wire::decode_task_unbound(text));
         same(muster::wire::decode_tasks_started(text));
       }},
      {"layout",
       {"1|node[1-4]|0+4x2|10.0.0.1", "1|a,b|1+1x1,0+1x3|", "1|n[01-10]|0+10x1*8|n01",
        "2|a,n[1-2]|0+3x2|10.0.0.1|42:1:2,43:2:4"},
       [](const std::string& text) {
         const auto layout = muster::layout::layout_from_text(text);
         expect(muster::wire::decode_mapping(muster::wire::encode_mapping(layout.node_of_task)) ==
                    layout.node_of_task,
                "a mapping changes");
         expect(node_ranks(layout).size() == layout.nodes.size(), "a node has no rank");
       }},
      {"hostlist",
       {"node[1-3,7],rack[0-1]node[2-3]-ib", "n[008-012]", "a,b,c"},
       [](const std::string& text) {
         expect(muster::layout::expand_hostlist(text).size() <= muster::layout::max_hosts,
                "too many hosts");
       }},
      {"tasks",
       {"2(x3),1", "8(x16384)", "1,2,3"},
       [](const std::string& text) { muster::layout::expand_task_counts(text); }},
      {"ports",
       {"20001-20003,20010", "20001"},
       [](const std::string& text) {
         expect(muster::rendezvous::parse_reserved_ports(text).size() <=
                    muster::rendezvous::max_port_candidates,
                "too many ports");
       }},
      {"request",
       {to_json(muster::request::Request{}),
        R"({"keys":{"bind":["none","option","--distributed"],"port":["2000-3000","user","MUSTER_PORT"]},"profile":["torch","option","x"],"version":1})"},
       [](const std::string& text) {
         const auto request = muster::request::request_from_json(text);
         expect(muster::request::request_from_json(to_json(request)) == request,
                "a request changes");
       }},
      {"attempt",
       {to_json(muster::step::Attempt{
           .request = {}, .number = 1, .key = muster::channel::make_step_key()})},
       [](const std::string& text) {
         const auto json = to_json(muster::step::attempt_from_json(text));
         expect(to_json(muster::step::attempt_from_json(json)) == json, "an attempt changes");
       }},
      {"profile",
       {"summary: a\nmode: rank\ninclude: torch\nenvironment:\n  RANK: \"{rank}\"\n  A: "
        "\"x{{y}}\"\n",
        "environment: {A: b, C: \"{master_addr}:{master_port}\"}\n"},
       [](const std::string& text) { muster::profile::parse_profile(text, "fuzz.yaml"); }},
      {"nccl",
       {"<system version=\"1\"><cpu numaid=\"0\" affinity=\"0000000f,ff\"><pci "
        "busid=\"ffff:ff:01.0\">"
        "<pci busid=\"0000:10:1c.0\"/><pci busid=\"0000:10:1b\"/></pci></cpu></system>"},
       [](const std::string& text) { muster::topology::parse_nccl_topology(text, "fuzz.xml"); }},
      {"stored topology",
       {serialize(small_node())},
       [](const std::string& text) {
         const auto topology = muster::topology::deserialize(text);
         expect(muster::topology::deserialize(serialize(topology)) == topology,
                "a stored topology changes");
       }},
      {"topology cache",
       {muster::topology::cache::to_cache_text({"boot", "key"}, small_node())},
       [](const std::string& text) {
         expect(muster::topology::cache::from_cache_text({"boot", "key"}, text) == small_node(),
                "a broken seal holds");
       }},
      {"site",
       {"topology: {cache: auto, gpus: all, rules: [{nodes: 'a[1-2]', file: /a}, {nodes: ['b*'], "
        "nccl: /b, map: [{gpu: 0, cpus: 0-3, nics: [mlx5_0]}]}]}\n"},
       [](const std::string& text) {
         rule_for(parse_config(text, "fuzz.yaml", muster::site::ConfigKind::site).topology, "a1");
       }},
  };
}

struct Options {
  unsigned seed = std::random_device{}();
  long iterations = -1;
  long seconds = 10;
  std::string reader;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--seed") options.seed = static_cast<unsigned>(std::stoul(value));
    if (name == "--iterations") options.iterations = std::stol(value);
    if (name == "--seconds") options.seconds = std::stol(value);
    if (name == "--reader") options.reader = value;
  }
  return options;
}

void feed(const Reader& reader, muster::fixtures::RandomText& random) {
  auto text = random.below(16) == 0 ? random.bytes(200) : random.pick(reader.good);
  if (random.below(4) == 0) {
    // The head of one and the tail of another.
    const auto& other = random.pick(reader.good);
    text = text.substr(0, random.below(text.size() + 1)) + other.substr(random.below(other.size()));
  }
  for (auto changes = random.below(6); changes > 0; --changes) text = random.mutate(text);
  try {
    reader.read(text);
  } catch (const muster::Error& refused) {
    for (const char* c = refused.what(); *c != '\0'; ++c) {
      expect(static_cast<unsigned char>(*c) >= 0x20 && *c != 0x7F, "a message is not one line");
    }
  } catch (const std::exception& other) {
    std::fprintf(stderr, "muster_fuzz: %s threw '%s'\n", reader.name, other.what());
    broken("a reader threw something else than Error");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  std::printf("muster_fuzz --seed %u\n", options.seed);
  std::fflush(stdout);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{options.seconds};
  muster::fixtures::RandomText random(options.seed);
  const auto all = readers();
  for (long i = 0;
       options.iterations < 0 ? std::chrono::steady_clock::now() < end : i < options.iterations;
       ++i) {
    for (const auto& reader : all) {
      if (options.reader.empty() || options.reader == reader.name) feed(reader, random);
    }
  }
  return 0;
}
