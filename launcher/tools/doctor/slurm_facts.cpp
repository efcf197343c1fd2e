// Slurm's release and configuration, and how it loads the plugin.
#include "core/contains.hpp"
#include "core/doctor/elf_machine.hpp"
#include "core/text/list.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/os/small_file.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <algorithm>
#include <array>

#include <glob.h>

namespace muster::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds slurm_timeout{3000};
constexpr std::size_t max_plugstack = 65536;
constexpr int max_includes = 4;
constexpr std::size_t max_plugin = std::size_t{8} << 20;

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line.substr(0, line.find('#'))) {
    if (c != ' ' && c != '\t' && c != '\r') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

// False if there is no Slurm, as in many containers.
bool add_release(const Surroundings& surroundings, Facts& facts) {
  const auto result = os::run_command({"sinfo", "--version"},
                                      {.timeout = time_for_child(surroundings, slurm_timeout)});
  if (!result.succeeded) return !result.output.empty();
  const auto words = words_of(std::string_view(result.output).substr(0, result.output.find('\n')));
  if (words.size() >= 2) facts.set("release", words.back());
  return true;
}

void add_configuration(const Surroundings& surroundings, Facts& facts) {
  constexpr std::array<std::string_view, 18> names{"AuthInfo",
                                                   "AuthType",
                                                   "CgroupJobIdPaths",
                                                   "CgroupPlugin",
                                                   "MpiDefault",
                                                   "JobContainerType",
                                                   "MpiParams",
                                                   "NamespaceType",
                                                   "PlugStackConfig",
                                                   "PluginDir",
                                                   "PrivateData",
                                                   "SelectTypeParameters",
                                                   "SlurmctldParameters",
                                                   "SrunPortRange",
                                                   "TLSType",
                                                   "TaskPlugin",
                                                   "TopologyPlugin",
                                                   "SLURM_CONF"};
  const auto answer = slurm::ask_config(time_for_child(surroundings, slurm_timeout));
  if (!answer.config) {
    facts.set("controller", answer.failure.empty() ? "no answer" : answer.failure);
    return;
  }
  facts.set("controller", "answers");
  for (const auto name : names) {
    const auto words = words_of(answer.config->value(name));
    if (!words.empty()) facts.set("slurm." + std::string(name), words.front());
  }
}

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> files;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return files;
}

// The words of the line that loads muster.so.
std::vector<std::string> plugin_line(const Surroundings& surroundings, const fs::path& file,
                                     int depth) {
  const auto text = os::small_file(file, max_plugstack);
  for (const auto line : text::split(text, '\n')) {
    auto words = words_of(line);
    if (words.size() < 2) continue;
    if (fs::path(words[1]).filename() == "muster.so") return words;
    if (words[0] != "include" || depth >= max_includes) continue;
    const fs::path pattern(words[1]);
    const auto place =
        pattern.is_absolute() ? below(surroundings, pattern) : file.parent_path() / pattern;
    for (const auto& included : matches(place)) {
      if (auto found = plugin_line(surroundings, included, depth + 1); !found.empty()) return found;
    }
  }
  return {};
}

// The Slurm release for which a muster.so was built, as embedded by spank/plugin.cpp.
std::string built_for(std::string_view plugin) {
  constexpr std::string_view word = "muster.so for Slurm ";
  constexpr std::size_t max_version = 32;
  const auto at = plugin.find(word);
  if (at == plugin.npos) return {};
  const auto version = plugin.substr(at + word.size(), max_version);
  return std::string(version.substr(0, version.find('\0')));
}

fs::path plugstack(const Surroundings& surroundings, const Facts& facts) {
  std::error_code unknown;
  const auto& conf = surroundings.environment.get("SLURM_CONF");
  const auto beside = [](const std::string& file) {
    return file.empty() ? fs::path() : fs::path(file).parent_path() / "plugstack.conf";
  };
  // Slurm prints "(null)" for the default. With configless Slurm, the copy is in /run/slurm/conf.
  for (const auto& path :
       {fs::path(surroundings.plugstack), fs::path(facts.text("slurm.PlugStackConfig")),
        beside(conf), beside(facts.text("slurm.SLURM_CONF")),
        fs::path("/run/slurm/conf/plugstack.conf")}) {
    if (!path.empty() && fs::exists(below(surroundings, path), unknown)) return path;
  }
  return "/etc/slurm/plugstack.conf";
}

}  // namespace

void add_plugin_facts(const Surroundings& surroundings, Facts& facts) {
  const auto file = plugstack(surroundings, facts);
  const auto line = plugin_line(surroundings, below(surroundings, file), 0);
  facts.set("plugin.plugstack", file.string());
  facts.set("plugin.line",
            text::join(std::span(line).first(std::min<std::size_t>(line.size(), 2)), " "));
  auto config = site::installed_config();
  for (const auto& word : line) {
    if (word.starts_with("config=")) config = word.substr(7);
  }
  facts.set("config.path", config);
  facts.set("config.hash", hash_of(below(surroundings, config)).value_or("no file"));
  if (line.empty()) return;
  const fs::path plugin(line[1]);
  const auto directories = surroundings.plugin_directory.empty() ? facts.text("slurm.PluginDir")
                                                                 : surroundings.plugin_directory;
  // PluginDir is a list. If the line has an absolute path, no directory is put before it.
  for (const auto directory : text::split(directories, ':')) {
    const auto found = below(surroundings, fs::path(directory) / plugin);
    const auto hash = hash_of(found);
    if (!hash) continue;
    facts.set("plugin.hash", *hash);
    const auto bytes = os::small_file(found, max_plugin);
    const auto release = built_for(bytes);
    if (!release.empty()) facts.set("plugin.release", release);
    const auto machine = elf_machine(bytes);
    if (!machine.empty()) facts.set("plugin.machine", machine);
    return;
  }
}

void add_slurm_facts(const Surroundings& surroundings, Facts& facts) {
  std::error_code unknown;
  facts.set("munge.socket",
            fs::exists(surroundings.root / "run/munge/munge.socket.2", unknown) ? "yes" : "no");
  if (!add_release(surroundings, facts)) return;
  if (surroundings.asks_controller) add_configuration(surroundings, facts);
  add_plugin_facts(surroundings, facts);
}

}  // namespace muster::doctor
