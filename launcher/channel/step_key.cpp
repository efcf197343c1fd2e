#include "launcher/channel/step_key.hpp"

#include "core/error.hpp"

#include <sodium.h>

namespace muster {

StepKey make_step_key() {
  if (sodium_init() < 0) throw Error("libsodium found no source of random numbers; is /dev there?");
  StepKey key{};
  randombytes_buf(key.data(), key.size());
  return key;
}

}  // namespace muster
