#include "worker/tcp/tcp.hpp"

#include "worker/own_address.hpp"
#include "worker/tcp/client.hpp"
#include "worker/tcp/endpoint.hpp"
#include "worker/tcp/numbering.hpp"
#include "worker/tcp/server.hpp"

#include <map>
#include <optional>
#include <utility>

namespace muster::worker::tcp {
namespace {

class TcpTransport final : public Transport {
 public:
  TcpTransport(Endpoint endpoint, RankInfo info, StepNodes nodes)
      : endpoint_(std::move(endpoint)), info_(std::move(info)) {
    if (info_.rank != 0) {
      client_.emplace(endpoint_, info_);
      return;
    }
    const Terms terms{.key = endpoint_.key.bytes,
                      .size = static_cast<std::uint32_t>(info_.size),
                      .job = endpoint_.job,
                      .node = info_.node,
                      .key_remedy = endpoint_.key.remedy,
                      .nodes = std::move(nodes)};
    server_.emplace(terms, endpoint_.port, endpoint_.source);
  }

  muster_transport kind() const override { return MUSTER_TRANSPORT_TCP; }
  const RankInfo& rank_info() const override { return info_; }

  std::vector<Bytes> exchange(const Phase& phase, std::span<const std::byte> mine,
                              std::span<const int> wanted, const Deadline& deadline) override {
    const auto runs = to_runs(wanted);
    auto answer = server_ ? server_->exchange(phase, mine, runs, deadline)
                          : client_->exchange(phase, mine, runs, deadline);
    if (!answer.neighbours.empty()) neighbours_ = std::move(answer.neighbours);
    nodes_.clear();
    std::vector<Bytes> records;
    records.reserve(wanted.size());
    for (const int rank : wanted) {
      const auto& entry = answer.entries[place_in(runs, rank)];
      nodes_[rank] = entry.node;
      records.push_back(entry.record);
    }
    return records;
  }

  std::vector<int> local_ranks() const override { return neighbours_; }

  std::string node_of(int rank) const override {
    if (rank == info_.rank) return info_.node;
    const auto found = nodes_.find(rank);
    return found == nodes_.end() ? std::string{} : found->second;
  }

  void abort(int code, const std::string& reason, const Deadline& deadline) override {
    if (client_) return client_->abort(code, reason, deadline);
    server_->fail_all(MUSTER_ERR_PEER, "rank 0 (" + info_.node + ") has aborted the step: " +
                                           (reason.empty() ? "no reason given" : reason));
  }

  void finalize(const Deadline& /*deadline*/) override {
    if (client_) client_->leave();
    server_.reset();
  }

 private:
  Endpoint endpoint_;
  RankInfo info_;
  std::optional<Server> server_;  // on rank 0
  std::optional<Client> client_;  // on all other ranks
  std::vector<int> neighbours_;
  std::map<int, std::string> nodes_;  // for the ranks that the last exchange read
};

}  // namespace

std::unique_ptr<Transport> make_tcp_transport(const Environment& environment,
                                              muster_numbering numbering,
                                              const Deadline& /*deadline*/) {
  auto info = rank_info_of(environment, numbering);
  info.address = own_address(environment);
  const auto no_secret = [](const std::string&) { return secret::Key{}; };
  const bool alone = info.size == 1;
  auto endpoint =
      alone ? endpoint_of(environment, no_secret) : endpoint_of(environment, user_secret);
  return std::make_unique<TcpTransport>(std::move(endpoint), std::move(info),
                                        step_nodes(environment));
}

}  // namespace muster::worker::tcp
