// What py-spy, faulthandler and debuggers print, what muster's package and flight recorders answer, and what
// the nodes of a step write for `muster dump`. The first letter of an input says which.
#include "core/dump/message.hpp"
#include "core/dump/recorder.hpp"
#include "core/dump/stacks.hpp"
#include "core/dump/text.hpp"
#include "core/slurm/node_answers.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "target.hpp"

#include <algorithm>
#include <set>

namespace {

using namespace muster;
using namespace muster::dump;

void expect_bounds(const std::vector<Thread>& threads) {
  fuzz::expect(threads.size() <= max_threads, "too many threads");
  fuzz::expect(threads.empty() || std::ranges::any_of(threads, &Thread::main), "no main thread");
  for (const auto& thread : threads) {
    fuzz::expect(thread.frames.size() <= max_frames, "too many frames");
    fuzz::expect(thread.name.size() <= max_name_bytes, "a name is too long");
    for (const auto& frame : thread.frames) {
      fuzz::expect(
          frame.function.size() <= max_function_bytes && frame.file.size() <= max_file_bytes,
          "a frame is too long");
      fuzz::expect_one_line('x' + frame.function + frame.file);
    }
  }
}

void expect_comes_back(std::vector<Thread> threads) {
  expect_bounds(threads);
  ProcessLook look;
  look.node = "node1";
  look.first.threads = std::move(threads);
  const auto text = to_text(look);
  fuzz::expect(text.size() <= max_message_bytes, "a message is too long");
  const auto read = message_of(text);
  fuzz::expect(std::holds_alternative<ProcessLook>(read), "a look is something else");
}

// What is shown of a step: each rank once, on one screen.
void show(Looks looks) {
  const auto dump = make_dump({"42.0", 4, {}}, std::move(looks));
  std::set<std::uint32_t> ranks;
  for (const auto& group : dump.groups) {
    for (const auto rank : group.ranks) fuzz::expect(ranks.insert(rank).second, "a rank is twice");
  }
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    fuzz::expect(ranks.contains(rank), "a rank is lost");
  const auto text = screen(dump, "files");
  const auto lines = text::split(std::string_view(text).substr(0, text.size() - 1), '\n');
  fuzz::expect(lines.size() <= max_screen_lines, "more than a screen");
  for (const auto line : lines) {
    fuzz::expect_one_line(line);
    fuzz::expect(
        std::ranges::count_if(line, text::starts_character) <= std::ptrdiff_t{max_screen_columns},
        "a line is too wide");
  }
}

void read_nodes(std::string_view text) {
  Reader reader;
  reader.take(text);
  show(reader.looks());
}

void read_recorder(std::string_view text) {
  const auto recorder = recorder_of(text);
  fuzz::expect(recorder.groups.size() <= max_progress_groups, "too many groups");
  for (const auto& group : recorder.groups) fuzz::expect_one_line('x' + group.group + group.text);
  ProcessLook look;
  look.node = "node1";
  look.recorder = recorder;
  fuzz::expect(message_of(to_text(look)) == Message(look), "an answer does not come back");
  show({.processes = {look}});
}

void read_input(std::string_view text) {
  if (text.empty()) return;
  const auto rest = text.substr(1);
  if (text.front() == 'p') return expect_comes_back(stacks_of_py_spy(rest));
  if (text.front() == 'f') return expect_comes_back(stacks_of_faulthandler(rest));
  if (text.front() == 'k') return expect_comes_back(stacks_of_package(rest));
  if (text.front() == 'd') return expect_comes_back(stacks_of_debugger(rest, 7));
  if (text.front() == 'r') return read_recorder(rest);
  read_nodes(rest);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  ProcessLook look;
  look.rank = 2;
  look.node = "node1";
  look.pid = 7;
  look.program = "python3";
  look.first = {.state = 'S', .wait = "poll", .cpu_ms = 3, .threads = {}};
  look.first.threads.push_back({"MainThread", true, {{"all_reduce", "/a/b.py", 7}}});
  look.second = look.first;
  look.recorder = Recorder{.rank = 2,
                           .groups = {{.group = "0",
                                       .text = "default_pg",
                                       .backend = "gloo",
                                       .ranks = "0-3",
                                       .enqueued = 4,
                                       .completed = 3,
                                       .operation = "all_reduce"}}};
  auto stopped = look;
  stopped.rank = 3;
  stopped.second.state = stopped.first.state = 'T';
  const auto lines =
      slurm::answer_lines("node1", 0, to_text(look)) +
      slurm::answer_lines("node1", 1, to_text(stopped)) +
      slurm::answer_lines("node1", 2, to_text(NodeRemark{"node1", "no py-spy"})) +
      slurm::answer_lines("node1", 3, to_text(NodeDone{"node1"})) +
      slurm::answer_lines("node1", 4, to_text(RasLine{"node1", "communicator 1 ERROR"}));
  return {
      "n" + lines,
      R"(r{"rank": 2, "groups": [{"group": "0", "text": "default_pg", "backend": "gloo", "ranks": "0-3",)"
      R"("enqueued": 4, "started": 3, "completed": 3, "operation": "all_reduce"}]})",
      "nmuster-node node1 0 more {\"node\": \nmuster-node node1 0 last \"node1\", \"done\": 1}\n",
      R"(p[{"thread_name": "MainThread", "frames": [{"name": "f", "filename": "a.py", "line": 3}]}])",
      "pWarning\n[{\"thread_name\": \"a\", \"frames\": []}, {}]",
      R"(k{"threads": [{"name": "MainThread", "frames": "  File \"a.py\", line 3 in f\n"}]})",
      R"(k{"error": "RuntimeError: more than 100 threads"})",
      "fThread 0x01 (most recent call first):\n  File \"a.py\", line 3 in f\n",
      "dThread 1 (Thread 0x7e (LWP 7) \"a\"):\n#0  0x02 in read (fd=3) from /lib/c.so\n"
      "#1  main () at a.c:3\n",
      "dTID 7:\n#0  0x00007f02 read\n#1  0x0000aa - 1 main\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 8U << 20, .per_byte = 4096}, read_input);
}
