#include "worker/pmix/fence.hpp"

#include "worker/pmix/lookups.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace muster::worker::pmix {
namespace {

// Where the callback writes its result. It outlives a fence that is abandoned.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Status> status;
  // Always collects data, even if there is none: otherwise Slurm's servers do not wait for each other in a
  // step of fewer nodes than TreeWidth (reverse_tree_info() returns no tree there). Never uses
  // PMIX_TIMEOUT: when it expires in libpmix 5, one rank of a node gets TIMEOUT and the others SUCCESS.
  Info collect = make_flag(key::collect_data);
  std::shared_ptr<Meeting> alive;  // keeps this alive while libpmix may still call back
};

// Runs on libpmix's thread.
void over(Status status, void* context) {
  auto& meeting = *static_cast<Meeting*>(context);
  const auto alive = std::move(meeting.alive);
  const std::scoped_lock lock{alive->mutex};
  alive->status = status;
  alive->changed.notify_all();
}

}  // namespace

std::optional<Status> fence(const PmixApi& api, const Deadline& deadline) {
  const auto meeting = std::make_shared<Meeting>();
  meeting->alive = meeting;
  const auto status = api.fence_nb(nullptr, 0, &meeting->collect, 1, over, meeting.get());
  if (status != status::success) {
    meeting->alive.reset();
    return status == status::operation_succeeded ? status::success : status;
  }
  std::unique_lock lock{meeting->mutex};
  meeting->changed.wait_until(lock, deadline.end(), [&] { return meeting->status.has_value(); });
  return meeting->status;
}

}  // namespace muster::worker::pmix
