#include "core/request/request.hpp"

#include "core/error.hpp"
#include "core/profile/profile.hpp"
#include "core/text/quote.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster {
namespace {

void check_profile(const Setting& profile) {
  if (is_profile_name(profile.value)) return;
  throw Error(fmt::format(
      "{}: profile {}: a profile's name has only a-z, 0-9, '_' and '-'; use torch, or see "
      "--distributed=help",
      profile.where, in_quotes(profile.value)));
}

void check_available(const KeyInfo& key, const Setting& setting) {
  const std::string value = canonical(key.key, setting);
  if (is_available(key, value)) return;
  const std::string remedy = key.since == not_yet || key.words.empty()
                                 ? fmt::format("leave {} out", key.name)
                                 : fmt::format("use {}", fmt::join(available_words(key), " or "));
  throw Error(fmt::format("{}: {}={}: not in this release; {}", setting.where, key.name,
                          printable(setting.value), remedy));
}

// Only what nobody or the site chose, and what the site does not insist on.
bool is_free(const Request& request, Key key, const Policy& policy) {
  const auto origin = source(request, key).origin;
  return (origin == Origin::default_ || origin == Origin::site) && !policy.fix.contains(key);
}

std::map<Key, Source> sources_of(const Settings& settings) {
  std::map<Key, Source> sources;
  for (const auto& [key, setting] : settings.values) {
    const Source source{setting.origin, setting.where};
    if (source != Source{}) sources.emplace(key, source);
  }
  return sources;
}

}  // namespace

Source source(const Request& request, Key key) {
  const auto found = request.sources.find(key);
  return found == request.sources.end() ? Source{} : found->second;
}

std::string value_text(const Request& request, Key key) {
  switch (key) {
    case Key::bind:
      return std::string(to_string(request.bind));
    case Key::memory:
      return std::string(to_string(request.memory));
    case Key::smt:
      return switch_text(request.smt);
    case Key::gpus:
      return std::string(to_string(request.gpus));
    case Key::ranks:
      return std::string(to_string(request.ranks));
    case Key::network:
      return network_text(request.network);
    case Key::port:
      return text_or_default(key, request.port);
    case Key::restarts:
      return to_string(request.restarts);
    case Key::nodes:
      return text_or_default(key, request.nodes);
    case Key::spares:
      return to_string(request.spares);
    case Key::logs:
      return text_or_default(key, request.logs);
    case Key::view:
      return to_string(request.view);
    case Key::grace:
      return text_or_default(key, request.grace);
    case Key::hang:
      return text_or_default(key, request.hang);
    case Key::explain:
      return switch_text(request.explain);
    case Key::dry_run:
      return switch_text(request.dry_run);
    case Key::supervise:
      return switch_text(request.supervise);
    case Key::verbose:
      return switch_text(request.verbose);
  }
  return {};
}

Request make_request(const Settings& settings) {
  check_profile(settings.profile);
  for (const KeyInfo& key : keys()) check_available(key, settings.at(key.key));
  return Request{
      .profile = settings.profile.value,
      .bind = parse_bind(settings.at(Key::bind)),
      .memory = parse_memory(settings.at(Key::memory)),
      .smt = parse_switch(Key::smt, settings.at(Key::smt)),
      .gpus = parse_gpus(settings.at(Key::gpus)),
      .ranks = parse_ranks(settings.at(Key::ranks)),
      .network = parse_network(settings.at(Key::network)),
      .port = parse_port(settings.at(Key::port)),
      .restarts = parse_count(Key::restarts, settings.at(Key::restarts)),
      .nodes = parse_nodes(settings.at(Key::nodes)),
      .spares = parse_count(Key::spares, settings.at(Key::spares)),
      .logs = parse_logs(settings.at(Key::logs)),
      .view = parse_view(settings.at(Key::view)),
      .grace = parse_grace(settings.at(Key::grace)),
      .hang = parse_hang(settings.at(Key::hang)),
      .explain = parse_switch(Key::explain, settings.at(Key::explain)),
      .dry_run = parse_switch(Key::dry_run, settings.at(Key::dry_run)),
      .supervise = parse_switch(Key::supervise, settings.at(Key::supervise)),
      .verbose = parse_switch(Key::verbose, settings.at(Key::verbose)),
      .profile_source = {settings.profile.origin, settings.profile.where},
      .sources = sources_of(settings),
  };
}

Request with_network_rule(Request request, const NetworkRule& rule, const Policy& policy) {
  if (!is_free(request, Key::network, policy)) return request;
  request.network = parse_network(rule.interfaces);
  request.sources[Key::network] = {rule.interfaces.origin, rule.interfaces.where};
  return request;
}

Request with_hint(Request request, std::string_view hint, const Policy& policy) {
  if (!is_free(request, Key::smt, policy)) return request;
  while (!hint.empty()) {
    const auto word = hint.substr(0, hint.find(','));
    hint.remove_prefix(std::min(word.size() + 1, hint.size()));
    if (word != "nomultithread" && word != "multithread") continue;
    request.smt = word == "multithread";
    request.sources[Key::smt] = {Origin::slurm, fmt::format("--hint={}", word)};
  }
  return request;
}

void check_plan_is_shown(const Request& request) {
  if (request.supervise || (!request.explain && !request.dry_run)) return;
  const Key key = request.explain ? Key::explain : Key::dry_run;
  throw Error(
      fmt::format("{}: {} needs the supervisor, which supervise=off leaves out; leave out one",
                  source(request, key).where, info(key).name));
}

std::string to_option(const Request& request) {
  std::string option = request.profile;
  for (const KeyInfo& key : keys()) {
    const std::string value = value_text(request, key.key);
    if (value == key.default_text) continue;
    option += key.is_switch && value == "on" ? fmt::format(",{}", key.name)
                                             : fmt::format(",{}={}", key.name, value);
  }
  return option;
}

}  // namespace muster
