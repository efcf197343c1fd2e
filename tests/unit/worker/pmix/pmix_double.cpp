#include "pmix_double.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace muster::worker::pmix {
namespace {

constexpr const char* nspace = "slurm.pmix.7.1";
constexpr std::size_t most_ranks = 8;
PmixJob* the_job = nullptr;

// C functions have no object, so each rank has its own function.
template <int R>
PmixApi table() {
  PmixApi api;
  api.init = [](Process* me, Info*, std::size_t) { return the_job->init(R, me); };
  api.finalize = [](const Info*, std::size_t) { return the_job->finalize(R); };
  api.abort = [](int code, const char*, Process*, std::size_t) { return the_job->abort(code); };
  api.put = [](Scope, const char* key, Value* value) { return the_job->put(R, key, value); };
  api.commit = [] { return the_job->commit(R); };
  api.fence_nb = [](const Process*, std::size_t, const Info* info, std::size_t infos,
                    DoneCallback done,
                    void* context) { return the_job->fence(R, info, infos, done, context); };
  api.get_nb = [](const Process* whose, const char* key, const Info* info, std::size_t infos,
                  ValueCallback done, void* context) {
    return the_job->get(R, whose, key, info, infos, done, context);
  };
  api.resolve_peers = [](const char* node, const char*, Process** peers, std::size_t* count) {
    return the_job->resolve(node, peers, count);
  };
  api.error_string = [](Status) { return "DOUBLE"; };
  api.version = [] { return "Double 5.0.0"; };
  api.path = "/double/libpmix.so.2";
  return api;
}

template <int... R>
std::array<PmixApi, sizeof...(R)> tables(std::integer_sequence<int, R...>) {
  return {table<R>()...};
}

bool has(const Info* info, std::size_t infos, const char* key) {
  return infos == 1 && std::strcmp(info->key, key) == 0 && info->value.type == type::boolean &&
         info->value.data.flag;
}

}  // namespace

PmixJob::PmixJob(std::vector<std::string> nodes, Faults faults)
    : nodes_(std::move(nodes)),
      faults_(std::move(faults)),
      clients_(nodes_.size()),
      servers_([this] { run(); }) {
  if (nodes_.size() > most_ranks || the_job != nullptr) std::abort();
  the_job = this;
}

PmixJob::~PmixJob() {
  {
    const std::scoped_lock lock{mutex_};
    ending_ = true;
    changed_.notify_all();
  }
  servers_.join();
  // What was abandoned is held until it is answered.
  for (const auto& answer : unanswered_) answer();
  for (auto& client : clients_) {
    if (client.done != nullptr)
      std::exchange(client.done, nullptr)(status::timeout, client.context);
  }
  the_job = nullptr;
}

const PmixApi& PmixJob::api(int rank) const {
  static const auto all = tables(std::make_integer_sequence<int, most_ranks>{});
  return all.at(static_cast<std::size_t>(rank));
}

void PmixJob::run() {
  std::unique_lock lock{mutex_};
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !calls_.empty(); });
    if (calls_.empty()) return;
    const auto call = std::move(calls_.front());
    calls_.pop_front();
    lock.unlock();
    call();
    lock.lock();
  }
}

void PmixJob::later(std::function<void()> call) {
  calls_.push_back(std::move(call));
  changed_.notify_all();
}

Status PmixJob::init(int rank, Process* me) {
  std::unique_lock lock{mutex_};
  if (faults_.init_hangs) {
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    return status::timeout;
  }
  if (faults_.init_status.contains(rank)) return faults_.init_status.at(rank);
  auto& client = clients_.at(static_cast<std::size_t>(rank));
  ++client.joined;
  client.here = true;
  std::strcpy(me->nspace, nspace);
  me->rank = static_cast<Rank>(rank);
  return status::success;
}

Status PmixJob::finalize(int rank) {
  const std::scoped_lock lock{mutex_};
  auto& client = clients_.at(static_cast<std::size_t>(rank));
  client.here = ++client.left < client.joined;
  end_fence_if_complete();
  return status::success;
}

void PmixJob::die(int rank) {
  const std::scoped_lock lock{mutex_};
  clients_.at(static_cast<std::size_t>(rank)).here = false;
  end_fence_if_complete();
}

Status PmixJob::abort(int code) {
  const std::scoped_lock lock{mutex_};
  aborted_ = code;
  return status::success;
}

Status PmixJob::put(int rank, const char* key, const Value* value) {
  const std::scoped_lock lock{mutex_};
  if (faults_.put_status.contains(rank)) return faults_.put_status.at(rank);
  const auto& bytes = value->data.bytes;
  const auto* first = reinterpret_cast<const std::byte*>(bytes.bytes);
  clients_.at(static_cast<std::size_t>(rank)).put[key] = Bytes(first, first + bytes.size);
  return status::success;
}

Status PmixJob::commit(int rank) {
  const std::scoped_lock lock{mutex_};
  auto& client = clients_.at(static_cast<std::size_t>(rank));
  for (auto& [key, bytes] : client.put) client.committed.try_emplace(key, bytes);
  client.put.clear();
  return status::success;
}

Status PmixJob::fence(int rank, const Info* info, std::size_t infos, DoneCallback done,
                      void* context) {
  const std::scoped_lock lock{mutex_};
  // Without data Slurm's servers would let every rank pass.
  if (!has(info, infos, key::collect_data)) return status::not_supported;
  auto& client = clients_.at(static_cast<std::size_t>(rank));
  if (const auto fault = faults_.fence_status.find(rank); fault != faults_.fence_status.end()) {
    later([done, context, status = fault->second] { done(status, context); });
    return status::success;
  }
  client.done = done;
  client.context = context;
  end_fence_if_complete();
  return status::success;
}

