// A double of libpmix and of Slurm's PMIx servers, not the real ones: ranks are threads of this process, each
// with its own table, and callbacks come from another thread as they do from libpmix. It reproduces what was
// measured with the real one, including its faults: a fence does not wait for ranks that have left; a rank is
// not told what a rank of another node has not put; a server does not answer about a rank that has never
// joined; and a key that is put twice is not seen the second time.
#pragma once

#include "worker/pmix/api.hpp"
#include "worker/transport.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace muster::worker::pmix {

// Faults to inject. They are set before the ranks start.
struct Faults {
  std::map<int, Status> fence_status = {};  // a rank's fence ends with it, at once
  bool fence_never_ends = false;
  std::map<int, Status> init_status = {};
  bool init_hangs = false;  // until the job ends
  std::map<int, Status> put_status = {};
  std::optional<std::uint32_t> size = {};  // instead of the real one
  bool resolve_fails = false;
};

class PmixJob {
 public:
  // nodes[r]: the name of rank r's node. One job at a time, of up to eight ranks.
  explicit PmixJob(std::vector<std::string> nodes, Faults faults = {});
  PmixJob(const PmixJob&) = delete;
  PmixJob& operator=(const PmixJob&) = delete;
  ~PmixJob();

  // libpmix as this rank sees it.
  const PmixApi& api(int rank) const;
  int size() const { return static_cast<int>(nodes_.size()); }

  // The rank dies, and PMIx's servers notice.
  void die(int rank);
  // How an abandoned fence ends at last.
  void end_fence(Status status);

  int times_joined(int rank) const;
  int times_left(int rank) const;
  std::optional<int> aborted_with() const;
  std::vector<std::string> keys_of(int rank) const;

  // The functions of the table.
  Status init(int rank, Process* me);
  Status finalize(int rank);
  Status abort(int code);
  Status put(int rank, const char* key, const Value* value);
  Status commit(int rank);
  Status fence(int rank, const Info* info, std::size_t infos, DoneCallback done, void* context);
  Status get(int rank, const Process* whose, const char* key, const Info* info, std::size_t infos,
             ValueCallback done, void* context);
  Status resolve(const char* node, Process** peers, std::size_t* count);

 private:
  struct Client {
    int joined = 0;
    int left = 0;
    bool here = false;
    std::map<std::string, Bytes> put, committed;
    DoneCallback done = nullptr;  // in a fence
    void* context = nullptr;
  };

  void later(std::function<void()> call);  // on the servers' thread
  void run();
  void end_fence_if_complete();
  std::string list(const std::function<bool(int)>& which) const;

  std::vector<std::string> nodes_;
  Faults faults_;
  std::vector<Client> clients_;
  std::vector<std::function<void()>> unanswered_;
  std::optional<int> aborted_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> calls_;
  bool ending_ = false;
  std::thread servers_;
};

// The environment of one of its ranks, as Slurm sets it.
Environment environment_of(const PmixJob& job, int rank);

// Runs `body` as each of the ranks, in threads. Exceptions other than Error end the test program.
void as_pmix_ranks(const std::vector<int>& ranks, const std::function<void(int rank)>& body);

}  // namespace muster::worker::pmix
