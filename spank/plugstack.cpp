#include "spank/plugstack.hpp"

#include "spank/defaults.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

namespace muster::spank {
namespace {

constexpr int max_timeout = 3600;

std::string set(Plugstack& line, std::string_view key, std::string_view value) {
  if (key == "muster" && !value.empty()) {
    line.muster = value;
  } else if (key == "config" && !value.empty()) {
    line.config = value;
  } else if (key == "timeout") {
    int seconds = 0;
    const auto* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, seconds);
    if (error != std::errc{} || stop != end || seconds < 1 || seconds > max_timeout) {
      return "timeout takes a whole number of seconds from 1 to 3600";
    }
    line.timeout = std::chrono::seconds{seconds};
  } else if (key == "config_required" && value.empty()) {
    line.config_required = true;
  } else if (key == "trust_any_owner" && value.empty()) {
    line.trust_any_owner = true;
  } else {
    return "valid arguments are muster=PATH, config=PATH, timeout=SECONDS";
  }
  return {};
}

// For slurmd's log, where a message is a single line.
std::string printable(std::string_view word) {
  std::string text(word);
  std::replace_if(
      text.begin(), text.end(),
      [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f'; },
      '?');
  return text;
}

}  // namespace

Plugstack parse_plugstack(const std::vector<std::string>& words) {
  Plugstack line{.muster = default_program, .config = default_config, .error = {}};
  for (const std::string_view word : words) {
    const auto equals = std::min(word.find('='), word.size());
    const auto value = word.substr(std::min(equals + 1, word.size()));
    if (auto why = set(line, word.substr(0, equals), value); !why.empty()) {
      line.error = "bad argument '" + printable(word) +
                   "' of muster.so in plugstack.conf: " + std::move(why);
      break;
    }
  }
  return line;
}

std::string agent_program(const Plugstack& line) {
  return line.muster + "-agent";
}

std::string untrusted_program(const std::string& path, bool trust_any_owner) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) {
    return "cannot use " + path + ": " + std::strerror(errno) +
           "; install muster on this node or set muster=PATH in plugstack.conf";
  }
  if (!S_ISREG(file.st_mode) || access(path.c_str(), X_OK) != 0) {
    return path + " is not a program; set muster=PATH in plugstack.conf";
  }
  const bool trusted = file.st_uid == 0 && (file.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (!trusted && !trust_any_owner) {
    return path +
           " must be owned by root, and only root may write to it; "
           "run chown root and chmod go-w on it";
  }
  return {};
}

std::string untrusted_agent(const std::string& path, bool trust_any_owner) {
  auto why = untrusted_program(path, trust_any_owner);
  if (!why.empty() || trust_any_owner) return why;
  struct stat file {};
  if (stat(path.c_str(), &file) == 0 && (file.st_mode & (S_IRGRP | S_IROTH)) == 0) return {};
  return path +
         " can be read by its users, who could then trace a running agent; run chmod 711 on it";
}

}  // namespace muster::spank
