// Trouble with a service outside the run: a download from Hugging Face, an object store, an experiment
// tracker. Its sockets fail with the same words as the sockets between ranks.
#pragma once

#include <string_view>

namespace muster::report {

// Judged by the words of HTTP clients in the message, or by the library in which the exception was raised:
// the innermost frame of the last traceback, apart from Python's own library. Frames further out prove
// nothing, because some trackers call the whole training. False if the message names a host that may be one
// of the run's nodes, and for torchft, whose replicas fetch checkpoints from each other over HTTP.
bool is_service_trouble(std::string_view message, std::string_view traceback);

}  // namespace muster::report
