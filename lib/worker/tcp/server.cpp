#include "worker/tcp/server.hpp"

#include "worker/error.hpp"
#include "worker/tcp/answer.hpp"
#include "worker/tcp/collect.hpp"

#include <utility>

#include <sys/resource.h>

namespace muster::worker::tcp {
namespace {

constexpr std::size_t own_files = 256;

std::uint32_t with_sockets(std::uint32_t ranks) {
  if (ranks > 1) allow_sockets(ranks);
  return ranks;
}

}  // namespace

void allow_sockets(std::uint32_t ranks) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t needed = rlim_t{ranks} + max_unauthenticated + own_files;
  if (limit.rlim_cur >= needed) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  // A few less may do, but for the ranks themselves.
  if (limit.rlim_max > ranks) return;
  throw Error{MUSTER_ERR_TRANSPORT,
              "rank 0 needs a socket for each of " + std::to_string(ranks) +
                  " ranks and may open " + std::to_string(limit.rlim_max) +
                  " files: raise its hard limit (ulimit -Hn), or use PMIx (srun --mpi=pmix)"};
}

Server::Server(Terms terms, std::uint16_t port, const std::string& port_source)
    : terms_(std::move(terms)), connections_(with_sockets(terms_.size)) {
  if (terms_.size > 1) admission_.emplace(terms_, connections_, port, port_source);
}

Answer Server::exchange(const Phase& phase, View mine, const Runs& wanted,
                        const Deadline& deadline) {
  if (admission_) collect(phase, deadline);
  Answers answers{terms_, connections_, mine};
  try {
    answers.send_all(phase, deadline);
  } catch (const Error& error) {
    fail_all(error.status(), error.what());
    throw;
  }
  return answers.own(wanted);
}

void Server::collect(const Phase& phase, const Deadline& deadline) {
  Collection collection{terms_, connections_, *admission_, phase, deadline};
  try {
    collection.collect();
    if (connections_.entered() == connections_.expected()) admission_->close();
  } catch (const Error& error) {
    fail_all(error.status(), error.what());
    collection.tell_latecomers(failure_);
    admission_->close();
    throw;
  }
}

void Server::fail_all(muster_status status, const std::string& why) noexcept {
  try {
    failure_ = with_text(Kind::failure, 0, static_cast<std::uint32_t>(status), why);
    connections_.send_to_ranks(failure_);
  } catch (const std::exception&) {
    // The ranks will see the connection end.
  }
}

}  // namespace muster::worker::tcp
