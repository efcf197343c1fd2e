// What arrives over the socket between the shim and its agent: frames, and the messages in them. The shim
// parses them inside root's slurmstepd.
#include "target.hpp"
#include "unit/wire/generate.hpp"
#include "wire/frames.hpp"
#include "wire/messages.hpp"

#include <array>

#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace muster;
using wire::Kind;

constexpr std::size_t max_stream = 65536;  // the socket's buffer accepts it at once

template <class Message>
void same(const std::optional<Message>& message, std::string_view payload) {
  if (message) fuzz::expect(wire::encode(*message) == payload, "a message has two forms");
}

void decode(Kind kind, const std::string& payload) {
  switch (kind) {
    case Kind::facts:
      return same(wire::decode_facts(payload), payload);
    case Kind::plan:
      return same(wire::decode_plan(payload), payload);
    case Kind::refusal:
      return same(wire::decode_refusal(payload), payload);
    case Kind::task_exit:
      return same(wire::decode_task_exit(payload), payload);
    case Kind::task_unbound:
      return same(wire::decode_task_unbound(payload), payload);
    case Kind::tasks_started:
      return same(wire::decode_tasks_started(payload), payload);
    case Kind::done:
    case Kind::busy:
      return;
  }
}

void read_all(int socket, std::string_view stream) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (true) {
    const auto received = wire::receive_frame(socket, deadline);
    if (received.status != wire::PipeStatus::ok) {
      fuzz::expect(received.status == wire::PipeStatus::closed ||
                       received.status == wire::PipeStatus::malformed,
                   "a stream that ends is neither closed nor malformed");
      return;
    }
    const auto again = wire::frame(received.kind, received.payload);
    fuzz::expect(stream.starts_with(again), "a frame has two forms");
    stream.remove_prefix(again.size());
    decode(received.kind, received.payload);
  }
}

void read_input(std::string_view stream) {
  stream = stream.substr(0, max_stream);
  std::array<int, 2> ends{};
  fuzz::expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, "no socket");
  const auto sent = send(ends[1], stream.data(), stream.size(), MSG_NOSIGNAL);
  fuzz::expect(sent == static_cast<ssize_t>(stream.size()), "the socket does not take all");
  close(ends[1]);
  read_all(ends[0], stream);
  close(ends[0]);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  wire::Generate generate(1);
  std::vector<std::string> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(wire::frame(Kind::facts, wire::encode(generate.facts())) +
                  wire::frame(Kind::task_unbound, wire::encode(wire::TaskUnbound{1})) +
                  wire::frame(Kind::task_exit, wire::encode(wire::TaskExit{1, 9})));
    all.push_back(wire::frame(Kind::plan, wire::encode(generate.plan())) +
                  wire::frame(Kind::done, {}));
  }
  all.push_back(wire::frame(Kind::refusal, wire::encode(wire::Refusal{"why"})));
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 1U << 16, .per_byte = 256}, read_input);
}
