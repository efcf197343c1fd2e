// Checks that static_fmt.cpp has everything our files need, with the installed version of fmt.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

int main(int count, char** words) {
  const std::vector<std::string> all(words, words + count);
  const auto text =
      fmt::format("{:>{}} {:L} {:.1f} {:x} {} {}", all.front(), count, count, 0.5 * count, count,
                  fmt::join(all, ", "), std::string_view(words[0]));
  fmt::print("{} {}\n", text, fmt::to_string(count));
}
