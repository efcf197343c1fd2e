// The text of the Error that a call throws; a failure where it throws none.
#pragma once

#include "core/error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::test {

template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

template <class Call>
void expect_error(Call&& call, const std::string& part) {
  const auto text = error_of(call);
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

// Every message of muster is one line without control characters.
inline bool is_one_line(const std::string& text) {
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F) return false;
  }
  return !text.empty();
}

}  // namespace muster::test
