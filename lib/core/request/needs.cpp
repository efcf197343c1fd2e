#include "core/request/needs.hpp"

#include "core/error.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"
#include "core/option/setting.hpp"
#include "core/request/request.hpp"

#include <fmt/format.h>

namespace muster::request {
namespace {

[[noreturn]] void refuse_unsupervised(const Request& request, option::Key key) {
  throw Error(fmt::format(
      "{}: {} needs the supervisor, which supervise=off disables; remove one of the two",
      source(request, key).where, info(key).name));
}

}  // namespace

std::optional<option::Key> first_asked(const Request& request, option::Need least) {
  for (const option::KeyInfo& key : option::keys()) {
    const auto origin = source(request, key.key).origin;
    const bool is_users = origin != Origin::default_ && origin != Origin::site;
    if (key.needs < least || !is_users) continue;
    if (value_of(request, key.key) != key.default_text) return key.key;
  }
  return std::nullopt;
}

Request without(Request request, option::Need least) {
  for (const option::KeyInfo& key : option::keys()) {
    if (key.needs < least) continue;
    key.read(request, key, {key.default_text, Origin::default_, "default"});
    request.sources.erase(key.key);
  }
  return request;
}

void check_supervision(const Request& request) {
  if (request.supervise) return;
  if (request.explain) refuse_unsupervised(request, option::Key("explain"));
  if (request.dry_run) refuse_unsupervised(request, option::Key("dry-run"));
  if (const auto key = first_asked(request, option::Need::supervisor)) {
    refuse_unsupervised(request, *key);
  }
}

}  // namespace muster::request
