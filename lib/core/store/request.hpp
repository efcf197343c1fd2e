// What a client of torch's TCPStore asks its server. Bytes are as on the wire: torch sends the host's own
// byte order, which is little-endian on every machine that muster supports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::store {

enum class Operation : std::uint8_t {
  validate,  // the first request of torch 2.2 and newer
  set,
  compare_set,
  get,
  add,
  check,
  wait,
  number_of_keys,
  delete_key,
  append,
  multi_get,
  multi_set,
  cancel_wait,
  ping,
  queue_push,
  queue_pop,
  queue_length,
  list_keys,
  barrier,
};

struct Request {
  Operation operation = Operation::ping;
  std::vector<std::string> keys = {};  // one, or several for check, wait, multi_get and multi_set
  std::vector<std::string> values =
      {};                   // likewise; for compare_set, the expected one and the new one
  std::int64_t number = 0;  // of add; a ping's nonce; how many clients a barrier has

  friend bool operator==(const Request&, const Request&) = default;
};

// Torch's own server has the first three since 2.1.
struct Limits {
  std::size_t key_bytes = std::size_t{8} << 10;
  std::size_t value_bytes = std::size_t{8} << 20;
  std::size_t keys = std::size_t{128} << 10;  // in one request, and in the store
  std::size_t request_bytes = std::size_t{32} << 20;
  std::size_t reply_bytes = std::size_t{64}
                            << 20;  // a request may name the same key again and again
  std::size_t store_bytes = std::size_t{256} << 20;  // of all keys and values
};

}  // namespace muster::store
