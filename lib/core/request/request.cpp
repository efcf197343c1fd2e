#include "core/request/request.hpp"

#include "core/error.hpp"
#include "core/logs/names.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "core/option/policy.hpp"
#include "core/option/profile_name.hpp"
#include "core/option/settings.hpp"
#include "core/site/network_rules.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace muster::request {
namespace {

void check_profile(const option::Setting& profile) {
  if (option::is_profile_name(profile.value)) return;
  throw Error(fmt::format(
      "{}: profile {}: a profile's name may contain only a-z, 0-9, '_' and '-'; use torch, or see "
      "--distributed=help",
      profile.where, text::in_quotes(profile.value)));
}

// Checked before the value is read: a remedy for a wrong value would not help.
void check_available(const option::KeyInfo& key, const option::Setting& setting) {
  if (is_available(key, setting.value)) return;
  throw Error(fmt::format("{}: {}={}: not in this release; {}", setting.where, key.name,
                          text::printable(setting.value), option::without(key)));
}

// True if the value is the default or the site's, and the site's policy does not fix it.
bool is_free(const Request& request, option::Key key, const option::Policy& policy) {
  const auto origin = source(request, key).origin;
  return (origin == Origin::default_ || origin == Origin::site) && !policy.fix.contains(key);
}

std::map<option::Key, Source> sources_of(const option::Settings& settings) {
  std::map<option::Key, Source> sources;
  for (const auto& [key, setting] : settings.values) {
    const Source source{setting.origin, setting.where};
    if (source != Source{}) sources.emplace(key, source);
  }
  return sources;
}

bool is_forbidden(option::Key key, const std::string& value, const option::Policy& policy) {
  return std::ranges::any_of(policy.forbid, [&](const option::Forbidden& forbidden) {
    return forbidden.key == key && (!forbidden.value || *forbidden.value == value);
  });
}

constexpr option::Key smt("smt");

// Unless the policy forbids it.
void set_smt(Request& request, bool all_threads, std::string where, const option::Policy& policy) {
  if (is_forbidden(smt, all_threads ? "on" : "off", policy)) return;
  request.smt = all_threads;
  request.sources[smt] = {Origin::slurm, std::move(where)};
}

}  // namespace

Source source(const Request& request, option::Key key) {
  const auto found = request.sources.find(key);
  return found == request.sources.end() ? Source{} : found->second;
}

Request make_request(const option::Settings& settings) {
  check_profile(settings.profile);
  for (const option::KeyInfo& key : option::keys()) check_available(key, settings.at(key.key));
  return {parse_values(settings),
          settings.profile.value,
          {settings.profile.origin, settings.profile.where},
          sources_of(settings)};
}

Request with_network_rule(Request request, const site::NetworkRule& rule,
                          const option::Policy& policy) {
  constexpr option::Key network("network");
  if (!is_free(request, network, policy)) return request;
  request.network = parse_value(network, rule.interfaces).network;
  request.sources[network] = {rule.interfaces.origin, rule.interfaces.where};
  return request;
}

Request with_hint(Request request, std::string_view hint, const option::Policy& policy) {
  if (!is_free(request, smt, policy)) return request;
  for (const auto word : text::split(hint, ',')) {
    if (word != "nomultithread" && word != "multithread") continue;
    set_smt(request, word == "multithread", fmt::format("--hint={}", word), policy);
  }
  return request;
}

Request with_one_thread_per_core(Request request, const option::Policy& policy) {
  if (is_free(request, smt, policy)) set_smt(request, false, "--threads-per-core=1", policy);
  return request;
}

void check_view(const Request& request) {
  if (request.logs) return;
  for (const auto key : {option::Key("view"), option::Key("prefix")}) {
    const auto asked = source(request, key);
    const bool is_default = value_of(request, key) == info(key).default_text;
    if (asked.origin != Origin::option || is_default) continue;
    throw Error(fmt::format("{}: {}={} needs logs=DIR, which is not set", asked.where,
                            info(key).name, value_of(request, key)));
  }
}

void check_patterns(const Request& request) {
  const logs::AttemptName any{.step = "0.0"};
  if (request.logs) static_cast<void>(logs::directory(*request.logs, any));
  if (request.report) static_cast<void>(logs::report_file(*request.report, any));
  if (request.metrics) static_cast<void>(logs::metrics_file(request.metrics->file, any));
}

std::string to_option(const Request& request) {
  std::string option = request.profile;
  for (const option::KeyInfo& key : option::keys()) {
    const std::string value = value_of(request, key.key);
    if (value == key.default_text) continue;
    option += key.is_switch && value == "on" ? fmt::format(",{}", key.name)
                                             : fmt::format(",{}={}", key.name, value);
  }
  return option;
}

}  // namespace muster::request
