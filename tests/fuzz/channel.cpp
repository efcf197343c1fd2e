// What a node of the step, or a stranger, sends to the supervisor's channel. An input is a letter (s: a
// stranger's bytes), or texts that end with a zero byte: a question and its text, a question and its text.
// Whatever arrives, the server must answer the next node's question.
#include "core/error.hpp"
#include "core/record/record.hpp"
#include "launcher/channel/questions.hpp"
#include "launcher/channel/server.hpp"
#include "peer.hpp"
#include "target.hpp"

#include <atomic>
#include <chrono>
#include <system_error>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>

namespace {

using namespace muster;
using asio::ip::tcp;
using std::chrono::milliseconds;

asio::awaitable<void> ask(tcp::endpoint server, std::string_view head, std::string_view text) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, asio::use_awaitable);
  try {
    const auto proof = co_await fuzz::ask_supervisor(socket, head);
    if (!text.empty()) {
      co_await channel::send_message(socket, proof, "text", std::string(text), text.size());
    }
  } catch (const std::exception&) {
    // The server has hung up.
  }
  fuzz::hang_up(socket);
}

asio::awaitable<void> send_garbage(tcp::endpoint server, std::string_view bytes) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, asio::use_awaitable);
  try {
    co_await fuzz::send_bytes(socket, bytes);
  } catch (const std::exception&) {
    // The server has hung up.
  }
  fuzz::hang_up(socket);
}

std::string head(layout::NodeIndex node, int timeout, std::size_t bytes,
                 const std::string& question) {
  return record::write(channel::Ask{.node = node,
                                    .nodes = 2,
                                    .timeout = milliseconds(timeout),
                                    .bytes = bytes,
                                    .question = question});
}

asio::awaitable<std::string> notice(tcp::endpoint server) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, asio::use_awaitable);
  const auto proof = co_await fuzz::ask_supervisor(socket, head(0, 20000, 4, "notice"));
  co_await channel::send_message(socket, proof, "text", "well");
  auto answer = co_await channel::receive_message(socket, proof, "answer");
  fuzz::hang_up(socket);
  co_return answer;
}

template <class T>
T run(asio::awaitable<T> work) {
  asio::io_context io{1};
  auto result = asio::co_spawn(io, std::move(work), asio::use_future);
  io.run();
  return result.get();
}

// If the machine stalls for the server's short deadline, it also hangs up on a good question: then the next
// one counts.
bool is_answered(const tcp::endpoint& server, const std::atomic<bool>& heard) {
  constexpr std::chrono::seconds patience{20};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < deadline) {
    try {
      if (run(notice(server)).empty() && heard) return true;
    } catch (const std::system_error&) {
      // The server has hung up.
    }
  }
  return false;
}

void read_input(std::string_view input) {
  std::atomic<bool> heard = false;
  channel::Server server(
      fuzz::step_key, std::nullopt, [](const std::vector<std::string>&) {},
      [&](const std::string& text) {
        fuzz::expect(text.size() <= channel::max_notice_bytes, "a notice is too long");
        if (text == "well") heard = true;
      },
      {.question_timeout = milliseconds{20}});
  const tcp::endpoint address(asio::ip::address_v4::loopback(), server.address().port);
  server.start();
  if (input.starts_with('s')) {
    run(send_garbage(address, input.substr(1)));
  } else {
    for (int questions = 0; questions < 4 && !input.empty(); ++questions) {
      const auto head = fuzz::take_until(input, '\0');
      run(ask(address, head, fuzz::take_until(input, '\0')));
    }
  }
  fuzz::expect(is_answered(address, heard), "a node's question is not answered");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const auto zero = std::string(1, '\0');
  const auto asks = [&](layout::NodeIndex node, const std::string& question,
                        const std::string& text) {
    return head(node, 1000, text.size(), question) + zero + text + zero;
  };
  return {asks(0, "host", "29500 - ::1") + asks(1, "where", ""),
          asks(1, "trouble", "why") + asks(0, "host", "a"),
          asks(0, "plan", "plan") + asks(1, "plan", "plan"),
          asks(0, "share", "hi") + asks(1, "share", "ho"),
          asks(0, "notice", "line"),
          std::string("s\0\0\0\x10", 5) + std::string(48, 'x')};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 2U << 20, .per_byte = 1024}, read_input);
}
