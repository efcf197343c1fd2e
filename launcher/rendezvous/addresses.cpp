#include "launcher/rendezvous/addresses.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster::agent {
std::string to_text(const Places& places) {
  auto text = fmt::format("{} {}", places.port, places.came ? fmt::to_string(*places.came) : "-");
  for (const auto& address : places.addresses) text += ' ' + address.to_string();
  return text;
}

std::optional<Places> places_from_text(std::string_view text) {
  std::istringstream words{std::string(text)};
  Places places;
  std::string came, word;
  if (!(words >> places.port >> came)) return std::nullopt;
  while (words >> word && places.addresses.size() <= max_host_addresses) {
    asio::error_code wrong;
    places.addresses.push_back(asio::ip::make_address(word, wrong));
    if (wrong) return std::nullopt;
  }
  const auto index = came == "-" ? std::vector<std::size_t>() : indexes_from_text(came);
  if (!index.empty()) places.came = index.front();
  if (places.came && *places.came >= places.addresses.size()) return std::nullopt;
  if (places.port == 0 || places.addresses.empty()) return std::nullopt;
  return places;
}

std::optional<std::size_t> common_place(std::size_t places,
                                        const std::vector<std::vector<std::size_t>>& reached) {
  for (std::size_t place = 0; place < places; ++place) {
    const bool by_all = std::all_of(reached.begin(), reached.end(), [&](const auto& list) {
      return std::find(list.begin(), list.end(), place) != list.end();
    });
    if (by_all) return place;
  }
  return std::nullopt;
}

std::string to_text(const std::vector<std::size_t>& indexes) {
  return fmt::format("{}", fmt::join(indexes, " "));
}

std::vector<std::size_t> indexes_from_text(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::vector<std::size_t> indexes;
  for (std::size_t index = 0; words >> index && indexes.size() <= max_host_addresses;) {
    indexes.push_back(index);
  }
  return indexes;
}

}  // namespace muster::agent
