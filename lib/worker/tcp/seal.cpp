#include "worker/tcp/seal.hpp"

#include <sodium.h>

namespace muster::worker::tcp {
namespace {

const unsigned char* data(View bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

class Hash {
 public:
  Hash() { crypto_generichash_init(&state_, nullptr, 0, std::tuple_size_v<Digest>); }
  explicit Hash(const Key& key) {
    static_assert(key_bytes == crypto_generichash_KEYBYTES &&
                  tag_bytes == crypto_generichash_BYTES);
    crypto_generichash_init(&state_, key.data(), key.size(), tag_bytes);
  }

  Hash& add(View bytes) {
    crypto_generichash_update(&state_, data(bytes), bytes.size());
    return *this;
  }
  Hash& add(std::initializer_list<View> parts) {
    for (const auto& part : parts) add(part);
    return *this;
  }
  template <class Result>
  Result result() {
    Result bytes;
    crypto_generichash_final(&state_, reinterpret_cast<unsigned char*>(bytes.data()), bytes.size());
    return bytes;
  }

 private:
  crypto_generichash_state state_;
};

}  // namespace

Seal::Seal(const Key& key, std::string_view role, const Nonce& client, const Nonce& server)
    : key_(Hash(key)
               .add(Writer().text("frames of ").name(role).raw(client).raw(server).take())
               .result<Key>()) {}

Tag Seal::next(std::initializer_list<View> parts) {
  const auto number = Writer().u64(frames_++).take();
  return Hash(key_).add(number).add(parts).result<Tag>();
}

void Seal::check(View tag, std::initializer_list<View> parts) {
  const auto expected = next(parts);
  if (tag.size() != expected.size() ||
      sodium_memcmp(tag.data(), expected.data(), expected.size()) != 0) {
    throw Garbled("a frame with a wrong MAC, which was changed on its way");
  }
}

Digest digest_of(std::initializer_list<View> parts) {
  return Hash().add(parts).result<Digest>();
}

}  // namespace muster::worker::tcp
