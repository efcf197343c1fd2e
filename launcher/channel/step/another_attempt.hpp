// Whether another attempt could start, next to which unreachable ranks must not keep running; and how long to
// wait for a silent node. Pure.
#pragma once

#include <chrono>

namespace muster::request {
struct Request;
}

namespace muster::step {

// The supervisor, its successor or the job's next run may start the ranks anew.
bool another_may_start(const request::Request& request);

// A node is lost after this much silence. If no other attempt could start, giving it up would only end a run
// that may still finish: then this is as long as a machine may be stalled, unless the user or the site has
// set a time.
std::chrono::milliseconds node_loss_timeout(const request::Request& request);

}  // namespace muster::step
