#include "core/slurm/config.hpp"

#include "core/slurm/fields.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <charconv>

namespace muster::slurm {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  return text.substr(0, text.find_last_not_of(spaces) + 1);
}

std::optional<std::chrono::seconds> as_seconds(std::optional<std::uint32_t> number) {
  if (!number) return std::nullopt;
  return std::chrono::seconds{*number};
}

}  // namespace

Config Config::from_text(std::string_view text) {
  Config config;
  for (const auto line : text::split(whole_lines(text), '\n')) {
    const auto equals = line.find('=');
    if (equals == 0 || equals == std::string_view::npos || line[equals - 1] != ' ') continue;
    config.values_.try_emplace(std::string(trimmed(line.substr(0, equals))),
                               trimmed(line.substr(equals + 1)));
  }
  return config;
}

std::string Config::value(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second;
}

std::optional<std::uint32_t> Config::number(std::string_view name) const {
  const auto text = value(name);
  std::uint32_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{})
    return std::nullopt;
  return number;
}

std::optional<std::chrono::seconds> Config::kill_wait() const {
  return as_seconds(number("KillWait"));
}

std::optional<std::chrono::seconds> Config::slurmd_timeout() const {
  return as_seconds(number("SlurmdTimeout"));
}

std::uint16_t Config::slurmd_port() const {
  constexpr std::uint16_t slurms_default = 6818;
  const auto port = number("SlurmdPort");
  return port && *port > 0 && *port <= UINT16_MAX ? static_cast<std::uint16_t>(*port)
                                                  : slurms_default;
}

std::vector<std::string> Config::plugin_directories() const {
  std::vector<std::string> directories;
  const auto list = value("PluginDir");
  for (const auto directory : text::split(list, ':')) {
    if (!directory.empty()) directories.emplace_back(directory);
  }
  return directories;
}

bool Config::permits_expedited_requeue() const {
  return value("SlurmctldParameters").find("enable_expedited_requeue") != std::string::npos;
}

bool Config::permits_shrinking() const {
  return value("SchedulerParameters").find("disable_job_shrink") == std::string::npos;
}

}  // namespace muster::slurm
