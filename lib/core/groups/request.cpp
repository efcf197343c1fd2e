#include "core/groups/request.hpp"

#include "core/error.hpp"
#include "core/option/key_table.hpp"
#include "core/option/keys.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace muster::groups {
namespace {

struct Refused {
  option::Key key;
  std::string_view why;
};

constexpr std::array refused{
    Refused{option::Key("nodes"), "a group keeps its size; use groups=MIN:MAX"},
    Refused{option::Key("requeue"), "leave one out"},
    Refused{option::Key("succession"), "leave one out"},
};

bool is_users(const request::Request& request, option::Key key) {
  const auto origin = source(request, key).origin;
  return origin != Origin::default_ && origin != Origin::site;
}

}  // namespace

request::Request request_of_group(request::Request request) {
  const request::Request defaults;
  const bool asks[] = {request.nodes.has_value(), request.requeue > 0, request.succession};
  for (std::size_t i = 0; i < refused.size(); ++i) {
    if (!asks[i] || !is_users(request, refused[i].key)) continue;
    throw Error(fmt::format("{}: {}= does not work with groups=: {}",
                            source(request, refused[i].key).where,
                            option::info(refused[i].key).name, refused[i].why));
  }
  if (request.metrics && request.metrics->file.empty()) {
    throw Error(fmt::format(
        "{}: metrics= at a port serves one supervisor, and each group has its own; write to "
        "a file with %s in its name",
        source(request, option::Key("metrics")).where));
  }
  request.nodes = defaults.nodes;
  request.requeue = defaults.requeue;
  request.succession = defaults.succession;
  return request;
}

}  // namespace muster::groups
