// What clients of torch's store send to the agent that serves it: any process that reaches the port may
// send anything. An input is a list of pieces; the first byte of a piece says which client sends it, and
// the second how long it is.
#include "core/store/store.hpp"

#include "core/error.hpp"
#include "core/store/reader.hpp"
#include "target.hpp"
#include "unit/core/store/requests.hpp"

#include <array>
#include <map>

namespace {

using namespace muster;
using namespace muster::store;

constexpr std::size_t clients = 3;
constexpr Limits limits{
    .key_bytes = 64, .value_bytes = 256, .keys = 16, .request_bytes = 1024, .store_bytes = 2048};

struct Server {
  Store store{limits};
  std::map<Client, Reader> readers = {};

  void receive(Client client, std::string_view bytes) {
    auto& reader = readers.try_emplace(client, limits).first->second;
    reader.add(bytes);
    try {
      while (const auto request = reader.next(client == 0 ? Dialect::of_2_1 : Dialect::up_to_2_0))
        carry_out(client, *request);
      fuzz::expect(reader.size() <= limits.request_bytes + 512, "a request grows without a bound");
    } catch (const Error& error) {
      fuzz::expect_one_line(error.what());
      store.leave(client);
      readers.erase(client);
    }
  }

  void carry_out(Client client, const Request& request) {
    const auto outcome = store.carry_out(client, request);
    for (const auto& reply : outcome.replies) {
      fuzz::expect(readers.contains(reply.client), "a reply to a client that has gone");
      fuzz::expect(!reply.bytes.empty(), "an empty reply");
    }
    fuzz::expect(store.keys() <= limits.keys, "too many keys");
    fuzz::expect(store.bytes() <= limits.store_bytes, "too many bytes");
    fuzz::expect(store.awaited_bytes() <= limits.store_bytes, "too many awaited keys");
    if (!outcome.refusal.empty()) throw Error(outcome.refusal);
  }
};

void read(std::string_view input) {
  Server server;
  while (input.size() >= 2) {
    const auto client = static_cast<unsigned char>(input[0]) % clients;
    const auto size = static_cast<unsigned char>(input[1]);
    input.remove_prefix(2);
    server.receive(client, input.substr(0, size));
    input.remove_prefix(std::min<std::size_t>(size, input.size()));
  }
}

std::string piece(Client client, const std::string& bytes) {
  return std::string{static_cast<char>(client), static_cast<char>(bytes.size())} + bytes;
}

}  // namespace

std::vector<std::string> muster::fuzz::seeds() {
  using enum Operation;
  const auto number = bytes_of(std::int64_t{2});
  return {
      piece(1, magic() + code(ping) + bytes_of(std::uint32_t{7})) +
          piece(1, code(wait) + texts({"a", "b"})) +
          piece(2, magic() + code(set) + text("a") + text("1") + code(append) + text("b") +
                       text("2")) +
          piece(1, code(multi_get) + texts({"a", "b"}) + code(delete_key) + text("a")),
      piece(1, magic() + code(barrier) + text("c") + number) +
          piece(2, magic() + code(barrier) + text("c") + number) +
          piece(2, code(add) + text("n") + number + code(add) + text("n") + number),
      piece(1, magic() + code(queue_push) + text("q") + text("1") + code(queue_pop) + text("q")) +
          piece(1, code(queue_length) + text("q") + code(list_keys) + code(number_of_keys)) +
          piece(1, code(wait) + texts({"z"}) + code(cancel_wait)),
      piece(1, magic() + code(compare_set) + text("a") + text("") + text("x") + code(check) +
                   texts({"a"})) +
          piece(1, code(multi_set) + number + text("a") + text("1") + text("b") + text("")),
      piece(0, code(0) + text("a") + text("1") + code(7) + text("a") + code(8) + text("a") +
                   text("2")),
      piece(2, code(0) + text("a") + text("1") + code(8) + text("a") + code(12)),
  };
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return muster::fuzz::one_input(data, size, {}, read);
}
