// Rank 0: hears every rank, and gives each what it wants. Works inside rank 0's own calls only, by
// one loop over sockets that never block; between calls they just stay connected.
//
// Memory in one phase: the records of all ranks, and 8 bytes for each run of ranks that a rank
// wants; answers are sent out of the records themselves. Between phases: a few hundred bytes for
// each connection.
//
// Whoever connects and proves nothing costs a socket for a while: at most `most_strangers` at once,
// and each for a bounded time.
#pragma once

#include "worker/tcp/client.hpp"
#include "worker/tcp/missing.hpp"
#include "worker/tcp/session.hpp"
#include "worker/tcp/socket.hpp"
#include "worker/transport.hpp"

#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace muster::worker::tcp {

inline constexpr std::size_t most_strangers = 256;
inline constexpr std::chrono::milliseconds stranger_time{10'000};
// One that still waits after this may have to go for another.
inline constexpr std::chrono::milliseconds stranger_patience{2000};
// One that has greeted knows the protocol, and may be slow.
inline constexpr std::chrono::milliseconds greeted_time{60'000};

class Host {
 public:
  // Listens from now on. Throws Error.
  Host(Terms terms, std::uint16_t port, const std::string& port_source);

  // Throws Error.
  Answer exchange(const Phase& phase, View mine, const Runs& wanted, const Deadline& deadline);

  // Tells everybody who is connected why there will be no answer any more.
  void fail_all(muster_status status, const std::string& why) noexcept;

 private:
  using Time = Deadline::Clock::time_point;

  // One connection.
  struct Visitor {
    Visitor(Socket&& its, const Terms& terms, Time now)
        : socket(std::move(its)), conversation(terms), came(now) {}

    Socket socket;
    Conversation conversation;
    Time came;
    int rank = -1;  // once proved
    std::string node;
    bool left = false;  // in order
    bool greeted = false;
    bool knows_node = false;  // has been told the ranks of its node
    std::optional<Gave> given;
    // How far its answer has got: bytes of `head`, then of entries.
    Bytes head;
    std::size_t sent = 0;
    std::size_t run = 0;
    std::uint32_t next = 0;
  };

  void collect(const Phase& phase, const Deadline& deadline);
  void look(const Phase& phase, const Deadline& deadline, Time until);
  void accept_some();
  bool make_room();
  void drop_late_strangers(Time now);
  void turn_away(Visitor& visitor, const std::string& why);
  void forget(int fd);
  void hear(int fd, const Phase& phase, const Deadline& deadline);
  void greet(Visitor& visitor, View reply);
  void tell_failure(Visitor& visitor);
  void tell_late_ones(const Phase& phase, const Deadline& deadline) noexcept;
  void handle(Visitor& visitor, Event event, const Phase& phase, const Deadline& deadline);
  void arrived(Visitor& visitor, Introduction who, const Phase& phase);
  void lost(Visitor& visitor, const std::string& why, const Phase& phase, const Deadline& deadline);
  [[noreturn]] void fail_late(const Phase& phase, const Deadline& deadline);
  std::vector<AbsentRank> absent() const;
  std::size_t expected() const { return terms_.size - 1; }

  void answer_all(const Phase& phase, const Deadline& deadline);
  void start_answer(Visitor& visitor, const Phase& phase);
  enum class Sending : std::uint8_t { done, later, gone };
  Sending send_more(Visitor& visitor);
  void send_rest(std::vector<Visitor*> slow, const Phase& phase, const Deadline& deadline);
  Answer own_answer(const Runs& wanted);
  void group_by_node();
  void close_door();

  Terms terms_;
  Socket listener_;
  Socket poller_;
  std::unordered_map<int, std::unique_ptr<Visitor>> visitors_;  // by descriptor
  std::list<int> strangers_;                                    // those without proof, oldest first
  std::vector<Visitor*> ranks_;                                 // by rank; of rank 0 none
  std::size_t here_ = 0;  // ranks that have given in this phase
  std::size_t proved_ = 0;
  std::string stranger_note_;    // what was wrong with the last who was none of ours
  std::size_t turned_away_ = 0;  // how many there were
  Time give_up_{};               // when somebody's time is up
  std::vector<Bytes> entries_;   // by rank: what an answer has of it
  std::unordered_map<std::string, std::vector<int>> nodes_;  // while somebody has to be told
  Bytes failure_;                // once there is one: what every rank is told
  Time listener_rests_until_{};  // out of descriptors
};

// A socket for each rank, and some for strangers and for the program itself: raises the soft limit
// to the hard one if it must. Throws Error.
void allow_sockets(std::uint32_t ranks);

}  // namespace muster::worker::tcp
