#include "launcher/agent/port/socket_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace muster::port {
namespace {

// "sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode"
enum Field : std::size_t { local_address = 1, state = 3, user = 7, inode = 9, field_count = 10 };

constexpr std::string_view listening = "0A";

std::array<std::string_view, field_count> split(std::string_view line) {
  std::array<std::string_view, field_count> words;
  for (auto& word : words) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
  }
  return words;
}

template <class Number>
bool parse(std::string_view text, Number& value, int base) {
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  return !text.empty() && error == std::errc{} && stop == end;
}

}  // namespace

std::optional<Socket> parse_socket(std::string_view line) {
  const auto words = split(line);
  const auto colon = words[local_address].rfind(':');
  Socket socket;
  if (colon == std::string_view::npos || words[inode].empty() ||
      !parse(words[local_address].substr(colon + 1), socket.port, 16) ||
      !parse(words[user], socket.user, 10)) {
    return std::nullopt;
  }
  const auto address = words[local_address].substr(0, colon);
  socket.everywhere = address.find_first_not_of('0') == std::string_view::npos;
  socket.listens = words[state] == listening;
  socket.inode = words[inode];
  return socket;
}

}  // namespace muster::port
