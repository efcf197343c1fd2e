// The functions of libpmix as a table: opened when PMIx is first needed, never linked. Tests fill it with a
// double.
#pragma once

#include "worker/environment.hpp"
#include "worker/pmix/abi.hpp"

#include <string>

namespace muster::worker::pmix {

struct PmixApi {
  Status (*init)(Process* me, Info* info, std::size_t count) = nullptr;
  Status (*finalize)(const Info* info, std::size_t count) = nullptr;
  Status (*abort)(int code, const char* message, Process* whom, std::size_t count) = nullptr;
  Status (*put)(Scope scope, const char* key, Value* value) = nullptr;
  Status (*commit)() = nullptr;
  Status (*fence_nb)(const Process* whom, std::size_t count, const Info* info, std::size_t infos,
                     DoneCallback done, void* context) = nullptr;
  // Key and info must live until the callback, because libpmix keeps the pointers.
  Status (*get_nb)(const Process* whose, const char* key, const Info* info, std::size_t infos,
                   ValueCallback done, void* context) = nullptr;
  // *peers is malloc()ed.
  Status (*resolve_peers)(const char* node, const char* nspace, Process** peers,
                          std::size_t* count) = nullptr;
  const char* (*error_string)(Status status) = nullptr;
  const char* (*version)() = nullptr;

  std::string path;  // where the library is, for messages
};

// Takes the libpmix that is already in the process (loaded by MPI, for example, because PMIx counts its users
// only within one instance). Otherwise opens MUSTER_PMIX_LIBRARY, or libpmix.so.2 by the system's rules.
// Throws Error (library).
PmixApi load_api(const Environment& environment);

// Likewise for this process, opened once and never closed, because libpmix does not survive dlclose().
const PmixApi& open_api(const Environment& environment);

}  // namespace muster::worker::pmix
