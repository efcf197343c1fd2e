#include "core/plan/inspector.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"

#include <array>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace muster::plan {
namespace {

using Version = std::array<std::uint32_t, 3>;

// plugins/profiler/inspector is in NCCL's sources from this release on.
constexpr Version first_with_inspector{2, 28, 3};
constexpr std::size_t max_name_bytes = 200;

// "2.27.5"
std::optional<Version> version_of(std::string_view text) {
  const auto parts = text::split(text, '.');
  Version version{};
  if (parts.size() != version.size()) return std::nullopt;
  for (std::size_t i = 0; i < version.size(); ++i) {
    const auto number = text::number<std::uint32_t>(parts[i]);
    if (!number) return std::nullopt;
    version.at(i) = *number;
  }
  return version;
}

std::string_view value_of(std::string_view told, std::string_view name) {
  for (const auto line : text::split(told, '\n')) {
    if (line.starts_with(name)) return line.substr(name.size(), max_name_bytes);
  }
  return {};
}

}  // namespace

std::vector<EnvVar> inspector_variables(const InspectorWish& wish) {
  const auto* const plugin =
      wish.amd ? "librccl-profiler-inspector.so" : "libnccl-profiler-inspector.so";
  std::vector<EnvVar> variables{
      {.name = "NCCL_PROFILER_PLUGIN", .value = plugin, .origin = wish.origin},
      {.name = "NCCL_INSPECTOR_ENABLE", .value = "1", .origin = wish.origin}};
  if (!wish.directory.empty()) {
    variables.push_back(
        {.name = "NCCL_INSPECTOR_DUMP_DIR", .value = wish.directory, .origin = wish.origin});
  }
  return variables;
}

std::string inspector_remark(std::string_view told) {
  const auto version = version_of(value_of(told, "nccl "));
  if (version && *version < first_with_inspector) {
    return fmt::format(
        "inspect=on records nothing: rank 0 has NCCL {}.{}.{}, and the Inspector needs 2.28.3 or "
        "newer",
        (*version)[0], (*version)[1], (*version)[2]);
  }
  const auto missing = value_of(told, "missing ");
  if (missing.empty()) return {};
  return fmt::format(
      "inspect=on records nothing: rank 0's loader cannot find {}; build it from NCCL's sources "
      "(plugins/profiler/inspector) and add its directory to LD_LIBRARY_PATH",
      text::in_quotes(missing));
}

}  // namespace muster::plan
