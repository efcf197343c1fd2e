// The request: the settings of the user, the site and the defaults combined, typed and valid. The submit
// host makes it once and sends it to the agents.
#pragma once

#include "core/option/key.hpp"
#include "core/option/values.hpp"
#include "core/origin.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace muster::option {
struct Policy;
struct Settings;
}  // namespace muster::option

namespace muster::site {
struct NetworkRule;
}

namespace muster::request {

struct Source {
  Origin origin = Origin::default_;
  std::string where = "default";

  friend bool operator==(const Source&, const Source&) = default;
};

// Inherits a value for every key: request.bind, request.port, ...
struct Request : option::Values {
  std::string profile = "torch";
  Source profile_source;
  std::map<option::Key, Source> sources;  // keys that are missing here have their default value

  friend bool operator==(const Request&, const Request&) = default;
};

// Where the value of a key comes from.
Source source(const Request& request, option::Key key);

// Validates the settings. The Error is one line: what, why, what to do.
Request make_request(const option::Settings& settings);

// `request` with the network of the site's rule, unless the user chose a network or the site's policy fixes
// it.
Request with_network_rule(Request request, const site::NetworkRule& rule,
                          const option::Policy& policy);

// `request` with smt= set by Slurm's --hint: nomultithread means one hardware thread per core, multithread
// means all. Unchanged if the user set smt=, or if the site's policy fixes or forbids it.
Request with_hint(Request request, std::string_view hint, const option::Policy& policy);

// Likewise for Slurm's --threads-per-core=1, which means one hardware thread per core.
Request with_one_thread_per_core(Request request, const option::Policy& policy);

// The live view shows the files of logs=. Throws Error if the user asked for a view without logs=.
void check_view(const Request& request);

// Throws Error if logs=, report= or metrics= has a pattern that does not exist.
void check_patterns(const Request& request);

// The value of --distributed that makes this request, such as "torch,bind=none,verbose".
std::string to_option(const Request& request);

// Lossless; includes the origins.
std::string to_text(const Request& request);

// Does not trust its input: no value for any text that to_text() of this version cannot have written.
std::optional<Request> request_from_text(std::string_view text);

}  // namespace muster::request
