#include "launcher/channel/message.hpp"

#include "launcher/channel/framing.hpp"
#include "secret/mac.hpp"

#include <algorithm>

#include <asio/buffer.hpp>
#include <asio/read.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

namespace muster::channel {

std::string make_nonce() {
  std::string nonce(nonce_bytes, '\0');
  secret::randomize(nonce.data(), nonce.size());
  return nonce;
}

asio::awaitable<void> send_message(asio::ip::tcp::socket& socket, const Proof& proof,
                                   std::string_view name, std::string text, std::size_t max_bytes) {
  if (text.size() > max_bytes) text.resize(max_bytes);
  const auto mac = secret::sign(proof.key, {name, proof.theirs, text});
  const auto size = encode_length(text.size());
  std::string bytes(size.begin(), size.end());
  bytes.append(text).append(reinterpret_cast<const char*>(mac.data()), mac.size());
  co_await asio::async_write(socket, asio::buffer(bytes), asio::use_awaitable);
}

asio::awaitable<std::string> receive_message(asio::ip::tcp::socket& socket, const Proof& proof,
                                             std::string_view name, std::size_t max_bytes) {
  Length raw_length{};
  co_await asio::async_read(socket, asio::buffer(raw_length), asio::use_awaitable);
  const auto size = decode_length(raw_length);
  if (size > max_bytes) throw Unauthenticated("message too long");

  std::string text(size, '\0');
  secret::Mac mac{};
  const std::array<asio::mutable_buffer, 2> parts{asio::buffer(text), asio::buffer(mac)};
  co_await asio::async_read(socket, parts, asio::use_awaitable);
  if (!secret::equals(secret::sign(proof.key, {name, proof.mine, text}), mac)) {
    throw Unauthenticated("message without proof");
  }
  co_return text;
}

asio::awaitable<void> skip_message(asio::ip::tcp::socket& socket, std::size_t bytes) {
  std::array<char, 65536> chunk;
  for (auto left = length_bytes + bytes + secret::mac_bytes; left > 0;) {
    const auto part = asio::buffer(chunk.data(), std::min(left, chunk.size()));
    left -= co_await asio::async_read(socket, part, asio::use_awaitable);
  }
}

}  // namespace muster::channel
