#include "launcher/rendezvous/addresses.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster::agent {
namespace {

bool has(const Addresses& all, const asio::ip::address& address) {
  return std::find(all.begin(), all.end(), address) != all.end();
}

void add(Addresses& all, const asio::ip::address& address) {
  if (all.size() < most_places && !has(all, address)) all.push_back(address);
}

// Loopback only where a node has nothing else: no other node can use it.
Addresses useful(const std::vector<Interface>& interfaces) {
  Addresses found;
  for (const bool loopback : {false, true}) {
    for (const auto& each : interfaces) {
      if (each.address.is_loopback() == loopback) add(found, each.address);
    }
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace

HostAddresses host_addresses(const std::vector<Interface>& interfaces,
                             const std::vector<std::string>& patterns,
                             const std::optional<asio::ip::address>& known) {
  HostAddresses host;
  for (const auto& each : all_matching(interfaces, patterns)) add(host.ranks, each.address);
  host.chosen = !host.ranks.empty();
  if (host.chosen) host.all = host.ranks;
  // Not every NodeAddr is an address of the node's own: its name may lead to 127.0.1.1 here.
  if (known && !known->is_loopback() && !interface_with(interfaces, *known).empty()) {
    add(host.all, *known);
  }
  for (const auto& address : useful(interfaces)) add(host.all, address);
  if (!host.chosen) host.ranks = host.all;
  return host;
}

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
  while (words >> word && places.addresses.size() <= most_places) {
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
  for (std::size_t index = 0; words >> index && indexes.size() <= most_places;) {
    indexes.push_back(index);
  }
  return indexes;
}

}  // namespace muster::agent
