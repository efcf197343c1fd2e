#include "launcher/tools/preflight/order.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <span>

#include <asio/ip/address.hpp>
#include <fmt/format.h>

namespace muster::preflight {
namespace {

constexpr std::size_t max_text = 4096;
constexpr std::size_t max_node_name = 255;
constexpr std::chrono::milliseconds least_nccl_limit{250};
constexpr std::chrono::milliseconds max_nccl_limit{15000};

using Words = std::span<const std::string_view>;

std::string address_text(const channel::Address& address) {
  auto text = fmt::to_string(address.port);
  for (const auto& each : address.addresses) text += ' ' + each;
  return text;
}

// PORT ADDRESS...
std::optional<channel::Address> address_in(Words words) {
  if (words.size() < 2 || words.size() > channel::max_addresses + 1) return std::nullopt;
  const auto port = text::number<std::uint16_t>(words.front());
  if (!port || *port == 0) return std::nullopt;
  channel::Address address{*port, {}};
  for (const auto word : words.subspan(1)) {
    asio::error_code wrong;
    asio::ip::make_address(std::string(word), wrong);
    if (wrong) return std::nullopt;
    address.addresses.emplace_back(word);
  }
  return address;
}

std::optional<std::chrono::milliseconds> nccl_limit(std::string_view text) {
  const auto value = text::number<long>(text);
  const bool sane = value && *value >= least_nccl_limit.count() && *value <= max_nccl_limit.count();
  return sane ? std::optional(std::chrono::milliseconds(*value)) : std::nullopt;
}

std::string_view size_word(bool small) {
  return small ? "small" : "full";
}

// NAME NUMBER full|small accept, or connect and the other end's address.
template <class Order>
std::string text_of(std::string_view name, const Order& order) {
  const auto begin = fmt::format("{} {} {} {}", name, order.number, size_word(order.small),
                                 order.connects ? "connect" : "accept");
  return order.connects ? begin + ' ' + address_text(order.partner) : begin;
}

template <class Order>
std::optional<Order> order_in(std::string_view name, std::string_view text) {
  if (text.size() > max_text) return std::nullopt;
  const auto words = text::split(text, ' ');
  if (words.size() < 4 || words[0] != name) return std::nullopt;
  const auto number = text::number<std::uint32_t>(words[1]);
  const bool small = words[2] == size_word(true);
  const bool connects = words[3] == "connect";
  if (!number || (!small && words[2] != size_word(false))) return std::nullopt;
  Order order{*number, connects, small, {}};
  if (!connects)
    return words[3] == "accept" && words.size() == 4 ? std::optional(order) : std::nullopt;
  auto partner = address_in(Words(words).subspan(4));
  if (!partner) return std::nullopt;
  order.partner = std::move(*partner);
  return order;
}

}  // namespace

Bounds full_bounds() {
  return {};
}

Bounds small_bounds() {
  using std::chrono::milliseconds;
  constexpr std::size_t small_stream = std::size_t{8} << 20;
  return {.meet = milliseconds{500},
          .messages = milliseconds{300},
          .message_count = 200,
          .stream = milliseconds{50},
          .stream_bytes = small_stream};
}

std::chrono::milliseconds max_time(const Bounds& bounds) {
  return bounds.meet + bounds.messages + 2 * (bounds.stream + time_to_read_stream);
}

NcclStartOrder nccl_limits(std::chrono::milliseconds limit) {
  const auto each = std::clamp(limit / 4, least_nccl_limit, max_nccl_limit);
  return {each, each};
}

std::string to_text(const TestOrder& order) {
  return text_of("test", order);
}

std::string to_text(const NcclStartOrder& order) {
  return fmt::format("nccl-start {} {}", order.start.count(), order.test.count());
}

std::string to_text(const NcclOrder& order) {
  return text_of("nccl-test", order);
}

std::string to_text(const Hello& hello) {
  return fmt::format("hello {} {} {}", hello.node, hello.has_gpu ? "gpu" : "-",
                     address_text(hello.place));
}

std::optional<TestOrder> test_order(std::string_view text) {
  return order_in<TestOrder>("test", text);
}

std::optional<NcclStartOrder> nccl_start_order(std::string_view text) {
  if (text.size() > max_text) return std::nullopt;
  const auto words = text::split(text, ' ');
  if (words.size() != 3 || words[0] != "nccl-start") return std::nullopt;
  const auto start = nccl_limit(words[1]);
  const auto test = nccl_limit(words[2]);
  return start && test ? std::optional(NcclStartOrder{*start, *test}) : std::nullopt;
}

std::optional<NcclOrder> nccl_order(std::string_view text) {
  return order_in<NcclOrder>("nccl-test", text);
}

std::optional<Hello> hello_from(std::string_view text) {
  if (text.size() > max_text) return std::nullopt;
  const auto words = text::split(text, ' ');
  if (words.size() < 5 || words[0] != "hello" || words[1].empty() ||
      words[1].size() > max_node_name || (words[2] != "gpu" && words[2] != "-")) {
    return std::nullopt;
  }
  auto place = address_in(Words(words).subspan(3));
  if (!place) return std::nullopt;
  return Hello{std::string(words[1]), std::move(*place), words[2] == "gpu"};
}

}  // namespace muster::preflight
