// The request: what the user, the site and the defaults together ask of muster, typed and
// valid. Made once on the submit host; travels to the agents as JSON.
#pragma once

#include "core/option/key_table.hpp"
#include "core/option/policy.hpp"
#include "core/option/settings.hpp"
#include "core/option/values.hpp"
#include "core/site/network_rules.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace muster::request {

struct Source {
  Origin origin = Origin::default_;
  std::string where = "default";

  friend bool operator==(const Source&, const Source&) = default;
};

// Beside a value for every key: request.bind, request.port, ...
struct Request : option::Values {
  std::string profile = "torch";
  Source profile_source;
  std::map<option::Key, Source> sources;  // keys that are not here have their default

  friend bool operator==(const Request&, const Request&) = default;
};

// Where the value of a key came from.
Source source(const Request& request, option::Key key);

// Validates. Error in one line: what, why, what to do.
Request make_request(const option::Settings& settings);

// `request`, with the network that the site's rule says, unless the user has chosen one or the
// site's policy fixes it.
Request with_network_rule(Request request, const site::NetworkRule& rule,
                          const option::Policy& policy);

// `request`, with one hardware thread of each core, or all, where Slurm's --hint wishes
// nomultithread or multithread, unless the user has said smt= or the site's policy fixes it.
Request with_hint(Request request, std::string_view hint, const option::Policy& policy);

// The supervisor is who shows a plan: Error where the request wants one without the other.
void check_plan_is_shown(const Request& request);

// "torch,bind=none,verbose": what --distributed would have to say for this request.
std::string to_option(const Request& request);

// Lossless, compact, one line; origins included.
inline constexpr std::size_t max_request_json_bytes = 65536;
std::string to_json(const Request& request);

// Error for anything that to_json cannot have written; never trusts its input.
Request request_from_json(std::string_view text);

}  // namespace muster::request
