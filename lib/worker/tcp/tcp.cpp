#include "worker/tcp/tcp.hpp"

#include "worker/own_address.hpp"
#include "worker/tcp/client.hpp"
#include "worker/tcp/endpoint.hpp"
#include "worker/tcp/numbering.hpp"
#include "worker/tcp/server.hpp"

#include <map>
#include <optional>
#include <utility>

namespace muster::worker {
namespace {

class TcpTransport final : public Transport {
 public:
  TcpTransport(tcp::Meeting meeting, Place place, tcp::StepNodes nodes)
      : meeting_(std::move(meeting)), place_(std::move(place)) {
    if (place_.rank != 0) {
      guest_.emplace(meeting_, place_);
      return;
    }
    const tcp::Terms terms{.key = meeting_.key,
                           .size = static_cast<std::uint32_t>(place_.size),
                           .job = meeting_.job,
                           .node = place_.node,
                           .nodes = std::move(nodes)};
    host_.emplace(terms, meeting_.port, meeting_.source);
  }

  muster_transport kind() const override { return MUSTER_TRANSPORT_TCP; }
  const Place& place() const override { return place_; }

  std::vector<Bytes> exchange(const Phase& phase, std::span<const std::byte> mine,
                              std::span<const int> wanted, const Deadline& deadline) override {
    const auto runs = tcp::to_runs(wanted);
    auto answer = host_ ? host_->exchange(phase, mine, runs, deadline)
                        : guest_->exchange(phase, mine, runs, deadline);
    if (!answer.neighbours.empty()) neighbours_ = std::move(answer.neighbours);
    nodes_.clear();
    std::vector<Bytes> records;
    records.reserve(wanted.size());
    for (const int rank : wanted) {
      const auto& entry = answer.entries[tcp::place_in(runs, rank)];
      nodes_[rank] = entry.node;
      records.push_back(entry.record);
    }
    return records;
  }

  std::vector<int> local_ranks() const override { return neighbours_; }

  std::string node_of(int rank) const override {
    if (rank == place_.rank) return place_.node;
    const auto found = nodes_.find(rank);
    return found == nodes_.end() ? std::string{} : found->second;
  }

  void abort(int code, const std::string& reason, const Deadline& deadline) override {
    if (guest_) return guest_->abort(code, reason, deadline);
    host_->fail_all(MUSTER_ERR_PEER, "rank 0 (" + place_.node + ") has aborted the step: " +
                                         (reason.empty() ? "no reason given" : reason));
  }

  void finalize(const Deadline& /*deadline*/) override {
    if (guest_) guest_->leave();
    host_.reset();
  }

 private:
  tcp::Meeting meeting_;
  Place place_;
  std::optional<tcp::Host> host_;    // on rank 0
  std::optional<tcp::Guest> guest_;  // on the others
  std::vector<int> neighbours_;
  std::map<int, std::string> nodes_;  // of the ranks that the last exchange has read
};

}  // namespace

std::unique_ptr<Transport> make_tcp_transport(const Environment& environment,
                                              muster_numbering numbering,
                                              const Deadline& /*deadline*/) {
  auto place = tcp::place_of(environment, numbering);
  place.address = own_address(environment);
  return std::make_unique<TcpTransport>(tcp::meeting_of(environment), std::move(place),
                                        tcp::step_nodes(environment));
}

}  // namespace muster::worker
