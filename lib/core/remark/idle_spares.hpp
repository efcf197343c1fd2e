// Nodes in reserve that nothing ever takes out of it.
#pragma once

#include <string>

namespace muster::request {
struct Request;
}

namespace muster::remark {

// A line for spares= without a restart or a preflight, which alone put a spare node in another's place.
std::string idle_spares(const request::Request& request);

}  // namespace muster::remark
