#include "launcher/tools/preflight/order.hpp"

#include "core/record/record.hpp"

#include <algorithm>

#include <asio/ip/address.hpp>

namespace muster::preflight {
namespace {

bool is_numeric(const std::string& address) {
  asio::error_code wrong;
  asio::ip::make_address(address, wrong);
  return !wrong;
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
  return bounds.meet + bounds.messages + 2 * (bounds.stream + stream_timeout);
}

NcclStartOrder nccl_limits(std::chrono::milliseconds limit) {
  const auto each = std::clamp(limit / 4, nccl_limit.least, nccl_limit.most);
  return {each, each};
}

bool is_place(const channel::Address& address) {
  return address.port != 0 && !address.addresses.empty() &&
         std::ranges::all_of(address.addresses, is_numeric);
}

std::string to_text(const TestOrder& order) {
  return record::write(order);
}

std::string to_text(const NcclStartOrder& order) {
  return record::write(order);
}

std::string to_text(const NcclOrder& order) {
  return record::write(order);
}

std::string to_text(const Hello& hello) {
  return record::write(hello);
}

std::optional<TestOrder> test_order(std::string_view text) {
  return record::read<TestOrder>(text);
}

std::optional<NcclStartOrder> nccl_start_order(std::string_view text) {
  return record::read<NcclStartOrder>(text);
}

std::optional<NcclOrder> nccl_order(std::string_view text) {
  return record::read<NcclOrder>(text);
}

std::optional<Hello> hello_from(std::string_view text) {
  return record::read<Hello>(text);
}

}  // namespace muster::preflight
