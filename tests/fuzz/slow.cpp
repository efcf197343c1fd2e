// What slow= reads: a rank's answers, which come from the user's program, on their way through the agent and
// the supervisor's judge to the line that muster prints; and what an agent sends about them. An input is a
// list of lines. A line begins with its node, a digit, and with a letter that says what it is.
#include "core/error.hpp"
#include "core/record/record.hpp"
#include "core/slow/answer.hpp"
#include "core/slow/cause.hpp"
#include "core/slow/json.hpp"
#include "core/slow/node_arrivals.hpp"
#include "core/slow/text.hpp"
#include "core/slow/tracker.hpp"
#include "core/slow/wall_clock.hpp"
#include "core/text/json.hpp"
#include "target.hpp"

#include <array>
#include <chrono>
#include <cmath>

namespace {

using namespace muster;
using namespace muster::slow;
using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::size_t nodes = 4;
constexpr auto boot = 1000s;  // when the nodes' clocks began, by the wall clock
constexpr auto now = 9000s;   // since then

struct Step {
  std::array<NodeArrivals, nodes> arrivals = {};
  Tracker tracker{{.percent = 2, .warm_up = 0s}};
  WallClock clock = {};
};

// The agent sends no times of the future, and none from before a clock was set.
void add_answer(Step& step, std::size_t node, std::string_view text) {
  const auto answer = answer_of(text);
  fuzz::expect(answer.groups.size() <= max_groups && answer.operations.size() <= max_operations &&
                   answer.arrivals.size() <= max_collectives,
               "an answer has no bound");
  fuzz::expect(answer.rank <= max_rank && answer.cost >= 0ns, "a rank or a cost does not exist");
  for (const auto& group : answer.groups) {
    fuzz::expect(group.name.size() <= max_name_bytes && group.ranks.size() <= max_ranks_bytes,
                 "a group's text has no bound");
    fuzz::expect_one_line('x' + group.name + group.text + group.ranks);
  }
  for (const auto& name : answer.operations) fuzz::expect_one_line('x' + name);
  step.arrivals.at(node).add(answer, [&](auto wall) { return step.clock.monotonic(wall); });
}

// As the agent's message and the supervisor's reading of it make it.
void add_piece(Step& step, std::size_t node, const Piece& piece) {
  const auto text = record::write(piece);
  const auto read = record::read<Piece>(text);
  fuzz::expect(read == piece, "a message of arrivals changes");
  step.tracker.add(node, piece);
}

void take(Step& step) {
  constexpr int looks = 4;
  for (std::size_t node = 0; node < nodes; ++node) {
    for (int i = 0; i < looks; ++i) {
      if (const auto piece = step.arrivals.at(node).take(1ms)) add_piece(step, node, *piece);
    }
  }
}

bool is_share(double percent) {
  return percent >= 0 && percent <= 100.0001;
}

void expect_sound(const Named& named) {
  fuzz::expect_one_line(line(named));
  fuzz::expect(is_share(named.last_percent) && is_share(named.time_percent), "no percentage");
  fuzz::expect(named.delay >= 0ns && named.lost >= 0ns, "a rank loses less than nothing");
  const auto read = named_from(json::parse(to_json(named).dump()));
  fuzz::expect(line(read).size() <= 2048, "a line has no bound");
  fuzz::expect(read.rank == named.rank && read.node == named.node, "a rank's name changes");
}

void look(Step& step) {
  step.tracker.look(now, [](std::size_t node) { return "node" + std::to_string(node); });
  step.tracker.look(now + 10s, [](std::size_t) { return std::string("new"); });
  fuzz::expect(step.tracker.named().size() <= max_named, "too many are named");
  for (const auto& named : step.tracker.named()) expect_sound(named);
}

void read_json(std::string_view text) {
  try {
    fuzz::expect_one_line(line(named_from(text::parse_json(text))));
  } catch (const json::exception&) {  // the caller says so
  }
}

void read_line(Step& step, std::string_view text) {
  const auto node = static_cast<std::size_t>(static_cast<unsigned char>(text[0])) % nodes;
  const auto rest = text.substr(2);
  if (text[1] == 'a') {
    add_answer(step, node, rest);
  } else if (text[1] == 'p') {
    if (const auto piece = record::read<Piece>(rest)) add_piece(step, node, *piece);
  } else if (text[1] == 'e') {
    if (const auto evidence = record::read<Evidence>(rest))
      fuzz::expect_one_line('x' + cause_of(*evidence));
  } else if (text[1] == 'j') {
    read_json(rest);
  } else if (text[1] == 't') {
    take(step);
  }
}

// A rank that is not understood is left out; the others are judged.
void read_input(std::string_view text) {
  Step step;
  step.clock.read(boot, 0s);
  step.clock.read(boot + now, now);
  std::optional<Error> refusal;
  while (!text.empty()) {
    const auto part = fuzz::take_until(text, '\n');
    if (part.size() < 2) continue;
    try {
      read_line(step, part);
    } catch (const Error& error) {
      fuzz::expect_one_line(error.what());
      refusal = error;
    }
  }
  take(step);
  look(step);
  if (refusal) throw Error(*refusal);
}

// 70 steps of one second, in which rank 1 is 0.3 s late. `timed`: as torch measures collectives on a GPU.
std::string answer(std::uint32_t rank, std::size_t steps, bool timed = false) {
  json times = json::array();
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto late = rank == 1 ? 300'000'000 : 1'000'000 * rank;
    times.push_back({0, step + 1, 0, step * 1'000'000'000 + late});
    if (timed) times.back().push_back(rank == 1 ? 1000 : 301'000);
  }
  return json{{"rank", rank},
              {"cost", 0.0005},
              {"operations", {"all_reduce"}},
              {"base", std::chrono::nanoseconds(boot + 100s).count()},
              {"groups",
               {{{"group", "0"},
                 {"text", "default_pg"},
                 {"backend", "gloo"},
                 {"size", 3},
                 {"ranks", "0-2"},
                 {"pairs", false}}}},
              {"times", times}}
      .dump();
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  constexpr std::size_t enough = 70;
  std::vector<std::string> all;
  std::string three;
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    three += std::to_string(rank) + 'a' + answer(rank, enough) + '\n';
  all.push_back(three);
  std::string together;  // on one node
  for (std::uint32_t rank = 0; rank < 3; ++rank) together += "0a" + answer(rank, enough) + '\n';
  all.push_back(together);
  std::string timed;
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    timed += std::to_string(rank) + 'a' + answer(rank, enough, true) + '\n';
  all.push_back(timed);
  all.push_back("1a" + answer(1, 2));
  all.emplace_back(R"(0a{"error": "KeyError: 'op_id'"})");
  all.emplace_back(
      R"(0a{"rank": null, "cost": 0.0, "groups": [], "operations": [], "base": 0, "times": []})");

  Piece piece{.base = 10s,
              .error = 1ms,
              .groups = {{.name = "0", .text = "default_pg", .ranks = "0-1", .size = 2}},
              .operations = {"all_reduce"}};
  for (std::uint64_t number = 1; number <= enough; ++number) {
    const auto time = std::chrono::seconds(number);
    piece.collectives.push_back({.number = number,
                                 .count = 1,
                                 .rank = 0,
                                 .first = time,
                                 .last = time,
                                 .before = {},
                                 .end = time + 1s});
  }
  auto late = piece;
  for (auto& collective : late.collectives) {
    collective.rank = 1;
    collective.first = collective.last = collective.first + 200ms;
  }
  all.push_back("0p" + record::write(piece) + "\n1p" + record::write(late));
  all.push_back("0e" + record::write(Evidence{.throttled = 400,
                                              .computing = 900,
                                              .queueing = 10,
                                              .workers = 2,
                                              .workers_computing = 1500,
                                              .faults = 0,
                                              .segments = 100000,
                                              .repeated = 2000}));
  all.push_back("0j" + to_json(Named{.node = "n1",
                                     .rank = 3,
                                     .operation = "all_reduce",
                                     .last_percent = 90,
                                     .delay = 100ms,
                                     .period = 1s,
                                     .time_percent = 9,
                                     .cause = "it computes for longer than its peers"})
                           .dump());
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 8U << 20, .per_byte = 4096}, read_input);
}
