// Rank 0 answers every rank in one phase.
//
// Memory: the records of all ranks, 32 bytes for each, and 8 bytes for each run of ranks that a rank
// wants; answers are sent out of the records themselves.
#pragma once

#include "worker/tcp/connections.hpp"
#include "worker/transport.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace muster::worker::tcp {

class Answers {
 public:
  // Takes over what each rank has contributed; `mine` is rank 0's record.
  Answers(const Terms& terms, Connections& connections, View mine);

  // Returns when every rank has its answer, or is gone: then the next phase misses it. Throws
  // Error.
  void send_all(const Phase& phase, const Deadline& deadline);

  // Rank 0's own.
  Answer own(const Runs& wanted) const;

 private:
  enum class Sending : std::uint8_t { done, later, gone };

  void group_by_node();
  const secret::Digest& digest_of_entries(const Runs& wanted);
  void start(Connection& connection, const Phase& phase);
  Sending send_more(Connection& connection);
  std::size_t gather_parts(Connection& connection, std::span<iovec> parts);
  void advance(Connection& connection, std::span<const iovec> parts, std::size_t sent);
  void send_rest(std::vector<Connection*> slow, const Phase& phase, const Deadline& deadline);

  const Terms& terms_;
  Connections& connections_;
  std::vector<Bytes> entries_;           // by rank: what an answer has of it
  std::vector<secret::Digest> digests_;  // of the entries
  std::optional<secret::Digest> last_digest_;
  Runs last_wanted_;  // which it is of
  // Ranks by node, in phases in which a rank has yet to receive those of its node.
  std::unordered_map<std::string, std::vector<int>> nodes_;
};

}  // namespace muster::worker::tcp
