// Counts how many connections came from which address, with bounded memory and as one line of text. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace muster::worker::tcp {

class AddressCounts {
 public:
  void add(const std::string& address);

  std::size_t total() const { return total_; }

  // "1 connection was WORDS", "300 connections were WORDS (298 from 10.0.0.7, 2 from 10.0.0.9)".
  std::string text(const std::string& words) const;

 private:
  std::map<std::string, std::size_t> counts_;  // for each of the first few addresses
  std::size_t total_ = 0;
};

}  // namespace muster::worker::tcp
