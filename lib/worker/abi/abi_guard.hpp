// What every function of the C ABI does around its work: it lets no exception into C, admits one caller at
// a time and no forked child, and keeps the error for muster_last_error().
#pragma once

#include "muster/muster.h"
#include "worker/error.hpp"
#include "worker/step.hpp"

#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>

#include <unistd.h>

// The opaque type of muster.h.
struct muster_step {  // NOLINT(readability-identifier-naming)
  std::unique_ptr<muster::worker::Step> step;
};

namespace muster::worker::abi {

// Stores the line for this thread, truncated after about a thousand bytes. Returns the status.
int keep_error(muster_status status, const char* line) noexcept;

// Runs `work` and turns what it throws into a status.
template <class Work>
int guarded(Work&& work) noexcept {
  try {
    work();
    return MUSTER_OK;
  } catch (const Error& error) {
    return keep_error(error.status(), error.what());
  } catch (const std::bad_alloc&) {
    return keep_error(MUSTER_ERR_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return keep_error(MUSTER_ERR_INTERNAL, error.what());
  } catch (...) {
    return keep_error(MUSTER_ERR_INTERNAL, "an unknown exception was thrown; please report it");
  }
}

// A call in progress on a step. Throws Error if another thread is in a call, or in a forked child.
class Entered {
 public:
  explicit Entered(Step& step) : step_(step) {
    if (step.owner() != ::getpid()) {
      throw Error{
          MUSTER_ERR_STATE,
          "this process was forked from the one that called muster_init(): only that one may "
          "use the handle"};
    }
    if (step.busy().exchange(true)) {
      throw Error{MUSTER_ERR_BUSY,
                  "another thread is inside a call on this handle: one call at a time"};
    }
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
  ~Entered() { step_.busy() = false; }

 private:
  Step& step_;
};

// The usual call: checks the handle, enters it, and runs the work on its step.
template <class Work>
int with_step(muster_t* handle, Work&& work) noexcept {
  return guarded([&] {
    if (handle == nullptr) {
      throw Error{MUSTER_ERR_ARGUMENT,
                  "the handle is NULL: call muster_init() first, and do not use the handle after "
                  "muster_finalize()"};
    }
    const Entered entered{*handle->step};
    work(*handle->step);
  });
}

// Reads the caller's structure, which may be older (shorter) than ours. NULL means the defaults. A longer one
// is refused if the part that we do not know is not zero. Throws Error.
template <class Options>
Options adopt(const Options* given, const Options& defaults, const char* name) {
  static_assert(std::is_trivially_copyable_v<Options>);
  if (given == nullptr) return defaults;
  Options options = defaults;
  if (given->size < sizeof(given->size)) {
    throw Error{MUSTER_ERR_ARGUMENT, std::string{name} +
                                         ".size is not set: initialize the structure with " +
                                         "its macro in muster.h"};
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(Options); i < given->size && given->size <= 4096; ++i) {
    if (bytes[i] != 0) {
      throw Error{MUSTER_ERR_ARGUMENT, std::string{name} + " has fields that this libmuster does " +
                                           "not know: use a newer libmuster"};
    }
  }
  if (given->size > 4096) throw Error{MUSTER_ERR_ARGUMENT, std::string{name} + ".size is wrong"};
  std::memcpy(&options, given, std::min(given->size, sizeof(Options)));
  options.size = sizeof(Options);
  return options;
}

}  // namespace muster::worker::abi
