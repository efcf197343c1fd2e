// Who holds up all others, as JSON: in the report and in the status.
#pragma once

#include "core/slow/named.hpp"
#include "core/text/json.hpp"

#include <vector>

namespace muster::slow {

// `since` is not among the fields: the caller knows what clock it wants.
nlohmann::ordered_json to_json(const Named& named);

// Reads untrusted JSON: what is missing is empty or 0.
Named named_from(const nlohmann::json& json);

}  // namespace muster::slow
