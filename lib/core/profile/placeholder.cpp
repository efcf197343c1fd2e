#include "core/profile/placeholder.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

namespace muster::profile {
namespace {

constexpr std::array table{
    PlaceholderInfo{Placeholder::rank, "rank", "global rank, from 0", true},
    PlaceholderInfo{Placeholder::local_rank, "local_rank", "rank within the node, from 0", true},
    PlaceholderInfo{Placeholder::world_size, "world_size", "number of ranks in the step", true},
    PlaceholderInfo{Placeholder::local_world_size, "local_world_size",
                    "number of ranks on this node", true},
    PlaceholderInfo{Placeholder::node_rank, "node_rank",
                    "this node's number, from 0; nodes are ordered by their lowest rank", true},
    PlaceholderInfo{Placeholder::nodes, "nodes", "number of nodes in the step", true},
    PlaceholderInfo{Placeholder::procid, "procid", "SLURM_PROCID as the task sees it", true},
    PlaceholderInfo{Placeholder::restart_count, "restart_count",
                    "number of restarts of this launch so far, from 0", true},
    PlaceholderInfo{Placeholder::run_id, "run_id", "a name that all ranks of this launch share",
                    false},
    PlaceholderInfo{Placeholder::max_restarts, "max_restarts",
                    "the sum of restarts= and requeue=", false},
    PlaceholderInfo{Placeholder::master_addr, "master_addr", "numeric address of rank 0's node",
                    false},
    PlaceholderInfo{Placeholder::master_port, "master_port", "rendezvous port on rank 0's node",
                    false},
    PlaceholderInfo{Placeholder::error_file, "error_file",
                    "file for this rank's last exception, as JSON", false},
    PlaceholderInfo{Placeholder::log_directory, "log_directory",
                    "folder of this attempt's files; not set without logs=", false},
    PlaceholderInfo{Placeholder::ras_addr, "ras_addr",
                    "loopback address where NCCL's RAS answers; each attempt has its own", false},
    PlaceholderInfo{Placeholder::threads, "threads",
                    "number of the task's own physical cores or, if tasks share cores, its fair "
                    "share of them",
                    false},
    PlaceholderInfo{Placeholder::places, "places",
                    "`cores`, for OMP_PLACES; not set if muster does not choose the CPUs", false},
    PlaceholderInfo{Placeholder::proc_bind, "proc_bind",
                    "`spread`, or `false` if tasks share CPUs, for OMP_PROC_BIND; "
                    "not set if muster does not choose the CPUs",
                    false},
    PlaceholderInfo{Placeholder::socket_ifname, "socket_ifname",
                    "interface that reaches master_addr, in NCCL's syntax", false},
    PlaceholderInfo{Placeholder::gloo_ifname, "gloo_ifname",
                    "interface that reaches master_addr, as a single name", false},
    PlaceholderInfo{Placeholder::ib_hca, "ib_hca",
                    "RDMA devices that this node's ranks may use, in NCCL's syntax", false},
    PlaceholderInfo{Placeholder::ucx_devices, "ucx_devices",
                    "RDMA ports nearest to the task, in UCX's syntax", false},
    PlaceholderInfo{Placeholder::cxi_devices, "cxi_devices",
                    "Slingshot devices that this node's ranks may use, in libfabric's syntax",
                    false},
    PlaceholderInfo{Placeholder::cpus, "cpus", "CPUs that the task is bound to, as a list", false},
    PlaceholderInfo{Placeholder::node, "node", "this node's name in Slurm", true},
    PlaceholderInfo{Placeholder::local_addr, "local_addr",
                    "address from which this node reaches master_addr", true},
    PlaceholderInfo{Placeholder::rendezvous, "rendezvous",
                    "master_addr:master_port, with [] around an IPv6 address", false},
    PlaceholderInfo{
        Placeholder::cross_rank, "cross_rank",
        "this rank's number among the ranks with the same local_rank, in the order of their "
        "nodes",
        true},
    PlaceholderInfo{Placeholder::cross_size, "cross_size",
                    "number of ranks with the same local_rank", true},
    PlaceholderInfo{Placeholder::ntasks_per_node, "ntasks_per_node",
                    "number of ranks per node; not set if nodes differ", true},
    PlaceholderInfo{Placeholder::gpu_indexes, "gpu_indexes",
                    "indexes of the task's own GPUs among the GPUs that it sees", false},
    PlaceholderInfo{Placeholder::workers, "workers", "number of the task's own GPUs", false},
    PlaceholderInfo{
        Placeholder::worker_threads, "worker_threads",
        "number of threads for each worker, with one worker for each of the task's GPUs", false},
    PlaceholderInfo{Placeholder::task_port, "task_port", "a port reserved for this task", true},
    PlaceholderInfo{Placeholder::endpoints, "endpoints",
                    "every rank's \"address:task_port\", as JSON strings", true},
    PlaceholderInfo{Placeholder::no_proxy, "no_proxy",
                    "the exported no_proxy plus master_addr; not set if no proxy is exported",
                    false},
    PlaceholderInfo{Placeholder::python_path, "python_path",
                    "the directory of muster's start hook for Python, then the exported "
                    "PYTHONPATH; not set with python=off",
                    false},
    PlaceholderInfo{Placeholder::agent_store, "agent_store",
                    "True if muster serves torch's store at master_port (store=agent), False if "
                    "rank 0 does",
                    false},
    PlaceholderInfo{Placeholder::group, "group",
                    "number of this step's group; not set without groups=", true},
    PlaceholderInfo{Placeholder::groups, "groups",
                    "number of groups at the start; not set without groups=", true},
    PlaceholderInfo{Placeholder::lighthouse, "lighthouse",
                    "URL of torchft's lighthouse, which muster runs with groups= unless "
                    "TORCHFT_LIGHTHOUSE is exported",
                    false},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].placeholder) != i) return false;
  }
  return true;
}
static_assert(in_order(), "info() indexes the table by Placeholder");

