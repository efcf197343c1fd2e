// A rank that speaks the protocol piece by piece, and incorrectly where a test wants that.
#pragma once

#include "loopback_ranks.hpp"
#include "worker/tcp/endpoint.hpp"
#include "worker/tcp/reader.hpp"
#include "worker/tcp/server.hpp"

#include <optional>

namespace muster::worker::tcp {

class HandMadeRank {
 public:
  HandMadeRank(const LoopbackRanks& ranks, int rank);

  // Until rank 0 accepts it as a rank of the step.
  void introduce();
  // A record, or only that many bytes of the frame.
  void give(std::uint32_t phase, const std::string& record, std::size_t bytes = SIZE_MAX,
            const Runs& wanted = {});
  void send_raw(View bytes);
  // With its tag.
  void send_frame(View frame);

  const Bytes& all_sent() const { return sent_; }
  Socket connect_again() const;

 private:
  Bytes sealed(View frame);

  const LoopbackRanks& ranks_;
  std::uint32_t rank_;
  Endpoint endpoint_;
  Socket socket_;
  std::optional<secret::Seal> seal_;
  Bytes sent_;
};

}  // namespace muster::worker::tcp
