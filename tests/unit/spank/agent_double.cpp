// Replaces the muster program in the shim's tests. --config= names its behaviour, and its plan tells the test
// what it saw: descriptors, ids, environment, arguments.
#include "wire/frames.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <dirent.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace muster::wire;
using namespace std::chrono_literals;

constexpr int pipe_socket = 3;

auto soon() {
  return std::chrono::steady_clock::now() + 20s;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string descriptors() {
  std::set<int> open;
  DIR* const directory = opendir("/proc/self/fd");
  if (directory == nullptr) return "unknown";
  while (const dirent* entry = readdir(directory)) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd != dirfd(directory)) open.insert(fd);
  }
  closedir(directory);
  std::vector<std::string> words;
  for (const int fd : open) words.push_back(std::to_string(fd));
  return joined(words);
}

std::string environment() {
  std::vector<std::string> words;
  for (char** entry = environ; *entry != nullptr; ++entry) words.emplace_back(*entry);
  std::sort(words.begin(), words.end());
  return joined(words);
}

std::string ids() {
  std::array<uid_t, 3> uid{};
  std::array<gid_t, 3> gid{};
  getresuid(&uid[0], &uid[1], &uid[2]);
  getresgid(&gid[0], &gid[1], &gid[2]);
  std::vector<std::string> words;
  for (const auto id : uid) words.push_back(std::to_string(id));
  for (const auto id : gid) words.push_back(std::to_string(id));
  return joined(words);
}

std::string groups() {
  std::vector<gid_t> list(static_cast<std::size_t>(std::max(getgroups(0, nullptr), 0)));
  if (getgroups(static_cast<int>(list.size()), list.data()) < 0) return "unknown";
  std::sort(list.begin(), list.end());
  std::vector<std::string> words;
  for (const auto id : list) words.push_back(std::to_string(id));
  return joined(words);
}

// This must come last: if it succeeds, it changes the process's user.
std::string root_again() {
  constexpr auto keep = static_cast<uid_t>(-1);
  for (const uid_t real : {keep, uid_t{0}}) {
    for (const uid_t saved : {keep, uid_t{0}}) {
      if (syscall(SYS_setresuid, real, 0, saved) == 0) return "yes";
    }
  }
  return setgid(0) == 0 || setegid(0) == 0 ? "yes" : "no";
}

std::string signals() {
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  std::vector<std::string> words;
  for (int signal = 1; signal < 32; ++signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (sigismember(&blocked, signal) == 1) words.push_back("blocked:" + std::to_string(signal));
    if (action.sa_handler != SIG_DFL) words.push_back("ignored:" + std::to_string(signal));
  }
  return joined(words);
}

std::string others() {
  std::array<char, 4096> directory{};
  if (getcwd(directory.data(), directory.size()) == nullptr) return "unknown";
  const auto mask = umask(0);
  return std::string(directory.data()) + (getsid(0) == getpid() ? " leader" : " follower") +
         (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? " no-new-privileges" : " privileges") +
         " umask " + std::to_string(mask);
}

std::string dumpable() {
  return std::to_string(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
}

std::string memory_privilege() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const auto own = files;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);  // as any process may
  std::array<char, 16> text{};
  std::FILE* const file = std::fopen("/proc/self/oom_score_adj", "r");
  setrlimit(RLIMIT_NOFILE, &own);
  if (file == nullptr || std::fgets(text.data(), text.size(), file) == nullptr) return "unknown";
  std::fclose(file);
  return std::to_string(std::atoi(text.data()));
}

// "soft:hard" for each limit.
std::string limits() {
  std::vector<std::string> words;
  for (const auto resource : {RLIMIT_NOFILE, RLIMIT_CORE, RLIMIT_MEMLOCK, RLIMIT_STACK}) {
    rlimit limit{};
    getrlimit(resource, &limit);
    words.push_back(std::to_string(limit.rlim_cur) + ':' + std::to_string(limit.rlim_max));
  }
  return joined(words);
}

// The value of NAME among the job's variables, with which a test asks for more.
std::string asked(const muster::wire::StepFacts& facts, std::string_view name) {
  for (const auto& entry : facts.environment) {
    if (entry.starts_with(std::string(name) + '=')) return entry.substr(name.size() + 1);
  }
  return {};
}

