// Whether another attempt could start, alongside which unreachable ranks must not keep running; and how
// long to wait for a silent node. Pure.
#pragma once

#include <chrono>

namespace muster::request {
struct Request;
}

namespace muster::step {

// The supervisor, its successor or a later run of the job may start the ranks again.
bool another_may_start(const request::Request& request);

// A node counts as lost after this much silence. If no other attempt could start, giving up the node would
// only end a run that may still finish; in that case this is as long as a machine may stall, unless the user
// or the site has set a time.
std::chrono::milliseconds node_loss_timeout(const request::Request& request);

}  // namespace muster::step
