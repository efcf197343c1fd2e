// Compares abi.hpp with the PMIx headers of this machine. Built only if there are any; no other file
// includes them.
#include "worker/pmix/abi.hpp"

#include <cstring>
#include <string_view>
#include <type_traits>

#include <pmix.h>

namespace muster::worker::pmix {
namespace {

static_assert(std::is_same_v<Status, pmix_status_t> && std::is_same_v<Rank, pmix_rank_t> &&
              std::is_same_v<Scope, pmix_scope_t> && std::is_same_v<Type, pmix_data_type_t>);
static_assert(max_namespace == PMIX_MAX_NSLEN && max_key == PMIX_MAX_KEYLEN);
static_assert(every_rank == PMIX_RANK_WILDCARD && global_scope == PMIX_GLOBAL);

static_assert(type::boolean == PMIX_BOOL && type::string == PMIX_STRING &&
              type::uint16 == PMIX_UINT16 && type::uint32 == PMIX_UINT32 &&
              type::byte_object == PMIX_BYTE_OBJECT);

constexpr bool same(std::string_view ours, std::string_view theirs) {
  return ours == theirs;
}
static_assert(same(key::collect_data, PMIX_COLLECT_DATA) && same(key::immediate, PMIX_IMMEDIATE) &&
              same(key::optional, PMIX_OPTIONAL) && same(key::job_size, PMIX_JOB_SIZE) &&
              same(key::local_peers, PMIX_LOCAL_PEERS) && same(key::node_list, PMIX_NODE_LIST) &&
              same(key::num_nodes, PMIX_NUM_NODES) && same(key::hostname, PMIX_HOSTNAME));

static_assert(status::success == PMIX_SUCCESS && status::timeout == PMIX_ERR_TIMEOUT &&
              status::unreachable == PMIX_ERR_UNREACH &&
              status::no_permission == PMIX_ERR_NO_PERMISSIONS && status::init == PMIX_ERR_INIT &&
              status::out_of_memory == PMIX_ERR_NOMEM && status::not_found == PMIX_ERR_NOT_FOUND &&
              status::not_supported == PMIX_ERR_NOT_SUPPORTED &&
              status::communication_failure == PMIX_ERR_COMM_FAILURE &&
              status::unpack_past_end == PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER &&
              status::partial_success == PMIX_ERR_PARTIAL_SUCCESS &&
              status::lost_connection == PMIX_ERR_LOST_CONNECTION &&
              status::operation_succeeded == PMIX_OPERATION_SUCCEEDED);

static_assert(sizeof(Process) == sizeof(pmix_proc_t) &&
              offsetof(Process, rank) == offsetof(pmix_proc_t, rank));
static_assert(sizeof(ByteObject) == sizeof(pmix_byte_object_t) &&
              offsetof(ByteObject, size) == offsetof(pmix_byte_object_t, size));
static_assert(sizeof(Value) == sizeof(pmix_value_t) && alignof(Value) == alignof(pmix_value_t) &&
              offsetof(Value, data) == offsetof(pmix_value_t, data));
static_assert(sizeof(Info) == sizeof(pmix_info_t) &&
              offsetof(Info, flags) == offsetof(pmix_info_t, flags) &&
              offsetof(Info, value) == offsetof(pmix_info_t, value) &&
              sizeof(Info::flags) == sizeof(pmix_info_directives_t));

// The functions, with our types in place of PMIx's.
template <class... Arguments>
using Function = pmix_status_t(Arguments...);
static_assert(
    std::is_same_v<decltype(PMIx_Init), Function<pmix_proc_t*, pmix_info_t*, std::size_t>> &&
    std::is_same_v<decltype(PMIx_Finalize), Function<const pmix_info_t*, std::size_t>> &&
    std::is_same_v<decltype(PMIx_Abort), Function<int, const char*, pmix_proc_t*, std::size_t>> &&
    std::is_same_v<decltype(PMIx_Put), Function<pmix_scope_t, const char*, pmix_value_t*>> &&
    std::is_same_v<decltype(PMIx_Commit), Function<>> &&
    std::is_same_v<decltype(PMIx_Fence_nb),
                   Function<const pmix_proc_t*, std::size_t, const pmix_info_t*, std::size_t,
                            pmix_op_cbfunc_t, void*>> &&
    std::is_same_v<decltype(PMIx_Get_nb),
                   Function<const pmix_proc_t*, const char*, const pmix_info_t*, std::size_t,
                            pmix_value_cbfunc_t, void*>> &&
    std::is_same_v<decltype(PMIx_Resolve_peers),
                   Function<const char*, const char*, pmix_proc_t**, std::size_t*>>);
static_assert(std::is_same_v<pmix_op_cbfunc_t, DoneCallback> &&
              std::is_same_v<pmix_value_cbfunc_t, void (*)(pmix_status_t, pmix_value_t*, void*)>);

}  // namespace
}  // namespace muster::worker::pmix
