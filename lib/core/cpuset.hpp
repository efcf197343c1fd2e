// A set of CPUs (or NUMA nodes) by the operating system's indexes. Its text is the list format of
// Linux and hwloc: "0-7,64-71". A plain value: it can be copied, compared and printed.
#pragma once

#include "core/record/limits.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

class CpuSet {
 public:
  static constexpr unsigned index_limit = 65536;  // every index is below this
  class const_iterator;

  CpuSet() = default;
  CpuSet(std::initializer_list<unsigned> indexes);

  // Reads "0-7,64-71". Spaces around the whole text are allowed; "" is the empty set. Throws Error
  // on anything else, including backward ranges and indexes >= index_limit.
  static CpuSet parse(std::string_view list);
  static CpuSet range(unsigned first, unsigned last);  // both ends included
  static CpuSet from_words(std::span<const std::uint64_t> words);

  std::string to_string() const;

  // The mask in the form that sched_setaffinity takes: bit b of word w is index 64 * w + b. There are no
  // trailing zero words, so equal sets have equal words.
  const std::vector<std::uint64_t>& words() const { return words_; }

  bool empty() const { return words_.empty(); }
  std::size_t count() const;
  bool contains(unsigned index) const;
  bool includes(const CpuSet& other) const;
  bool intersects(const CpuSet& other) const;
  std::optional<unsigned> first() const;
  std::optional<unsigned> next(unsigned after) const;  // the smallest index > after

  void add(unsigned index);
  void remove(unsigned index);
  CpuSet& operator|=(const CpuSet& other);
  CpuSet& operator&=(const CpuSet& other);
  CpuSet& operator-=(const CpuSet& other);

  friend CpuSet operator|(CpuSet a, const CpuSet& b) { return a |= b; }
  friend CpuSet operator&(CpuSet a, const CpuSet& b) { return a &= b; }
  friend CpuSet operator-(CpuSet a, const CpuSet& b) { return a -= b; }
  friend bool operator==(const CpuSet&, const CpuSet&) = default;
  // An arbitrary total order, for maps.
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads a defaulted <=>
  friend auto operator<=>(const CpuSet&, const CpuSet&) = default;

  const_iterator begin() const;  // in ascending order
  const_iterator end() const;

 private:
  void trim();

  std::vector<std::uint64_t> words_;
};

template <class Io>
void fields(Io& io, CpuSet& set) {
  constexpr unsigned word_bits = 64;
  auto words = set.words();
  io(words, record::Max{CpuSet::index_limit / word_bits});
  if constexpr (Io::reads) set = CpuSet::from_words(words);
}

class CpuSet::const_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = unsigned;
  using difference_type = std::ptrdiff_t;
  using pointer = const unsigned*;
  using reference = unsigned;

  const_iterator() = default;
  const_iterator(const CpuSet* set, std::optional<unsigned> at) : set_(set), at_(at) {}

  unsigned operator*() const { return *at_; }
  const_iterator& operator++() {
    at_ = set_->next(*at_);
    return *this;
  }
  const_iterator operator++(int) {  // NOLINT(cert-dcl21-cpp): as every iterator does
    const_iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const const_iterator&, const const_iterator&) = default;

 private:
  const CpuSet* set_ = nullptr;
  std::optional<unsigned> at_;
};

inline CpuSet::const_iterator CpuSet::begin() const {
  return {this, first()};
}
inline CpuSet::const_iterator CpuSet::end() const {
  return {this, std::nullopt};
}

}  // namespace muster
