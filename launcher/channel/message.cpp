#include "launcher/channel/message.hpp"

#include <algorithm>

#include <asio/buffer.hpp>
#include <asio/read.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <sodium.h>

namespace muster::channel {
namespace {

constexpr std::size_t length_bytes = 4;
using Mac = std::array<unsigned char, crypto_auth_hmacsha512256_BYTES>;

std::string with_length(std::string_view text) {
  std::string framed;
  for (int shift = 24; shift >= 0; shift -= 8) {
    framed += static_cast<char>((text.size() >> shift) & 0xff);
  }
  return framed.append(text);
}

std::size_t length(const std::array<unsigned char, length_bytes>& raw) {
  std::size_t size = 0;
  for (const auto byte : raw) size = size << 8 | byte;
  return size;
}

// Its length precedes every part: no two different messages produce the same text to sign.
std::string signed_text(std::string_view name, std::string_view nonce, std::string_view text) {
  return with_length(name) + with_length(nonce) + with_length(text);
}

Mac sign(const StepKey& key, const std::string& text) {
  static_assert(step_key_bytes == crypto_auth_hmacsha512256_KEYBYTES);
  Mac mac;
  crypto_auth_hmacsha512256(mac.data(), reinterpret_cast<const unsigned char*>(text.data()),
                            text.size(), key.data());
  return mac;
}

}  // namespace

std::string make_nonce() {
  std::string nonce(nonce_bytes, '\0');
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

asio::awaitable<void> send_message(asio::ip::tcp::socket& socket, const Proof& proof,
                                   std::string_view name, std::string text, std::size_t max_bytes) {
  if (text.size() > max_bytes) text.resize(max_bytes);
  const auto mac = sign(proof.key, signed_text(name, proof.theirs, text));
  auto bytes = with_length(text);
  bytes.append(mac.begin(), mac.end());
  co_await asio::async_write(socket, asio::buffer(bytes), asio::use_awaitable);
}

asio::awaitable<std::string> receive_message(asio::ip::tcp::socket& socket, const Proof& proof,
                                             std::string_view name, std::size_t max_bytes) {
  std::array<unsigned char, length_bytes> raw_length{};
  co_await asio::async_read(socket, asio::buffer(raw_length), asio::use_awaitable);
  const auto size = length(raw_length);
  if (size > max_bytes) throw Unauthenticated("message too long");

  std::string text(size, '\0');
  Mac mac{};
  const std::array<asio::mutable_buffer, 2> parts{asio::buffer(text), asio::buffer(mac)};
  co_await asio::async_read(socket, parts, asio::use_awaitable);
  const auto expected = sign(proof.key, signed_text(name, proof.mine, text));
  if (sodium_memcmp(mac.data(), expected.data(), mac.size()) != 0) {
    throw Unauthenticated("message without proof");
  }
  co_return text;
}

asio::awaitable<void> skip_message(asio::ip::tcp::socket& socket, std::size_t bytes) {
  std::array<char, 65536> chunk;
  for (auto left = length_bytes + bytes + sizeof(Mac); left > 0;) {
    const auto part = asio::buffer(chunk.data(), std::min(left, chunk.size()));
    left -= co_await asio::async_read(socket, part, asio::use_awaitable);
  }
}

}  // namespace muster::channel
