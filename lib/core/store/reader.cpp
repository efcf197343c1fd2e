#include "core/store/reader.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

namespace muster::store {
namespace {

constexpr std::uint32_t magic = 0x3C85F7CE;
constexpr std::size_t kept_bytes = 1024;  // of a buffer that is empty

// Of 2.1. Up to 2.0, watchKey, which only C++ programs can call, stands before delete_key.
constexpr std::array old_operations{Operation::set,
                                    Operation::compare_set,
                                    Operation::get,
                                    Operation::add,
                                    Operation::check,
                                    Operation::wait,
                                    Operation::number_of_keys,
                                    Operation::delete_key,
                                    Operation::append,
                                    Operation::multi_get,
                                    Operation::multi_set,
                                    Operation::cancel_wait};
constexpr std::uint8_t watch_key = 7;

std::optional<Operation> known_operation(Dialect dialect, std::uint8_t code) {
  if (dialect == Dialect::since_2_2) {
    if (code > static_cast<std::uint8_t>(Operation::barrier)) return std::nullopt;
    return static_cast<Operation>(code);
  }
  if (dialect == Dialect::up_to_2_0 && code == watch_key) return std::nullopt;
  const std::size_t index = dialect == Dialect::up_to_2_0 && code > watch_key ? code - 1U : code;
  if (index >= old_operations.size()) return std::nullopt;
  return old_operations.at(index);
}

Operation operation_of(Dialect dialect, std::uint8_t code) {
  const auto found = known_operation(dialect, code);
  if (!found) throw Error(fmt::format("an unknown operation, {}", code));
  return *found;
}

// More bytes are needed than there are.
struct Missing {
  std::size_t needed;
};

class Cursor {
 public:
  Cursor(std::string_view bytes, const Limits& limits) : bytes_(bytes), limits_(limits) {}

  [[nodiscard]] std::size_t taken() const { return taken_; }

  template <class Number>
  Number number() {
    Number found{};
    std::memcpy(&found, take(sizeof found).data(), sizeof found);
    return found;
  }

  std::string key() { return text("a key", limits_.key_bytes); }
  std::string value() { return text("a value", limits_.value_bytes); }

  std::size_t count() {
    const auto count = number<std::uint64_t>();
    if (count > limits_.keys)
      throw Error(fmt::format("{} keys at once; at most {} are allowed", count, limits_.keys));
    return static_cast<std::size_t>(count);
  }

 private:
  std::string_view take(std::size_t size) {
    if (bytes_.size() - taken_ < size) throw Missing{taken_ + size};
    const auto found = bytes_.substr(taken_, size);
    taken_ += size;
    return found;
  }

  std::string text(std::string_view what, std::size_t limit) {
    const auto size = number<std::uint64_t>();
    if (size > limit)
      throw Error(fmt::format("{} of {} bytes; at most {} are allowed", what, size, limit));
    if (taken_ + size > limits_.request_bytes)
      throw Error(fmt::format("a request of more than {} bytes", limits_.request_bytes));
    return std::string(take(static_cast<std::size_t>(size)));
  }

  std::string_view bytes_;
  const Limits& limits_;
  std::size_t taken_ = 0;
};

void read_keys(Cursor& from, bool with_values, Request& request) {
  for (auto left = from.count(); left > 0; --left) {
    request.keys.push_back(from.key());
    if (with_values) request.values.push_back(from.value());
  }
}

void read_arguments(Cursor& from, Request& request) {
  switch (request.operation) {
    case Operation::validate:
      if (from.number<std::uint32_t>() != magic) throw Error("torch's magic number is missing");
      return;
    case Operation::number_of_keys:
    case Operation::cancel_wait:
    case Operation::list_keys:
      return;
    case Operation::ping:
      request.number = from.number<std::uint32_t>();
      return;
    case Operation::check:
    case Operation::wait:
    case Operation::multi_get:
    case Operation::multi_set:
      read_keys(from, request.operation == Operation::multi_set, request);
      return;
    case Operation::get:
    case Operation::delete_key:
    case Operation::queue_pop:
    case Operation::queue_length:
      request.keys.push_back(from.key());
      return;
    case Operation::add:
    case Operation::barrier:
      request.keys.push_back(from.key());
      request.number = from.number<std::int64_t>();
      return;
    case Operation::compare_set:
      request.keys.push_back(from.key());
      request.values.push_back(from.value());
      request.values.push_back(from.value());
      return;
    case Operation::set:
    case Operation::append:
    case Operation::queue_push:
      request.keys.push_back(from.key());
      request.values.push_back(from.value());
      return;
  }
}

}  // namespace

void Reader::add(std::string_view bytes) {
  bytes_ += bytes;
}

// In an older dialect these bytes would be a key that exceeds every limit.
bool Reader::begins_with_magic() const {
  constexpr std::size_t first_bytes = 1 + sizeof magic;
  if (bytes_[begin_] != 0) return false;
  if (size() < first_bytes) throw Missing{first_bytes};
  std::uint32_t number = 0;
  std::memcpy(&number, bytes_.data() + begin_ + 1, sizeof number);
  return number == magic;
}

std::optional<Request> Reader::next(Dialect old) {
  if (size() < needed_) return std::nullopt;
  try {
    if (!is_new_) is_new_ = begins_with_magic();
    Cursor cursor(std::string_view(bytes_).substr(begin_), limits_);
    Request request;
    request.operation =
        operation_of(*is_new_ ? Dialect::since_2_2 : old, cursor.number<std::uint8_t>());
    read_arguments(cursor, request);
    begin_ += cursor.taken();
    needed_ = 1;
    compact();
    return request;
  } catch (const Missing& missing) {
    needed_ = missing.needed;
    compact();
    return std::nullopt;
  }
}

// Thousands of clients are idle most of the time.
void Reader::compact() {
  if (begin_ == 0) return;
  if (begin_ < bytes_.size() && begin_ < bytes_.size() / 2) return;
  bytes_.erase(0, begin_);
  begin_ = 0;
  if (bytes_.empty() && bytes_.capacity() > kept_bytes) bytes_.shrink_to_fit();
}

}  // namespace muster::store
