// A bare PMIx program that does what muster_init() and muster_nccl_ids() do to bring NCCL's ids to
// every rank, and nothing else: no checks, no deadlines, no messages.
//
//   bootstrap_bare GATE RECORD_BYTES RANKS_PER_ROOT init|exec|ids|look     one rank of a step
//
// Init, one put, commit, one collecting fence; then gets of the records of the roots, of the predecessor
// and of the node's other ranks. A root's record is longer by an id. The measured time begins
// before the init, after it, or before the program is loaded; `look` reports threads and heap
// instead.
#include "bootstrap_gate.hpp"
#include "bootstrap_look.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <vector>

#include <dlfcn.h>
#include <pmix.h>

namespace {

using Id = std::array<char, 128>;
using MakeId = int (*)(Id*);

void check(pmix_status_t status, const char* what) {
  if (status != PMIX_SUCCESS) bootstrap::fail(std::string(what) + ": " + PMIx_Error_string(status));
}

// Opened before the measured time, because a training job has opened it before its bootstrap.
MakeId open_nccl() {
  const auto* const path = std::getenv("MUSTER_NCCL_LIBRARY");
  void* const library = dlopen(path ? path : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) bootstrap::fail(dlerror());
  return reinterpret_cast<MakeId>(dlsym(library, "ncclGetUniqueId"));
}

class Process {
 public:
  explicit Process(int ranks_per_root) {
    check(PMIx_Init(&self_, nullptr, 0), "PMIx_Init");
    size_ = static_cast<int>(get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE)->data.uint32);
    roots_ = (size_ + ranks_per_root - 1) / ranks_per_root;
  }

  void give(std::size_t record_bytes, MakeId make_id) {
    std::vector<char> record(record_bytes, 'r');
    if (is_root()) {
      Id id{};
      if (!make_id || make_id(&id) != 0) bootstrap::fail("ncclGetUniqueId");
      record.insert(record.end(), id.begin(), id.end());
    }
    pmix_value_t value;
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo = {record.data(), record.size()};
    check(PMIx_Put(PMIX_GLOBAL, key, &value), "PMIx_Put");
    check(PMIx_Commit(), "PMIx_Commit");
  }

  void meet() {
    pmix_info_t collect;
    bool yes = true;
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    check(PMIx_Fence(nullptr, 0, &collect, 1), "PMIx_Fence");
    PMIX_INFO_DESTRUCT(&collect);
  }

  std::vector<Id> take() {
    std::vector<Id> ids;
    for (int root = 0; root < roots_; ++root) ids.push_back(id_of(first_rank(root)));
    for (const int rank : neighbours()) {
      if (get(rank, key)->data.bo.size == 0) bootstrap::fail("an empty record");
    }
    return ids;
  }

  void leave() { check(PMIx_Finalize(nullptr, 0), "PMIx_Finalize"); }

 private:
  static constexpr auto key = "bootstrap";

  struct Free {
    void operator()(pmix_value_t* value) const { PMIX_VALUE_RELEASE(value); }
  };

  std::unique_ptr<pmix_value_t, Free> get(pmix_rank_t rank, const char* name) {
    pmix_proc_t process = self_;
    process.rank = rank;
    pmix_value_t* value = nullptr;
    check(PMIx_Get(&process, name, nullptr, 0, &value), name);
    return std::unique_ptr<pmix_value_t, Free>(value);
  }

  // As ncclCommInitRankScalable() distributes ranks among roots.
  int first_rank(int root) const {
    return root * (size_ / roots_) + std::min(root, size_ % roots_);
  }

  bool is_root() const {
    for (int root = 0; root < roots_; ++root) {
      if (first_rank(root) == static_cast<int>(self_.rank)) return true;
    }
    return false;
  }

  Id id_of(int rank) {
    const auto value = get(rank, key);
    const auto& bytes = value->data.bo;
    Id id{};
    if (bytes.size < id.size()) bootstrap::fail("a root without an id");
    std::copy_n(bytes.bytes + bytes.size - id.size(), id.size(), id.begin());
    return id;
  }

  // This rank's predecessor, and the other ranks of this node.
  std::set<int> neighbours() {
    const int rank = static_cast<int>(self_.rank);
    std::set<int> ranks{(rank + size_ - 1) % size_};
    const auto peers = get(PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS);
    const char* text = peers->data.string;
    while (*text != '\0') {
      char* end = nullptr;
      ranks.insert(static_cast<int>(std::strtol(text, &end, 10)));
      text = *end == ',' ? end + 1 : end;
    }
    ranks.erase(rank);
    return ranks;
  }

  pmix_proc_t self_{};
  int size_ = 1;
  int roots_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    bootstrap::fail("usage: bootstrap_bare GATE RECORD_BYTES RANKS_PER_ROOT init|exec|ids|look");
  }
  const auto make_id = open_nccl();
  const std::string what = argv[4];
  bootstrap::Gate gate(argv[1]);
  bootstrap::Look look(what == "look");
  auto begin = what != "ids" ? gate.enter(what, argv) : 0;
  Process process(std::stoi(argv[3]));
  look.note("after init");
  if (what == "ids") begin = gate.enter();
  process.give(std::stoul(argv[2]), make_id);
  process.meet();
  const auto ids = process.take();
  const auto end = bootstrap::nanoseconds();
  look.note("after ids");
  if (what == "look") {
    process.leave();
    look.note("after finalize");
  }
  gate.leave(begin, end, look.text());
  if (what != "look") process.leave();
  return 0;
}