muster::wire::NodePlan plan(const muster::wire::StepFacts& facts,
                            const std::vector<std::string>& arguments) {
  muster::wire::NodePlan plan;
  plan.set = {
      {"SEEN_DESCRIPTORS", descriptors()},
      {"SEEN_ENVIRONMENT", environment()},
      {"SEEN_IDS", ids()},
      {"SEEN_GROUPS", groups()},
      {"SEEN_ARGUMENTS", joined(arguments)},
      {"SEEN_SIGNALS", signals()},
      {"SEEN_OTHERS", others()},
      {"SEEN_PID", std::to_string(getpid())},
      {"SEEN_DUMPABLE", dumpable()},
      {"SEEN_MEMORY_PRIVILEGE", memory_privilege()},
      {"SEEN_LIMITS", limits()},
      {"SEEN_OPTION", facts.option},
      {"SEEN_DIRECTORY", facts.working_directory},
      {"SEEN_PROGRAM", joined(facts.arguments)},
      {"SEEN_STEP", std::to_string(facts.job_id) + '.' + std::to_string(facts.step_id)},
      {"SEEN_NODE", std::to_string(facts.node_index) + '/' + std::to_string(facts.node_count) +
                        '/' + std::to_string(facts.task_count) + '/' + facts.cores}};
  plan.set.push_back({"SEEN_ROOT_AGAIN", root_again()});
  if (const auto hook = asked(facts, "DOUBLE_HOOK"); !hook.empty()) {
    plan.start_hook = hook;
    plan.set.push_back({"PYTHONPATH", hook});
    plan.set.push_back({"MUSTER_RANK_DIRECTORY", "/tmp/muster/0"});
  }
  if (const auto text = asked(facts, "DOUBLE_WARNING"); !text.empty()) plan.warnings = {text};
  if (const auto name = asked(facts, "DOUBLE_UNSET"); !name.empty()) plan.unset = {name};
  for (std::size_t task = 0; task < facts.global_ids.size(); ++task) {
    muster::wire::TaskPlan own;
    own.set = {{"TASK", std::to_string(task)}, {"RANK", std::to_string(facts.global_ids[task])}};
    if (const auto mask = asked(facts, "DOUBLE_MASK"); !mask.empty()) {
      own.cpu_mask = {std::stoull(mask)};
    }
    own.cpus_required = !asked(facts, "DOUBLE_REQUIRED").empty();
    own.who = "node2: task " + std::to_string(facts.global_ids[task]);
    plan.tasks.push_back(std::move(own));
  }
  return plan;
}

void send_plan(const muster::wire::NodePlan& plan) {
  send_frame(pipe_socket, muster::wire::Kind::plan, encode(plan), soon());
}

void refuse(const std::string& why) {
  send_frame(pipe_socket, muster::wire::Kind::refusal, encode(muster::wire::Refusal{why}), soon());
}

void send_raw(std::string_view bytes) {
  if (write(pipe_socket, bytes.data(), bytes.size()) < 0) std::exit(9);
}

// Records the exits that it is told about, and ends with the last one.
void stay(const muster::wire::StepFacts& facts) {
  std::FILE* const record = std::fopen(asked(facts, "DOUBLE_RECORD").c_str(), "w");
  for (std::size_t left = facts.global_ids.size(); left > 0;) {
    const auto frame = muster::wire::receive_frame(pipe_socket, soon());
    if (frame.status != muster::wire::PipeStatus::ok) break;
    if (frame.kind == muster::wire::Kind::tasks_started) {
      const auto started = muster::wire::decode_tasks_started(frame.payload);
      for (const auto pid : started->pids) {
        if (record != nullptr) std::fprintf(record, "pid:%u ", pid);
      }
      continue;
    }
    if (const auto unbound = muster::wire::decode_task_unbound(frame.payload)) {
      if (record != nullptr) std::fprintf(record, "unbound:%u ", unbound->local_id);
      continue;
    }
    const auto exit = muster::wire::decode_task_exit(frame.payload);
    if (!exit) break;
    --left;
    if (record != nullptr) std::fprintf(record, "%u:%u ", exit->local_id, exit->wait_status);
  }
  if (record != nullptr) std::fclose(record);
  send_frame(pipe_socket, muster::wire::Kind::done, {}, soon());
}

