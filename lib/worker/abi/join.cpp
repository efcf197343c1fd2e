#include "worker/abi/join.hpp"

#include "worker/error.hpp"
#include "worker/pmix/pmix.hpp"
#include "worker/single.hpp"
#include "worker/tcp/tcp.hpp"
#include "worker/transport_choice.hpp"

#include <array>

#include <unistd.h>

namespace muster::worker::abi {
namespace {

constexpr std::chrono::seconds standard_timeout{300};
constexpr int max_timeout_s = 24 * 60 * 60;

std::chrono::milliseconds timeout_of(const Environment& environment, int asked_ms) {
  const auto seconds = environment.number("MUSTER_TIMEOUT", max_timeout_s);
  return checked_timeout(asked_ms,
                         std::chrono::seconds{seconds.value_or(standard_timeout.count())});
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

RankInfo alone(const Environment& environment) {
  RankInfo info;
  const auto node = environment.get("SLURMD_NODENAME");
  info.node = node.empty() ? host_name() : std::string{node};
  info.procid = environment.number("SLURM_PROCID", max_size).value_or(0);
  info.address = "127.0.0.1";
  return info;
}

std::unique_ptr<Transport> make_transport(const Environment& environment,
                                          const muster_options& options, const Deadline& deadline) {
  const auto choice =
      choose_transport(environment, static_cast<muster_transport>(options.transport));
  switch (choice.transport) {
    case MUSTER_TRANSPORT_PMIX:
      return pmix::make_pmix_transport(environment,
                                       static_cast<muster_numbering>(options.numbering), deadline);
    case MUSTER_TRANSPORT_TCP:
      return tcp::make_tcp_transport(environment, static_cast<muster_numbering>(options.numbering),
                                     deadline);
    default:
      return make_single_transport(alone(environment));
  }
}

void check(const muster_options& options) {
  if (options.transport < MUSTER_TRANSPORT_AUTO || options.transport > MUSTER_TRANSPORT_SINGLE) {
    throw Error{MUSTER_ERR_ARGUMENT, "options.transport is " + std::to_string(options.transport) +
                                         ": use one of MUSTER_TRANSPORT_*"};
  }
  if (options.numbering < MUSTER_RANKS_AUTO || options.numbering > MUSTER_RANKS_CONTIGUOUS) {
    throw Error{MUSTER_ERR_ARGUMENT, "options.numbering is " + std::to_string(options.numbering) +
                                         ": use one of MUSTER_RANKS_*"};
  }
}

// Shared by all steps that this process joins, one after another.
Times& times_of_process(const Environment& environment) {
  static Times times{environment};
  return times;
}

std::string_view name_of(muster_transport transport) {
  if (transport == MUSTER_TRANSPORT_PMIX) return "pmix";
  return transport == MUSTER_TRANSPORT_TCP ? "tcp" : "single";
}

}  // namespace

std::unique_ptr<Step> join(const Environment& environment, const muster_options& options) {
  check(options);
  const auto timeout = timeout_of(environment, options.timeout_ms);
  const Deadline deadline{timeout};
  auto& times = times_of_process(environment);
  auto transport = times.phase(Times::Kind::own, "join",
                               [&] { return make_transport(environment, options, deadline); });
  times.joined(name_of(transport->kind()), transport->rank_info().node);
  return std::make_unique<Step>(std::move(transport), timeout, &times);
}

}  // namespace muster::worker::abi
