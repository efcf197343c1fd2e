#include "launcher/slurm/pmix_library.hpp"

#include "core/text/list.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <system_error>

#include <dlfcn.h>

namespace muster::slurm {
namespace {

constexpr std::size_t max_plugin_bytes = std::size_t{8} << 20;
constexpr std::size_t max_path = 4096;
constexpr std::chrono::seconds open_timeout{2};
constexpr std::string_view library = "libpmix.so";

bool is_library_name(std::string_view text) {
  return text.starts_with(library) &&
         text.find_first_not_of(".0123456789", library.size()) == std::string_view::npos;
}

bool is_directory_name(std::string_view text) {
  return text.starts_with('/') && text.size() < max_path &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c != '%' && c < '\x7f'; });
}

// Visits the texts between zero bytes. A plugin consists mostly of zero bytes, so a list of all texts would
// be larger than the plugin.
template <typename Visit>
void for_each_text(std::string_view bytes, Visit visit) {
  for (std::size_t begin = 0; (begin = bytes.find_first_not_of('\0', begin)) < bytes.size();) {
    const auto end = std::min(bytes.find('\0', begin), bytes.size());
    visit(bytes.substr(begin, end - begin));
    begin = end;
  }
}

bool is_file(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown);
}

bool loader_finds(const std::string& name) {
  const auto answer = os::answer_of_child(
      [&] {
        return std::string(dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr ? "" : "yes");
      },
      open_timeout);
  return !answer || !answer->empty();
}

}  // namespace

std::vector<std::string> libpmix_of(std::string_view plugin) {
  std::set<std::string_view> names, directories;
  for_each_text(plugin, [&](std::string_view text) {
    if (is_library_name(text)) names.insert(text);
    if (!text.starts_with('/')) return;
    for (const auto part : text::split(text, ':')) {  // a run path has several parts
      if (is_directory_name(part)) directories.insert(part);
    }
  });
  std::vector<std::string> found;
  for (const auto directory : directories) {
    for (const auto name : names) found.push_back(std::string(directory) + "/" + std::string(name));
    if (is_library_name(directory.substr(directory.rfind('/') + 1))) found.emplace_back(directory);
  }
  found.insert(found.end(), names.begin(), names.end());
  return found;
}

std::string pmix_plugin_in(const std::string& plugin_directory) {
  for (const auto& name : os::names_in(plugin_directory)) {
    if (name.starts_with("mpi_pmix") && name.ends_with(".so"))
      return os::small_file(std::filesystem::path(plugin_directory) / name, max_plugin_bytes);
  }
  return {};
}

bool has_libpmix(const std::string& plugin_directory) {
  const auto libraries = libpmix_of(pmix_plugin_in(plugin_directory));
  if (libraries.empty() || std::ranges::any_of(libraries, is_file)) return true;
  return std::ranges::any_of(libraries, [](const std::string& name) {
    return name.find('/') == std::string::npos && loader_finds(name);
  });
}

}  // namespace muster::slurm