// Records that an agent was started.
void count_start(const muster::wire::StepFacts& facts) {
  if (std::FILE* const file = std::fopen(asked(facts, "DOUBLE_STARTS").c_str(), "a")) {
    std::fputs(facts.agent_lost ? "ends-the-step " : "started ", file);
    std::fclose(file);
  }
}

// Afterwards a process that is not the agent holds its socket.
template <typename Body>
void in_another_process(Body body) {
  if (fork() != 0) return;
  setsid();  // otherwise the kernel would not give the agent's ID to another process
  body();
  _exit(0);
}

void flood() {
  const std::string bytes(1 << 16, 'x');
  std::signal(SIGPIPE, SIG_IGN);
  while (write(pipe_socket, bytes.data(), bytes.size()) > 0) {
  }
}

int behave(const std::string& how, const std::vector<std::string>& arguments) {
  if (how == "crash") raise(SIGKILL);
  if (how == "exit7") return 7;
  const auto facts =
      muster::wire::decode_facts(muster::wire::receive_frame(pipe_socket, soon()).payload);
  if (!facts) return 8;
  count_start(*facts);
  auto answer = plan(*facts, arguments);
  if (how == "plan") {
    send_plan(answer);
    stay(*facts);
  } else if (how == "refuse") {
    refuse("no such network");
  } else if (how == "refuse-without-words") {
    refuse("");
  } else if (how == "garbage") {
    send_raw("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    muster::wire::receive_frame(pipe_socket, soon());
  } else if (how == "garbled-plan") {
    send_frame(pipe_socket, muster::wire::Kind::plan, "not a plan at all", soon());
    muster::wire::receive_frame(pipe_socket, soon());
  } else if (how == "wrong-kind") {
    send_frame(pipe_socket, muster::wire::Kind::task_exit, encode(answer), soon());
    muster::wire::receive_frame(pipe_socket, soon());
  } else if (how == "too-few-tasks") {
    answer.tasks.pop_back();
    send_plan(answer);
  } else if (how == "half") {
    send_raw("MSR1");
  } else if (how == "hang-up") {
    close(pipe_socket);
    std::this_thread::sleep_for(2s);
  } else if (how == "die-later") {
    send_plan(answer);
    muster::wire::receive_frame(pipe_socket, soon());
    raise(SIGKILL);
  } else if (how == "die-in-charge") {
    if (facts->agent_lost) return 0;
    answer.ends_by_failure = true;
    send_plan(answer);
    raise(SIGKILL);
  } else if (how == "flood") {
    send_plan(answer);
    in_another_process(flood);
    flood();
  } else if (how == "leave-its-socket") {
    in_another_process([] {
      pollfd closed{pipe_socket, 0, 0};  // no event: only closing the socket ends this
      poll(&closed, 1, 20'000);
    });
    send_plan(answer);
  } else if (how == "busy") {
    send_plan(answer);
    send_frame(pipe_socket, muster::wire::Kind::busy, {}, soon());
    std::this_thread::sleep_for(3s);  // longer than slurmstepd waits for other processes
    stay(*facts);
  } else if (how == "deaf") {
    send_plan(answer);
    std::this_thread::sleep_for(60s);
  } else if (how == "linger") {
    send_plan(answer);
    std::this_thread::sleep_for(8s);
  } else if (how == "silent") {
    std::this_thread::sleep_for(20s);
  }
  return 0;
}

int check(const std::vector<std::string>& arguments) {
  for (const auto& word : arguments) {
    if (word == "--distributed=help") return 3;
    if (word == "--distributed=bad") return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return 2;
  if (arguments[0] == "check") return check(arguments);
  if (arguments[0] != "agent") {
    for (const auto& word : arguments) std::printf("%s\n", word.c_str());
    return 0;
  }
  for (const auto& word : arguments) {
    if (word.starts_with("--config=")) return behave(word.substr(9), arguments);
  }
  return 2;
}
