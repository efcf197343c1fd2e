// Rank 0 answers every rank in one phase.
//
// Memory: all ranks' records plus 32 bytes each, and 8 bytes for each run of ranks that a rank wants. Answers
// are sent directly from the records.
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

  // Returns when every rank has received its answer or is gone; the next phase notices a rank that is gone.
  // Throws Error.
  void send_all(const Phase& phase, const Deadline& deadline);

  // Rank 0's own answer.
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
  std::vector<Bytes> entries_;           // by rank: its entry in an answer
  std::vector<secret::Digest> digests_;  // the entries' digests
  std::optional<secret::Digest> last_digest_;
  Runs last_wanted_;  // the ranks for which `last_digest_` was computed
  // Ranks by node, for a phase in which some rank has yet to receive the ranks on its node.
  std::unordered_map<std::string, std::vector<int>> nodes_;
};

}  // namespace muster::worker::tcp
