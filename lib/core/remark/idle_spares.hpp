// Detects nodes held in reserve that nothing can ever use.
#pragma once

#include <string>

namespace muster::request {
struct Request;
}

namespace muster::remark {

// The remark for spares= without restarts or a preflight: only these replace a node with a spare.
std::string idle_spares(const request::Request& request);

}  // namespace muster::remark
