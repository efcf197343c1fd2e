// Whether another attempt could start, beside which ranks that nobody can reach must not run; and how long a
// silent node is waited for. Pure.
#pragma once

#include <chrono>

namespace muster::request {
struct Request;
}

namespace muster::step {

// The supervisor, its successor or the job's next run may start the ranks anew.
bool another_may_start(const request::Request& request);

// A node that has been silent for so long is lost. Where no other attempt could start, its loss would only
// end a run that may go on: then it is waited for as long as a machine may stand still, unless the user, or
// the site, has named a time.
std::chrono::milliseconds time_to_lose_node(const request::Request& request);

}  // namespace muster::step
