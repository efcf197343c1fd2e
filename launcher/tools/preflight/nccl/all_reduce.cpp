#include "launcher/tools/preflight/nccl/all_reduce.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

#include <dlfcn.h>

namespace muster::preflight::nccl {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* library_variable = "MUSTER_NCCL_LIBRARY";
constexpr std::size_t small_bytes = 8;
constexpr std::size_t probe_bytes = std::size_t{1} << 20;
constexpr int warm_up = 5;  // the first use sets up connections
constexpr int least_small = 5;
constexpr int max_small = 100;
constexpr int max_large = 8;

// Microseconds for all-reduces of eight bytes, and for those of this size.
struct Size {
  double small;
  double large;
  std::size_t bytes;
};
constexpr Size long_test{200'000, 150'000, max_bytes};
constexpr Size short_test{100'000, 50'000, max_bytes / 4};

constexpr int max_channels = 8;  // each one has its own memory on the GPU
constexpr int milliseconds_to_leave = 300;

void set(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 1);
}

std::string value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

// Where pip or conda installs it inside a Python environment, from which torch loads its own copy.
fs::path nccl_of_python(const fs::path& prefix) {
  std::error_code unreadable;
  for (const auto& each : fs::directory_iterator(prefix / "lib", unreadable)) {
    if (!each.path().filename().string().starts_with("python3")) continue;
    const auto file = each.path() / "site-packages/nvidia/nccl/lib/libnccl.so.2";
    if (fs::exists(file, unreadable)) return file;
  }
  const auto file = prefix / "lib/libnccl.so.2";
  return fs::exists(file, unreadable) ? file : fs::path();
}

// Prefers the active environment's library to the system's, as the training does.
void choose_library() {
  if (!value_of(library_variable).empty()) return;
  for (const char* const variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = value_of(variable);
    const auto file = prefix.starts_with('/') ? nccl_of_python(prefix) : fs::path();
    if (!file.empty()) return set(library_variable, file);
  }
}

