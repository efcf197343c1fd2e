// A key-value store with the operations of torch's TCPStore, as torch's own server has them. Pure; memory
// is bounded.
#pragma once

#include "core/store/request.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace muster::store {

using Client = std::uint64_t;

// What to send to a client.
struct Reply {
  Client client = 0;
  std::string bytes;

  friend bool operator==(const Reply&, const Reply&) = default;
};

struct Outcome {
  std::vector<Reply> replies;  // some may be for other clients: those that wait for one of the keys
  std::string refusal =
      {};  // not empty: why the client is to be disconnected, as torch's server does
};

class Store {
 public:
  explicit Store(const Limits& limits = {}) : limits_(limits) {}

  Outcome carry_out(Client client, const Request& request);

  // The client has gone: it waits for nothing any more.
  void leave(Client client);

  [[nodiscard]] std::size_t keys() const { return values_.size() + queues_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t awaited_bytes() const { return awaited_bytes_; }

 private:
  std::string answer(Client client, const Request& request);
  void set(const std::string& key, const std::string& value);
  std::string compare_set(const Request& request);
  std::int64_t add(const std::string& key, std::int64_t number);
  [[nodiscard]] const std::string& get(const std::string& key) const;
  [[nodiscard]] bool has(const std::string& key) const;
  std::string wait(Client client, const std::vector<std::string>& keys);
  std::int64_t erase(const std::string& key);
  void push(const std::string& key, const std::string& value);
  std::string pop(const std::string& key);
  [[nodiscard]] std::int64_t queue_length(const std::string& key) const;
  [[nodiscard]] std::string list_keys() const;
  void add_to_reply(std::string& reply, const std::string& text) const;
  std::string come_to_barrier(Client client, const std::string& key, std::int64_t clients);
  void wake(const std::string& key);
  void hold(std::size_t bytes, bool new_key);
  void await(const std::string& key);
  void no_longer_await(const std::string& key);

  Limits limits_;
  std::unordered_map<std::string, std::string> values_;
  std::unordered_map<std::string, std::deque<std::string>> queues_;  // none is empty
  std::size_t bytes_ = 0;                                            // of all keys and values
  std::size_t awaited_bytes_ = 0;                              // of the keys below, for each client
  std::unordered_map<Client, std::set<std::string>> missing_;  // of each client that waits
  std::unordered_map<std::string, std::set<Client>> waiting_;  // for each of these keys
  std::unordered_map<std::string, std::set<Client>> barriers_;
  std::unordered_map<Client, std::string> at_barrier_;
  std::vector<Reply> replies_;
};

}  // namespace muster::store
