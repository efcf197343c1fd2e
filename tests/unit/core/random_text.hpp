// Reproducible hostile input: random bytes, and pieces of valid input put together wrongly.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace muster::test {

class RandomText {
 public:
  explicit RandomText(unsigned seed) : engine_(seed) {}

  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(engine_);
  }

  template <class Item>
  const Item& pick(const std::vector<Item>& items) {
    return items[below(items.size())];
  }

  std::string bytes(std::size_t longest) {
    std::string text(below(longest + 1), '\0');
    for (char& letter : text) letter = static_cast<char>(below(256));
    return text;
  }

  std::string pieces(const std::vector<std::string>& from, std::size_t most) {
    std::string text;
    for (std::size_t count = below(most + 1); count > 0; --count) text += pick(from);
    return text;
  }

  // One byte changed, removed or doubled.
  std::string mutate(std::string text) {
    if (text.empty()) return text;
    const std::size_t at = below(text.size());
    switch (below(3)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1);
        break;
      default:
        text.insert(at, 1, text[at]);
        break;
    }
    return text;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace muster::test
