#include "core/store/store.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster::store {
namespace {

using namespace std::string_literals;

constexpr std::size_t bytes_of_wait = 64;  // for a client and a key, beside the key itself
const auto go_on = "\0"s;                  // the answer to wait and to barrier
const auto wait_cancelled = "\1"s;
const auto ready = "\0"s;  // the answers to check
const auto not_ready = "\1"s;

template <class Number>
std::string bytes_of(Number number) {
  std::string bytes(sizeof number, '\0');
  std::copy_n(reinterpret_cast<const char*>(&number), sizeof number, bytes.begin());
  return bytes;
}

void append_text(std::string& to, std::string_view text) {
  to += bytes_of(std::uint64_t{text.size()});
  to += text;
}

std::string text(std::string_view bytes) {
  std::string found;
  append_text(found, bytes);
  return found;
}

// Like std::stoll, which torch uses: white space may come before the number, and anything after it.
std::int64_t number_in(std::string_view value) {
  const auto begin = value.find_first_not_of(" \t\n\v\f\r");
  if (begin != std::string_view::npos) value.remove_prefix(begin);
  if (value.starts_with('+')) value.remove_prefix(1);
  std::int64_t number = 0;
  if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc())
    throw Error("add to a value that is not a number");
  return number;
}

}  // namespace

// A request that fails half-way may already have set what others wait for.
Outcome Store::carry_out(Client client, const Request& request) {
  std::string refusal;
  try {
    auto bytes = answer(client, request);
    if (!bytes.empty()) replies_.insert(replies_.begin(), {client, std::move(bytes)});
  } catch (const Error& error) {
    refusal = error.what();
  }
  return {std::exchange(replies_, {}), std::move(refusal)};
}

std::string Store::answer(Client client, const Request& request) {
  const auto& keys = request.keys;
  std::string bytes;
  switch (request.operation) {
    case Operation::validate:
      return {};
    case Operation::ping:
      return bytes_of(static_cast<std::uint32_t>(request.number));
    case Operation::set:
    case Operation::multi_set:
      for (std::size_t i = 0; i < keys.size(); ++i) set(keys[i], request.values[i]);
      return {};
    case Operation::append:
      set(keys[0], get(keys[0]) + request.values[0]);
      return {};
    case Operation::compare_set:
      return text(compare_set(request));
    case Operation::get:
    case Operation::multi_get:
      for (const auto& key : keys) add_to_reply(bytes, get(key));
      return bytes;
    case Operation::add:
      return bytes_of(add(keys[0], request.number));
    case Operation::check:
      return std::ranges::all_of(keys, [this](const auto& key) { return has(key); }) ? ready
                                                                                     : not_ready;
    case Operation::wait:
      return wait(client, keys);
    case Operation::cancel_wait:
      leave(client);
      return wait_cancelled;
    case Operation::number_of_keys:
      return bytes_of(static_cast<std::int64_t>(values_.size()));
    case Operation::delete_key:
      return bytes_of(erase(keys[0]));
    case Operation::queue_push:
      push(keys[0], request.values[0]);
      return {};
    case Operation::queue_pop:
      return pop(keys[0]);
    case Operation::queue_length:
      return bytes_of(queue_length(keys[0]));
    case Operation::list_keys:
      return list_keys();
    case Operation::barrier:
      return come_to_barrier(client, keys[0], request.number);
  }
  throw Error("an unknown operation");
}

void Store::set(const std::string& key, const std::string& value) {
  const auto found = values_.find(key);
  if (found == values_.end()) {
    hold(key.size() + value.size(), true);
    values_.emplace(key, value);
  } else {
    if (value.size() > found->second.size())
      hold(value.size() - found->second.size(), false);
    else
      bytes_ -= found->second.size() - value.size();
    found->second = value;
  }
  wake(key);
}

// If the key is missing, the answer is what was expected to be there.
std::string Store::compare_set(const Request& request) {
  const auto& key = request.keys[0];
  const auto& expected = request.values[0];
  const bool missing = !values_.contains(key);
  if (missing && !expected.empty()) return expected;
  if (missing || get(key) == expected) set(key, request.values[1]);
  return get(key);
}

// A sum that is too large wraps around, as in torch.
std::int64_t Store::add(const std::string& key, std::int64_t number) {
  const auto found = values_.find(key);
  auto sum = static_cast<std::uint64_t>(number);
  if (found != values_.end()) sum += static_cast<std::uint64_t>(number_in(found->second));
  const auto result = static_cast<std::int64_t>(sum);
  set(key, std::to_string(result));
  return result;
}

