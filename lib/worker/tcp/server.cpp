#include "worker/tcp/server.hpp"

#include "worker/error.hpp"
#include "worker/tcp/answer.hpp"
#include "worker/tcp/collect.hpp"
#include "worker/tcp/file_limit.hpp"

#include <utility>

namespace muster::worker::tcp {
Server::Server(Terms terms, std::uint16_t port, const std::string& port_source)
    : terms_(std::move(terms)), connections_(terms_.size) {
  if (terms_.size == 1) return;
  check_file_limit(terms_.size);
  admission_.emplace(terms_, connections_, port, port_source);
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
  std::optional<RaisedFileLimit> raised;
  if (connections_.entered() < connections_.expected()) {
    raised.emplace(terms_.size + max_unauthenticated);
  }
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
    // The ranks will notice that the connection is closed.
  }
}

}  // namespace muster::worker::tcp
