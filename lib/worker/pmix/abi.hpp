// The part of PMIx's binary interface that muster uses, declared here. So libmuster is built without PMIx's
// headers, and one binary works with every libpmix.so.2. These types, sizes and numbers are the same from
// PMIx 4.2 to 7.0; abi_check.cpp compares them with the headers if these are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::worker::pmix {

using Status = int;
using Rank = std::uint32_t;
using Scope = std::uint8_t;
using Type = std::uint16_t;

inline constexpr std::size_t max_namespace = 255;
inline constexpr std::size_t max_key = 511;

inline constexpr Rank every_rank = UINT32_MAX - 1;  // "wildcard": for the whole step
inline constexpr Scope global_scope = 3;            // for ranks of this node and of all others

namespace type {
inline constexpr Type boolean = 1;
inline constexpr Type string = 3;
inline constexpr Type uint16 = 13;
inline constexpr Type uint32 = 14;
inline constexpr Type byte_object = 27;
}  // namespace type

namespace key {
inline constexpr const char* collect_data = "pmix.collect";
inline constexpr const char* immediate = "pmix.immediate";  // do not wait for the value
inline constexpr const char* optional = "pmix.optional";    // do not ask the server either
inline constexpr const char* job_size = "pmix.job.size";
inline constexpr const char* local_peers = "pmix.lpeers";
inline constexpr const char* node_list = "pmix.nlist";
inline constexpr const char* num_nodes = "pmix.num.nodes";
inline constexpr const char* hostname = "pmix.hname";
}  // namespace key

namespace status {
inline constexpr Status success = 0;
inline constexpr Status unpack_past_end = -50;  // some calls report a lost connection this way
inline constexpr Status timeout = -24;
inline constexpr Status unreachable = -25;
inline constexpr Status no_permission = -23;
inline constexpr Status init = -31;
inline constexpr Status out_of_memory = -32;
inline constexpr Status not_found = -46;
inline constexpr Status not_supported = -47;
inline constexpr Status communication_failure = -49;
inline constexpr Status partial_success = -52;
inline constexpr Status lost_connection = -61;
inline constexpr Status operation_succeeded = -157;  // already done: there will be no callback
}  // namespace status

struct Process {
  char nspace[max_namespace + 1];
  Rank rank;
};

struct ByteObject {
  char* bytes;
  std::size_t size;
};

struct Value {
  Type type;
  union {
    bool flag;
    char* string;
    std::uint16_t uint16;
    std::uint32_t uint32;
    ByteObject bytes;
    void* largest[3];  // PMIx's largest member: an environment variable with its separator
  } data;
};

struct Info {
  char key[max_key + 1];
  std::uint32_t flags;
  Value value;
};

using DoneCallback = void (*)(Status, void* context);
using ValueCallback = void (*)(Status, Value*, void* context);

}  // namespace muster::worker::pmix