// The fence waits for a rank that has never joined, but not for one that has gone.
void PmixJob::end_fence_if_complete() {
  if (faults_.fence_never_ends) return;
  bool any = false;
  for (const auto& client : clients_) {
    any = any || client.done != nullptr;
    if (client.done == nullptr && (client.here || client.joined == 0)) return;
  }
  if (!any) return;
  for (auto& client : clients_) {
    if (client.done == nullptr) continue;
    later([done = client.done, context = client.context] { done(status::success, context); });
    client.done = nullptr;
  }
}

void PmixJob::end_fence(Status status) {
  const std::scoped_lock lock{mutex_};
  for (auto& client : clients_) {
    if (client.done == nullptr) continue;
    later([done = client.done, context = client.context, status] { done(status, context); });
    client.done = nullptr;
  }
}

std::string PmixJob::list(const std::function<bool(int)>& which) const {
  std::string text;
  for (int rank = 0; rank < size(); ++rank) {
    if (which(rank)) text += (text.empty() ? "" : ",") + std::to_string(rank);
  }
  return text;
}

Status PmixJob::get(int rank, const Process* whose, const char* wanted, const Info* info,
                    std::size_t infos, ValueCallback done, void* context) {
  const std::scoped_lock lock{mutex_};
  const auto answer_text = [&](std::string text) {
    later([done, context, text = std::move(text)]() mutable {
      Value value{};
      value.type = type::string;
      value.data.string = text.data();
      done(status::success, &value, context);
    });
    return status::success;
  };
  const auto refuse = [&] {
    later([done, context] { done(status::not_found, nullptr, context); });
    return status::success;
  };
  const std::string key = wanted;
  const auto& my_node = nodes_.at(static_cast<std::size_t>(rank));
  if (whose->rank == every_rank) {
    if (key == key::job_size) {
      later([done, context, number = faults_.size.value_or(static_cast<std::uint32_t>(size()))] {
        Value value{};
        value.type = type::uint32;
        value.data.uint32 = number;
        done(status::success, &value, context);
      });
      return status::success;
    }
    if (key == key::local_peers) {
      return answer_text(
          list([&](int r) { return nodes_[static_cast<std::size_t>(r)] == my_node; }));
    }
    if (key == key::node_list) {
      std::string names;
      std::map<std::string, bool> seen;
      for (const auto& node : nodes_) {
        if (!seen.emplace(node, true).second) continue;
        names += (names.empty() ? "" : ",") + node;
      }
      return answer_text(names);
    }
    return refuse();
  }
  const auto& client = clients_.at(whose->rank);
  const auto& node = nodes_.at(whose->rank);
  if (key == key::hostname) return answer_text(node);
  const auto found = client.committed.find(key);
  const bool near = node == my_node;
  const bool immediate = has(info, infos, key::immediate);
  if (found == client.committed.end() || (immediate && !near)) {
    // The other node's server waits for a rank that has never joined.
    if (!immediate && client.joined == 0) {
      unanswered_.push_back([done, context] { done(status::not_found, nullptr, context); });
      return status::success;
    }
    return refuse();
  }
  later([done, context, bytes = found->second]() mutable {
    Value value{};
    value.type = type::byte_object;
    value.data.bytes = {reinterpret_cast<char*>(bytes.data()), bytes.size()};
    done(status::success, &value, context);
  });
  return status::success;
}

Status PmixJob::resolve(const char* node, Process** peers, std::size_t* count) {
  const std::scoped_lock lock{mutex_};
  if (faults_.resolve_fails) return status::not_found;
  std::vector<Process> found;
  for (int rank = 0; rank < size(); ++rank) {
    if (nodes_[static_cast<std::size_t>(rank)] != node) continue;
    Process process{};
    std::strcpy(process.nspace, nspace);
    process.rank = static_cast<Rank>(rank);
    found.push_back(process);
  }
  *count = found.size();
  *peers = static_cast<Process*>(std::malloc(found.size() * sizeof(Process)));
  std::copy(found.begin(), found.end(), *peers);
  return status::success;
}

int PmixJob::times_joined(int rank) const {
  const std::scoped_lock lock{mutex_};
  return clients_.at(static_cast<std::size_t>(rank)).joined;
}

int PmixJob::times_left(int rank) const {
  const std::scoped_lock lock{mutex_};
  return clients_.at(static_cast<std::size_t>(rank)).left;
}

std::optional<int> PmixJob::aborted_with() const {
  const std::scoped_lock lock{mutex_};
  return aborted_;
}

std::vector<std::string> PmixJob::keys_of(int rank) const {
  const std::scoped_lock lock{mutex_};
  std::vector<std::string> keys;
  for (const auto& [key, bytes] : clients_.at(static_cast<std::size_t>(rank)).committed) {
    keys.push_back(key);
  }
  return keys;
}

Environment environment_of(const PmixJob& job, int rank) {
  return Environment{{{"SLURM_PROCID", std::to_string(rank)},
                      {"SLURM_STEP_NUM_TASKS", std::to_string(job.size())},
                      {"SLURM_JOB_ID", "7"},
                      {"SLURM_STEP_ID", "1"}}};
}

void as_pmix_ranks(const std::vector<int>& ranks, const std::function<void(int rank)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(ranks.size());
  for (const int rank : ranks) threads.emplace_back([&body, rank] { body(rank); });
  for (auto& thread : threads) thread.join();
}

}  // namespace muster::worker::pmix
