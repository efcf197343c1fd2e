#include "worker/tcp/endpoint.hpp"

#include "worker/error.hpp"

#include <charconv>
#include <optional>

#include <sodium.h>

namespace muster::worker::tcp {
namespace {

constexpr int last_port = 65535;

[[noreturn]] void fail(const std::string& text) {
  throw Error{MUSTER_ERR_ENVIRONMENT, text};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || port < 1 || port > last_port) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

void parse_place(std::string_view text, Meeting& meeting) {
  const auto colon = text.rfind(':');
  const auto port =
      colon == std::string_view::npos ? std::nullopt : parse_port(text.substr(colon + 1));
  auto host = text.substr(0, std::min(colon, text.size()));
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const bool bare_v6 = !bracketed && host.find(':') != std::string_view::npos;
  if (!port || host.empty() || bare_v6) {
    fail("MUSTER_EXCHANGE=" + std::string{text.substr(0, 128)} +
         " is no place: write ADDRESS:PORT, or [ADDRESS]:PORT for IPv6");
  }
  meeting.host = host;
  meeting.port = *port;
}

// Never shown, also where it is wrong.
Key parse_key(std::string_view text) {
  Key key{};
  std::size_t bytes = 0;
  const char* end = nullptr;
  const int failed =
      sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &bytes, &end);
  if (failed != 0 || bytes != key.size() || end != text.data() + text.size()) {
    fail(
        "MUSTER_EXCHANGE_KEY is no key of 64 hexadecimal digits: unset or correct it in every "
        "rank");
  }
  return key;
}

// Told apart where no key does it: another job's rank 0 may be at the same place.
std::string job_of(const Environment& environment) {
  const auto run = environment.get("TORCHELASTIC_RUN_ID");
  // Components of a heterogeneous step belong to different jobs.
  const auto whole = environment.get("SLURM_HET_JOB_ID");
  const auto job = whole.empty() ? environment.get("SLURM_JOB_ID") : whole;
  if (!run.empty()) {
    return "run " + std::string{run} + "/" +
           std::string{environment.get("TORCHELASTIC_RESTART_COUNT")};
  }
  if (!job.empty()) {
    return "step " + std::string{job} + "." + std::string{environment.get("SLURM_STEP_ID")};
  }
  return "no job";
}

}  // namespace

std::string Meeting::place() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Meeting meeting_of(const Environment& environment) {
  Meeting meeting;
  if (environment.has("MUSTER_EXCHANGE")) {
    parse_place(environment.get("MUSTER_EXCHANGE"), meeting);
    meeting.source = "MUSTER_EXCHANGE";
  } else {
    const auto port = environment.number("MASTER_PORT", last_port - 1);
    meeting.host = environment.get("MASTER_ADDR");
    if (!port || *port == 0 || meeting.host.empty()) {
      fail(
          "no rank 0 to connect to: neither MUSTER_EXCHANGE nor MASTER_ADDR and MASTER_PORT are "
          "set; start with srun --distributed, or export them to every rank");
    }
    meeting.port = static_cast<std::uint16_t>(*port + 1);
    meeting.source = "MASTER_PORT + 1";
  }
  if (environment.has("MUSTER_EXCHANGE_KEY")) {
    meeting.key = parse_key(environment.get("MUSTER_EXCHANGE_KEY"));
  } else {
    meeting.job = job_of(environment).substr(0, most_name_bytes);
  }
  return meeting;
}

}  // namespace muster::worker::tcp