const std::string& Store::get(const std::string& key) const {
  static const std::string none;
  const auto found = values_.find(key);
  return found == values_.end() ? none : found->second;
}

bool Store::has(const std::string& key) const {
  return values_.contains(key) || queues_.contains(key);
}

std::string Store::wait(Client client, const std::vector<std::string>& keys) {
  leave(client);  // a client waits for one thing at a time
  std::set<std::string> missing;
  for (const auto& key : keys)
    if (!has(key)) missing.insert(key);
  if (missing.empty()) return go_on;
  for (const auto& key : missing) {
    await(key);
    waiting_[key].insert(client);
    missing_[client].insert(key);
  }
  return {};
}

std::int64_t Store::erase(const std::string& key) {
  const auto found = values_.find(key);
  if (found == values_.end()) return 0;
  bytes_ -= key.size() + found->second.size();
  values_.erase(found);
  return 1;
}

void Store::push(const std::string& key, const std::string& value) {
  hold(key.size() + value.size(), !queues_.contains(key));
  queues_[key].push_back(value);
  wake(key);
}

// How many values there were, and the oldest.
std::string Store::pop(const std::string& key) {
  auto bytes = bytes_of(queue_length(key));
  const auto found = queues_.find(key);
  if (found == queues_.end()) return bytes;
  auto& queue = found->second;
  append_text(bytes, queue.front());
  bytes_ -= key.size() + queue.front().size();
  queue.pop_front();
  if (queue.empty()) queues_.erase(found);
  return bytes;
}

std::int64_t Store::queue_length(const std::string& key) const {
  const auto found = queues_.find(key);
  return found == queues_.end() ? 0 : static_cast<std::int64_t>(found->second.size());
}

void Store::add_to_reply(std::string& reply, const std::string& text) const {
  if (text.size() > limits_.reply_bytes - std::min(reply.size(), limits_.reply_bytes))
    throw Error(fmt::format("an answer of more than {} bytes", limits_.reply_bytes));
  append_text(reply, text);
}

std::string Store::list_keys() const {
  auto bytes = bytes_of(std::uint64_t{values_.size()});
  for (const auto& [key, value] : values_) add_to_reply(bytes, key);
  return bytes;
}

// The key counts all who have come, also those that have left since: torch's barriers do not begin anew.
std::string Store::come_to_barrier(Client client, const std::string& key, std::int64_t clients) {
  leave(client);
  if (add(key, 1) < clients) {
    await(key);
    barriers_[key].insert(client);
    at_barrier_[client] = key;
    return {};
  }
  for (const auto each : std::exchange(barriers_[key], {})) {
    at_barrier_.erase(each);
    no_longer_await(key);
    replies_.push_back({each, go_on});
  }
  barriers_.erase(key);
  return go_on;
}

void Store::leave(Client client) {
  if (const auto node = missing_.extract(client)) {
    for (const auto& key : node.mapped()) {
      no_longer_await(key);
      const auto found = waiting_.find(key);
      found->second.erase(client);
      if (found->second.empty()) waiting_.erase(found);
    }
  }
  if (const auto node = at_barrier_.extract(client)) {
    no_longer_await(node.mapped());
    const auto found = barriers_.find(node.mapped());
    found->second.erase(client);
    if (found->second.empty()) barriers_.erase(found);
  }
}

void Store::wake(const std::string& key) {
  const auto node = waiting_.extract(key);
  if (!node) return;
  for (const auto client : node.mapped()) {
    const auto found = missing_.find(client);
    no_longer_await(key);
    found->second.erase(key);
    if (!found->second.empty()) continue;
    missing_.erase(found);
    replies_.push_back({client, go_on});
  }
}

void Store::hold(std::size_t bytes, bool new_key) {
  if (new_key && keys() >= limits_.keys)
    throw Error(fmt::format("the store has {} keys, and no room for more", limits_.keys));
  if (bytes > limits_.store_bytes - bytes_)
    throw Error(fmt::format("the store has {} bytes, and no room for {} more", bytes_, bytes));
  bytes_ += bytes;
}

void Store::await(const std::string& key) {
  if (key.size() + bytes_of_wait > limits_.store_bytes - awaited_bytes_)
    throw Error("clients wait for too many keys");
  awaited_bytes_ += key.size() + bytes_of_wait;
}

void Store::no_longer_await(const std::string& key) {
  awaited_bytes_ -= key.size() + bytes_of_wait;
}

}  // namespace muster::store
