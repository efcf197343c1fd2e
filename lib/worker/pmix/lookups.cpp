#include "worker/pmix/lookups.hpp"

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>

namespace muster::worker::pmix {
namespace {

// The most queries in flight at the same time: enough to hide the latency, few enough for a server.
constexpr std::size_t max_open = 256;

struct Batch;

struct Slot {
  Batch* batch = nullptr;
  std::shared_ptr<Batch> alive;  // while libpmix may still call back
  std::string key;
  Found found;
};

// Keeps this alive while libpmix may still call back.
struct Batch {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t open = 0;
  std::size_t wake_at = 0;  // the querying thread continues when this many are still open
  Info immediate = make_flag(key::immediate);
  Info optional = make_flag(key::optional);
  std::vector<Slot> slots;
};

Bytes copy(const char* from, std::size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(from);
  return from == nullptr ? Bytes{} : Bytes{first, first + size};
}

void take(Found& found, const Value& value) {
  switch (value.type) {
    case type::byte_object:
      found.bytes = copy(value.data.bytes.bytes, value.data.bytes.size);
      break;
    case type::string:
      found.bytes = copy(value.data.string,
                         value.data.string == nullptr ? 0 : std::strlen(value.data.string));
      break;
    case type::uint32:
      found.number = value.data.uint32;
      break;
    case type::uint16:
      found.number = value.data.uint16;
      break;
    default:
      found.status = status::not_found;
  }
}

// Runs on libpmix's thread, so no exception may leave it.
void arrived(Status status, Value* value, void* context) {
  auto& slot = *static_cast<Slot*>(context);
  const auto alive = std::move(slot.alive);
  const std::scoped_lock lock{alive->mutex};
  slot.found.answered = true;
  slot.found.status = status == status::operation_succeeded ? status::success : status;
  try {
    if (slot.found.status == status::success) {
      if (value == nullptr)
        slot.found.status = status::not_found;
      else
        take(slot.found, *value);
    }
  } catch (...) {
    slot.found.status = status::out_of_memory;
  }
  --alive->open;
  if (alive->open == alive->wake_at) alive->changed.notify_one();
}

void ask(const PmixApi& api, const std::shared_ptr<Batch>& batch, Slot& slot,
         const Question& question) {
  slot.batch = batch.get();
  slot.alive = batch;
  slot.key = question.key;
  const Info* flag = question.reach == Reach::step      ? nullptr
                     : question.reach == Reach::process ? &batch->optional
                                                        : &batch->immediate;
  const auto status =
      api.get_nb(&question.whose, slot.key.c_str(), flag, flag == nullptr ? 0 : 1, arrived, &slot);
  if (status == status::success) return;
  arrived(status == status::operation_succeeded ? status::not_found : status, nullptr, &slot);
}

}  // namespace

Info make_flag(const char* key) {
  Info info{};
  std::strncpy(info.key, key, max_key);
  info.value.type = type::boolean;
  info.value.data.flag = true;
  return info;
}

std::vector<Found> look_up(const PmixApi& api, std::span<const Question> questions,
                           const Deadline& deadline) {
  const auto batch = std::make_shared<Batch>();
  batch->slots.resize(questions.size());
  std::unique_lock lock{batch->mutex};
  batch->wake_at = max_open - 1;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!batch->changed.wait_until(lock, deadline.end(), [&] { return batch->open < max_open; })) {
      break;
    }
    ++batch->open;
    lock.unlock();
    ask(api, batch, batch->slots[i], questions[i]);
    lock.lock();
  }
  batch->wake_at = 0;
  batch->changed.wait_until(lock, deadline.end(), [&] { return batch->open == 0; });

  std::vector<Found> found;
  found.reserve(batch->slots.size());
  for (auto& slot : batch->slots) found.push_back(std::move(slot.found));
  return found;
}

Found look_up(const PmixApi& api, const Question& question, const Deadline& deadline) {
  return std::move(look_up(api, std::span{&question, 1}, deadline).front());
}

}  // namespace muster::worker::pmix
