#include "worker/tcp/endpoint.hpp"

#include "worker/error.hpp"

#include <charconv>
#include <optional>

namespace muster::worker::tcp {
namespace {

constexpr int max_port = 65535;

[[noreturn]] void fail(const std::string& text) {
  throw Error{MUSTER_ERR_ENVIRONMENT, text};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || port < 1 || port > max_port) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

void parse_exchange(std::string_view text, Endpoint& endpoint) {
  const auto colon = text.rfind(':');
  const auto port =
      colon == std::string_view::npos ? std::nullopt : parse_port(text.substr(colon + 1));
  auto host = text.substr(0, std::min(colon, text.size()));
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const bool bare_v6 = !bracketed && host.find(':') != std::string_view::npos;
  if (!port || host.empty() || bare_v6) {
    fail("MUSTER_EXCHANGE=" + std::string{text.substr(0, 128)} +
         " is not an address and a port: write ADDRESS:PORT, or [ADDRESS]:PORT for IPv6");
  }
  endpoint.host = host;
  endpoint.port = *port;
}

// Sets host and port. Returns the text that distinguishes this step's key from those of the user's other
// steps.
std::string add_place(Endpoint& endpoint, const Environment& environment) {
  if (environment.has("MUSTER_EXCHANGE")) {
    parse_exchange(environment.get("MUSTER_EXCHANGE"), endpoint);
    endpoint.source = "MUSTER_EXCHANGE";
    return std::string{environment.get("MUSTER_EXCHANGE")};
  }
  const auto port = environment.number("MASTER_PORT", max_port - 1);
  endpoint.host = environment.get("MASTER_ADDR");
  if (!port || *port == 0 || endpoint.host.empty()) {
    fail(
        "no rank 0 to connect to: neither MUSTER_EXCHANGE nor MASTER_ADDR and MASTER_PORT are "
        "set; start with srun --distributed, or export them to every rank");
  }
  endpoint.port = static_cast<std::uint16_t>(*port + 1);
  endpoint.source = "MASTER_PORT + 1";
  return endpoint.host + ":" + std::string{environment.get("MASTER_PORT")};
}

// The text of the key appears in no message, not even if the key is malformed.
Key parse_key(std::string_view text) {
  const auto key = secret::key_from_hex(text);
  if (key) return *key;
  fail(
      "MUSTER_EXCHANGE_KEY does not consist of 64 hexadecimal digits: unset or correct it on "
      "every rank");
}

// Tells jobs apart if the key does not, because another job's rank 0 may listen at the same address.
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

StepKey key_of(const Environment& environment, const std::string& context,
               const ReadSecret& read_secret) {
  if (environment.has("MUSTER_EXCHANGE_KEY")) {
    return {parse_key(environment.get("MUSTER_EXCHANGE_KEY")),
            "set the same MUSTER_EXCHANGE_KEY on all ranks"};
  }
  if (environment.is_set("MUSTER_EXCHANGE_KEY")) {
    return {
        {},
        "on this rank, MUSTER_EXCHANGE_KEY is empty, which means no key: set it to the same value on all "
        "ranks"};
  }
  const auto path = secret::user_secret_path(
      [&](const char* name) { return std::string{environment.get(name)}; });
  return {derived_key(read_secret(path), context),
          "this rank's key comes from " + path + " and " + context +
              ": copy this file to every node, or set MUSTER_SECRET_FILE or MUSTER_EXCHANGE_KEY "
              "to the same value on all ranks"};
}

}  // namespace

std::string Endpoint::text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

secret::Key user_secret(const std::string& path) {
  try {
    return secret::user_secret(path);
  } catch (const secret::Error& error) {
    fail(std::string{"no key for the exchange between the ranks: "} + error.what() +
         ", or set MUSTER_EXCHANGE_KEY to the same 64 hexadecimal digits on all ranks (set but "
         "empty: no key)");
  }
}

Key derived_key(const secret::Key& secret, std::string_view context) {
  return secret::derive_key(secret, {"exchange of a user", context});
}

Endpoint endpoint_of(const Environment& environment, const ReadSecret& read_secret) {
  Endpoint endpoint;
  const auto context = add_place(endpoint, environment);
  endpoint.key = key_of(environment, context, read_secret);
  // Only the launcher's key is unique to one step.
  if (!environment.has("MUSTER_EXCHANGE_KEY")) {
    endpoint.job = job_of(environment).substr(0, max_name_bytes);
  }
  return endpoint;
}

}  // namespace muster::worker::tcp
