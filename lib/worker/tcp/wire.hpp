// The messages between rank 0 and the other ranks. Encoding and decoding only, no sockets.
//
//   rank r -> rank 0   greeting  a nonce
//   rank 0 -> rank r   reply     its nonce, the step's size and job, its node, its proof
//   rank r -> rank 0   hello     rank, size, job, node, its proof
//
// and from then on, in each phase
//
//   rank r -> rank 0   give      its record, and which others it wants to read
//   rank 0 -> rank r   answer    these records; in the first, also the ranks of its node
//
// or, instead of these, a frame that ends the conversation: bye (a rank leaves), abort (a rank ends the
// step), failure (rank 0 says why the step cannot continue).
//
// Rank 0 sends nothing before it has received a greeting, and a rank gives nothing to a peer that
// has not proved to be rank 0. Each frame is followed by its tag (proof.hpp). The tag of an answer
// covers a digest instead of the records, because rank 0 sends each record to many ranks.
#pragma once

#include "worker/tcp/bytes.hpp"
#include "worker/tcp/proof.hpp"
#include "worker/tcp/runs.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::worker::tcp {

inline constexpr std::uint16_t wire_format = 3;

inline constexpr std::size_t max_record_bytes = MUSTER_MAX_BLOB + 4096;
inline constexpr std::size_t max_text_bytes = 2048;

// ------------------------------------------------------------ before the first frame

inline constexpr std::size_t greeting_bytes = 40;
inline constexpr std::size_t reply_head_bytes = 40 + proof_bytes;  // then the rest of the reply
inline constexpr std::size_t hello_head_bytes = 2 + proof_bytes;   // then the rest of the hello
inline constexpr std::size_t max_introduction_bytes = 2 * (max_name_bytes + 1) + 8;

Bytes greeting(const Nonce& nonce);
// Throws Garbled for bytes that no muster sends; `format` may be that of a different release.
struct Greeting {
  std::uint16_t format = 0;
  Nonce nonce{};
};
Greeting parse_greeting(View bytes);

// What either end says about itself, covered by its proof.
struct Introduction {
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::string job;  // the job's name, unless the key identifies the job
  std::string node;
};
Bytes to_bytes(const Introduction& introduction);
Introduction parse_introduction(View bytes);

Bytes reply(const Nonce& nonce, const Proof& proof, View introduction);
struct ReplyHead {
  std::uint16_t format = 0;
  std::size_t rest = 0;
  Nonce nonce{};
  Proof proof{};
};
ReplyHead parse_reply_head(View bytes);

Bytes hello(const Proof& proof, View introduction);
struct HelloHead {
  std::size_t rest = 0;
  Proof proof{};
};
HelloHead parse_hello_head(View bytes);

// ------------------------------------------------------------ frames

enum class Kind : std::uint8_t { give = 1, bye = 2, abort = 3, answer = 4, failure = 5 };

inline constexpr std::size_t head_bytes = 16;

// give: `count` bytes of record, `more` runs. answer: `count` records, `more` ranks of the node.
// abort, failure: `count` bytes of text, `more` the exit code or the status.
struct Head {
  Kind kind = Kind::bye;
  std::uint32_t phase = 0;
  std::uint32_t count = 0;
  std::uint32_t more = 0;
};
Bytes to_bytes(const Head& head);
Head parse_head(View bytes);

// Follows the head of a `give` frame: the milliseconds that the rank will wait, the runs, the record.
inline constexpr std::size_t left_bytes = 4;
inline constexpr std::size_t run_bytes = 8;
std::size_t max_runs(std::uint32_t size);
Bytes give(std::uint32_t phase, std::uint32_t left_ms, const Runs& wanted, View record);
struct GiveRest {
  std::uint32_t left_ms = 0;
  Runs wanted;
};
// Throws Garbled unless the runs are ascending ranks of a step of this size.
GiveRest parse_give_rest(View bytes, std::uint32_t size);

// Precedes each record of an answer: its length, and its rank's node.
Bytes entry_head(std::size_t record_bytes, std::string_view node);

// Represents the entries of an answer in its tag: the digest of all entries' digests, in order.
class EntryDigests {
 public:
  void add(const secret::Digest& entry) { all_.raw(entry); }
  secret::Digest whole() { return secret::digest({all_.take()}); }

 private:
  Writer all_;
};

// What a rank has read from another rank.
struct Entry {
  Bytes record;
  std::string node;
};
// What a rank gets from one phase.
struct Answer {
  std::vector<Entry> entries;   // for the wanted ranks, ascending
  std::vector<int> neighbours;  // the ranks on this node; only in the first answer
};

// Truncates the text at max_text_bytes and makes it one line.
Bytes with_text(Kind kind, std::uint32_t phase, std::uint32_t more, std::string text);

}  // namespace muster::worker::tcp
