#include "launcher/agent/node/variable_script.hpp"

#include "core/error.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/topology/cache/cache.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace muster::node {
namespace {

using topology::cache::CacheKey;
using topology::cache::TopologyCache;

constexpr std::size_t max_output = std::size_t{1} << 16;

// The script's output is discarded. If the script exits the shell, the final word is missing. Shell options
// and functions that it sets cannot keep env from running.
constexpr const char* program =
    "exec 3>&1 >/dev/null 2>&1\n"
    ". \"$1\"\n"
    "/usr/bin/env -0 >&3 && printf 'complete\\0' >&3\n";
constexpr std::string_view last_word("complete\0", 9);

std::vector<std::string> short_environment(const Environment& job, const Environment& given) {
  std::vector<std::string> words{
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"};
  for (const auto* const name : {"HOME", "USER", "LOGNAME"}) {
    if (const auto* const value = job.if_set(name))
      words.push_back(fmt::format("{}={}", name, *value));
  }
  for (const auto& [name, value] : given) words.push_back(fmt::format("{}={}", name, value));
  return words;
}

// Each entry is "NAME=VALUE"; leaves out the variables that the shell was given.
Environment parse(std::string_view output, const std::vector<std::string>& given) {
  Environment exported;
  for (const auto entry : text::split(output, '\0')) {
    if (std::ranges::count(given, entry) == 0) exported.add_entry(entry);
  }
  return exported;
}

ScriptResult failure(std::string why) {
  return {std::nullopt, std::move(why)};
}

// Empty, or why the script must not be run.
std::string objection(const ScriptQuestion& question) {
  try {
    if (read_trusted_file(question.script, question.trust)) return {};
  } catch (const Error& error) {
    return error.what();
  }
  return fmt::format("{}: there is no such file on this node; install it, or add 'exists: {}'",
                     text::printable_path(question.script), text::printable_path(question.script));
}

std::optional<CacheKey> key_of(const std::string& script,
                               const std::vector<std::string>& environment) {
  auto key = topology::cache::file_key(script, "/");
  if (key) key->text += fmt::format("exports of this script in {}\n", text::join(environment, " "));
  return key;
}

// What the shell wrote to both streams; no value, but the reason, if it did not finish.
std::optional<std::string> source(const ScriptQuestion& question,
                                  const std::vector<std::string>& environment, std::string& why) {
  auto result = os::run_command(
      {"/bin/bash", "--noprofile", "--norc", "-c", program, "muster", question.script},
      {.timeout = question.timeout,
       .max_bytes = max_output,
       .whole_group = true,
       .environment = &environment});
  const auto script = text::printable_path(question.script);
  if (result.output.size() >= max_output) {
    why = fmt::format("{}: exports more than {} bytes; fix the script", script, max_output);
  } else if (!result.in_time) {
    why = fmt::format("{}: did not finish within {} s; fix the script", script,
                      std::chrono::duration<double>(question.timeout).count());
  } else if (!result.output.ends_with(last_word)) {
    why = fmt::format("{}: exits the shell, or is not a bash script; fix the script", script);
  } else {
    result.output.resize(result.output.size() - last_word.size());
    return std::move(result.output);
  }
  return std::nullopt;
}

}  // namespace

ScriptResult exported_by(const ScriptQuestion& question) {
  if (auto why = objection(question); !why.empty()) return failure(std::move(why));
  const auto environment = short_environment(question.environment, question.given);
  TopologyCache cache(question.cache);
  const auto key = key_of(question.script, environment);
  if (key) {
    if (const auto kept = cache.load_text(*key)) return {parse(*kept, environment)};
  }
  std::string why;
  const auto output = source(question, environment, why);
  if (!output) return failure(std::move(why));
  if (key) cache.save_text(*key, *output);
  return {parse(*output, environment)};
}

}  // namespace muster::node
