// The algebra of CPU sets; their text form is in cpuset_text.cpp.
#include "core/cpuset.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace muster {
namespace {

constexpr unsigned word_bits = 64;

constexpr std::uint64_t bit(unsigned index) {
  return std::uint64_t{1} << (index % word_bits);
}

void require_in_bounds(unsigned index) {
  if (index >= CpuSet::index_limit)
    throw Error(fmt::format("CPU index {} is out of bounds; the highest index is {}", index,
                            CpuSet::index_limit - 1));
}

}  // namespace

CpuSet::CpuSet(std::initializer_list<unsigned> indexes) {
  for (const unsigned index : indexes) add(index);
}

CpuSet CpuSet::range(unsigned first, unsigned last) {
  require_in_bounds(last);
  CpuSet set;
  for (unsigned index = first; index <= last; ++index) set.add(index);
  return set;
}

CpuSet CpuSet::from_words(std::span<const std::uint64_t> words) {
  if (words.size() > index_limit / word_bits)
    throw Error(fmt::format("a CPU mask of {} words is too long; at most {} CPUs are possible",
                            words.size(), index_limit));
  CpuSet set;
  set.words_.assign(words.begin(), words.end());
  set.trim();
  return set;
}

std::size_t CpuSet::count() const {
  std::size_t sum = 0;
  for (const auto word : words_) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

bool CpuSet::contains(unsigned index) const {
  const std::size_t word = index / word_bits;
  return word < words_.size() && (words_[word] & bit(index)) != 0;
}

bool CpuSet::includes(const CpuSet& other) const {
  if (other.words_.size() > words_.size()) return false;
  for (std::size_t i = 0; i < other.words_.size(); ++i)
    if ((other.words_[i] & ~words_[i]) != 0) return false;
  return true;
}

bool CpuSet::intersects(const CpuSet& other) const {
  const std::size_t shared = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < shared; ++i)
    if ((words_[i] & other.words_[i]) != 0) return true;
  return false;
}

std::optional<unsigned> CpuSet::first() const {
  if (contains(0)) return 0;
  return next(0);
}

std::optional<unsigned> CpuSet::next(unsigned after) const {
  const unsigned from = after + 1;
  std::uint64_t keep = ~std::uint64_t{0} << (from % word_bits);
  for (std::size_t i = from / word_bits; i < words_.size(); ++i) {
    const std::uint64_t word = words_[i] & keep;
    if (word != 0)
      return static_cast<unsigned>(i) * word_bits + static_cast<unsigned>(std::countr_zero(word));
    keep = ~std::uint64_t{0};
  }
  return std::nullopt;
}

void CpuSet::add(unsigned index) {
  require_in_bounds(index);
  const std::size_t word = index / word_bits;
  if (word >= words_.size()) words_.resize(word + 1);
  words_[word] |= bit(index);
}

void CpuSet::remove(unsigned index) {
  if (!contains(index)) return;
  words_[index / word_bits] &= ~bit(index);
  trim();
}

CpuSet& CpuSet::operator|=(const CpuSet& other) {
  if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

CpuSet& CpuSet::operator&=(const CpuSet& other) {
  words_.resize(std::min(words_.size(), other.words_.size()));
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  trim();
  return *this;
}

CpuSet& CpuSet::operator-=(const CpuSet& other) {
  const std::size_t shared = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < shared; ++i) words_[i] &= ~other.words_[i];
  trim();
  return *this;
}

void CpuSet::trim() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

}  // namespace muster
