// The part of the C ABI that needs no step: requests to stop, made by signals.
#include "worker/abi/abi_guard.hpp"
#include "worker/environment.hpp"
#include "worker/stop/request.hpp"
#include "worker/stop/signal_names.hpp"

using namespace muster::worker;

extern "C" {

int muster_stop_on(const char* signals) {
  return abi::guarded([&] {
    stop::count(signals == nullptr ? stop::signals_of(Environment::of_process())
                                   : stop::signals_named(signals, "muster_stop_on()"));
  });
}

int muster_stop_requested(void) {
  return stop::requested() ? 1 : 0;
}

}  // extern "C"
