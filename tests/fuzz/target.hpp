// A fuzz target: a program that passes hostile bytes to one parser of untrusted input. It is libFuzzer's
// entry point if the compiler has libFuzzer (the preset `fuzz`); otherwise driver.cpp calls it with seeds
// that it mutates. A target ends the program if a property does not hold; sanitizers find the rest.
// docs/project/fuzzing.md describes the targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Every target defines these two functions.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace muster::fuzz {

// Valid input to start from.
std::vector<std::string> seeds();

// How much memory a parser may request, in total, for an input of this size.
struct Memory {
  std::size_t base = std::size_t{1} << 20;
  std::size_t per_byte = 1024;
};

// Reads one input and checks its cost. muster::Error is a refusal, and its text must be one printable line;
// any other exception ends the program. The bytes are copied, so that a sanitizer detects a read past their
// end.
int one_input(const std::uint8_t* data, std::size_t size, const Memory& memory,
              const std::function<void(std::string_view)>& read);

// Ends the program if the property does not hold.
void expect(bool holds, const char* property);

// Ends the program if the text does not fit in one line of a message.
void expect_one_line(std::string_view text);

// The text up to the first `end`; removes both from `text`.
std::string_view take_until(std::string_view& text, char end);

}  // namespace muster::fuzz
