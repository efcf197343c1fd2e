// A file is named after what it depends on. Its first line validates it: it repeats the dependencies and
// contains a checksum of the rest.
#include "launcher/topology/cache/cache.hpp"

#include "core/error.hpp"
#include "core/topology/serialize.hpp"

#include <array>

#include <fmt/format.h>
#include <sodium.h>

namespace muster::topology::cache {
namespace {

constexpr std::size_t sum_bytes = 16;
constexpr std::size_t boot_letters = 8;

std::string sum_of(std::string_view text) {
  std::array<unsigned char, sum_bytes> sum{};
  std::array<char, 2 * sum_bytes + 1> letters{};
  crypto_generichash(sum.data(), sum.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), nullptr, 0);
  return sodium_bin2hex(letters.data(), letters.size(), sum.data(), sum.size());
}

std::string boot_name(const CacheKey& key) {
  return sum_of(key.boot).substr(0, boot_letters);
}

std::string name_of(const CacheKey& key) {
  return fmt::format("{}-{}", boot_name(key), sum_of(key.text));
}

std::string seal(const CacheKey& key, std::string_view content) {
  return fmt::format("muster topology 1 {} {}\n", sum_of(key.text), sum_of(content));
}

std::string_view content_of(const CacheKey& key, std::string_view text) {
  const auto end = text.find('\n');
  if (end == text.npos) throw Error("the stored topology has no first line; remove the file");
  const auto content = text.substr(end + 1);
  if (text.substr(0, end + 1) != seal(key, content))
    throw Error("the stored topology is damaged or belongs to another key; remove the file");
  return content;
}

}  // namespace

std::string to_cache_text(const CacheKey& key, const Topology& topology) {
  const auto content = serialize(topology);
  return seal(key, content) + content;
}

Topology from_cache_text(const CacheKey& key, std::string_view text) {
  return deserialize(content_of(key, text));
}

TopologyCache::TopologyCache(const std::string& choice, const std::vector<std::string>& bases)
    : directory_(CacheDirectory::open(choice, bases, notes_)) {}

template <class Read>
auto TopologyCache::read(const CacheKey& key, const Read& take)
    -> std::optional<decltype(take(std::string_view()))> {
  if (!directory_) return std::nullopt;
  const auto text = directory_->read(name_of(key), notes_);
  if (!text) return std::nullopt;
  try {
    return take(*text);
  } catch (const Error& error) {
    notes_.push_back(fmt::format("{}/{}: {}", directory_->path(), name_of(key), error.what()));
    return std::nullopt;
  }
}

void TopologyCache::write(const CacheKey& key, const std::string& text) {
  if (directory_->write(name_of(key), text, notes_)) directory_->clean_up(boot_name(key));
}

std::optional<Topology> TopologyCache::load(const CacheKey& key) {
  return read(key, [&](std::string_view text) { return from_cache_text(key, text); });
}

void TopologyCache::save(const CacheKey& key, const Topology& topology) {
  if (writable()) write(key, to_cache_text(key, topology));
}

std::optional<std::string> TopologyCache::load_text(const CacheKey& key) {
  return read(key, [&](std::string_view text) { return std::string(content_of(key, text)); });
}

void TopologyCache::save_text(const CacheKey& key, std::string_view content) {
  if (writable()) write(key, seal(key, content) + std::string(content));
}

}  // namespace muster::topology::cache