Placeholder placeholder_named(std::string_view name, std::string_view where) {
  const auto* found = std::ranges::find(table, name, &PlaceholderInfo::name);
  if (found != table.end()) return found->placeholder;
  std::vector<std::string_view> names;
  names.reserve(table.size());
  for (const PlaceholderInfo& known : table) names.push_back(known.name);
  throw Error(fmt::format("{}: unknown placeholder {}; {}", where,
                          text::in_quotes(fmt::format("{{{}}}", name)),
                          text::suggestion(name, names)));
}

Error stray_brace(char brace, std::string_view where) {
  return Error{
      fmt::format("{}: stray '{}': braces enclose a placeholder; write '{}{}' for a literal brace",
                  where, brace, brace, brace)};
}

}  // namespace

std::span<const PlaceholderInfo> placeholders() {
  return table;
}

const PlaceholderInfo& info(Placeholder placeholder) {
  return table.at(static_cast<std::size_t>(placeholder));
}

Template Template::parse(std::string_view text, std::string_view where) {
  Template result;
  std::string literal;
  while (!text.empty()) {
    const char letter = text.front();
    const bool brace = letter == '{' || letter == '}';
    const bool doubled = brace && text.size() > 1 && text[1] == letter;
    if (!brace || doubled) {
      literal += letter;
      text.remove_prefix(doubled ? 2 : 1);
      continue;
    }
    const std::size_t close = text.find('}');
    if (letter == '}' || close == std::string_view::npos) throw stray_brace(letter, where);
    if (!literal.empty()) result.pieces_.emplace_back(std::exchange(literal, {}));
    result.pieces_.emplace_back(placeholder_named(text.substr(1, close - 1), where));
    text.remove_prefix(close + 1);
  }
  if (!literal.empty()) result.pieces_.emplace_back(std::move(literal));
  return result;
}

bool Template::identity() const {
  return std::ranges::any_of(pieces_, [](const auto& piece) {
    const auto* placeholder = std::get_if<Placeholder>(&piece);
    return placeholder != nullptr && info(*placeholder).identity;
  });
}

bool Template::uses(Placeholder placeholder) const {
  return std::ranges::any_of(pieces_, [&](const auto& piece) {
    const auto* used = std::get_if<Placeholder>(&piece);
    return used != nullptr && *used == placeholder;
  });
}

std::optional<PlaceholderValue> Template::expand(const PlaceholderValues& values) const {
  PlaceholderValue result{{}, Origin::profile};
  for (const auto& piece : pieces_) {
    if (const auto* literal = std::get_if<std::string>(&piece)) {
      result.value += *literal;
      continue;
    }
    const auto found = values.find(std::get<Placeholder>(piece));
    if (found == values.end()) return std::nullopt;
    result.value += found->second.value;
    if (result.origin == Origin::profile) result.origin = found->second.origin;
  }
  return result;
}

}  // namespace muster::profile