// libmuster has opened the library under this name, so it is already in the process.
void* opened_nccl() {
  const auto named = value_of(library_variable);
  if (!named.empty()) {
    if (void* const library = dlopen(named.c_str(), RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  return dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
}

}  // namespace

Nccl open_nccl() {
  choose_library();
  Nccl nccl;
  if (muster_nccl_version(&nccl.version) != MUSTER_OK) throw NothingHere(muster_last_error());
  void* const library = opened_nccl();
  if (library != nullptr)
    nccl.all_reduce = reinterpret_cast<AllReduceFunction>(dlsym(library, "ncclAllReduce"));
  if (nccl.all_reduce == nullptr) throw NothingHere("this NCCL has no ncclAllReduce");
  return nccl;
}

Figures Pair::test(const Order& order) {
  deadline_ = Clock::now() + order.limit;
  join(order);
  const auto small = check_sum(order);
  reduce(probe_bytes);
  const auto probe = reduce(probe_bytes);
  const auto repetitions = agreed(order, small, probe);
  Figures figures;
  measure_small(repetitions.small, figures);
  measure_large(repetitions.large, order, probe, figures);
  whole_ = true;
  return figures;
}

// As one of two ranks of a separate step that reach each other over TCP, whatever step this process belongs
// to.
void Pair::join(const Order& order) {
  set("RANK", std::to_string(order.rank));
  set("NODE_RANK", std::to_string(order.rank));
  set("WORLD_SIZE", "2");
  set("LOCAL_RANK", "0");
  set("LOCAL_WORLD_SIZE", "1");
  set("MUSTER_EXCHANGE", order.place);
  set("MUSTER_EXCHANGE_KEY", order.key);
  muster_options options = MUSTER_OPTIONS;
  options.timeout_ms = milliseconds_left();
  options.transport = MUSTER_TRANSPORT_TCP;
  check(muster_init(&step_, &options));
  muster_nccl_options wanted = MUSTER_NCCL_OPTIONS;
  wanted.timeout_ms = milliseconds_left();
  wanted.device = 0;
  wanted.max_ctas = max_channels;
  check(muster_nccl_init(step_, &wanted, &communicator_));
  gpu_.make_current();
}

void Pair::leave() {
  // An error no longer matters: the figures, or the reason why there are none, have been sent.
  if (whole_) {
    muster_nccl_destroy(step_, &communicator_, milliseconds_to_leave);
  } else {
    muster_nccl_abort(step_, &communicator_);
  }
  muster_finalize(&step_, milliseconds_to_leave);
}

void Pair::check(int status) const {
  if (status == MUSTER_OK) return;
  if (status == MUSTER_ERR_TIMEOUT) throw TooLate(muster_last_error());
  throw std::runtime_error(muster_last_error());
}

int Pair::milliseconds_left() const {
  const auto left = std::chrono::ceil<milliseconds>(deadline_ - Clock::now()).count();
  return static_cast<int>(std::max<milliseconds::rep>(left, 1));
}

// In microseconds. Both programs make the same calls in the same order.
double Pair::reduce(std::size_t bytes) {
  const auto begin = Clock::now();
  const auto result = nccl_.all_reduce(gpu_.input(), gpu_.output(), bytes / sizeof(float),
                                       nccl_float, nccl_sum, communicator_, gpu_.stream());
  if (result == nccl_in_progress) {
    await_nccl();
  } else if (result != nccl_success) {
    throw std::runtime_error("ncclAllReduce failed with error " + std::to_string(result) +
                             "; NCCL_DEBUG=WARN in a run shows why");
  }
  await_gpu();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// After an error, libmuster has aborted the communicator, which must not be used any more.
void Pair::await_nccl() {
  const int status = muster_nccl_wait(step_, communicator_, milliseconds_left());
  if (status != MUSTER_OK) communicator_ = nullptr;
  check(status);
}

// Does not sleep, because what it measures takes microseconds. NCCL's own thread may have to share this one's
// CPU. NCCL is checked now and then, because it may have lost the other node while the GPU is still waiting.
void Pair::await_gpu() {
  constexpr milliseconds interval{20};
  auto next_look = Clock::now() + interval;
  while (!gpu_.is_done()) {
    const auto now = Clock::now();
    if (now >= deadline_) throw TooLate("the GPU did not finish an all-reduce in time");
    std::this_thread::yield();
    if (now < next_look) continue;
    await_nccl();
    next_look = now + interval;
  }
}

// Checks that the sum is that of the two nodes' values. Returns the time of one eight-byte all-reduce.
double Pair::check_sum(const Order& order) {
  const auto own = static_cast<float>(order.rank + 1);
  gpu_.write(own, 10 * own);
  double time = 0;
  for (int i = 0; i < warm_up; ++i) time = reduce(small_bytes);
  float first = 0;
  float second = 0;
  gpu_.read(first, second);
  if (first != 3 || second != 30)
    throw std::runtime_error("an all-reduce returned a wrong sum: " + std::to_string(first) +
                             " instead of 3");
  return time;
}

// As many repetitions as there is time for. Rank 0 decides, because both programs must make the same calls.
// On a slow network there is no time for a large all-reduce; `probe`, of one mebibyte, is then all.
Pair::Repetitions Pair::agreed(const Order& order, double small, double probe) {
  const auto [small_time, large_time, bytes] = order.small ? short_test : long_test;
  const auto large = probe * static_cast<double>(bytes) / static_cast<double>(probe_bytes);
  const auto times = [](double time, double each, int most) {
    return static_cast<std::int32_t>(std::min(time / std::max(each, 1.0), double(most)));
  };
  Repetitions all{std::max(times(small_time, small, max_small), least_small),
                  times(large_time, large, max_large)};
  check(muster_broadcast(step_, &all, sizeof all, 0, milliseconds_left()));
  return {std::clamp(all.small, least_small, max_small), std::clamp(all.large, 0, max_large)};
}

void Pair::measure_small(int repetitions, Figures& figures) {
  std::vector<double> times(static_cast<std::size_t>(repetitions));
  double all = 0;
  for (auto& time : times) {
    time = reduce(small_bytes);
    all += time;
  }
  figures.mean = all / static_cast<double>(times.size());
  const auto quarter = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, quarter);
  figures.latency = *quarter;
}

void Pair::measure_large(int repetitions, const Order& order, double probe, Figures& figures) {
  const auto bytes = static_cast<double>((order.small ? short_test : long_test).bytes);
  double time = 0;
  for (int i = 0; i < repetitions; ++i) time += reduce(static_cast<std::size_t>(bytes));
  constexpr double second = 1e6;
  figures.bandwidth = repetitions > 0
                          ? second * repetitions * bytes / std::max(time, 1.0)
                          : second * static_cast<double>(probe_bytes) / std::max(probe, 1.0);
}

}  // namespace muster::preflight::nccl
