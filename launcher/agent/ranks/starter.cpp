#include "launcher/agent/ranks/starter.hpp"

#include "core/text/base_name.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <array>

namespace muster::ranks {
namespace {

// The Python programs among them pass the start hook on: lib/python/start/sitecustomize.py.
constexpr std::array<std::string_view, 16> names{
    "conda",       "mamba",     "micromamba", "poetry",     "pipenv",  "pdm",
    "hatch",       "pixi",      "uv",         "time",       "timeout", "tini",
    "tini-static", "dumb-init", "catatonit",  "docker-init"};

// What Apptainer and Singularity call their process outside an image, and the first one inside if it has its
// own process IDs. Their executable is called "starter", as others may be.
constexpr std::array<std::string_view, 4> titles{"Apptainer runtime parent",
                                                 "Singularity runtime parent", "appinit", "sinit"};

bool is_one_of(const auto& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

}  // namespace

bool is_starter(std::string_view executable, std::string_view command_line) {
  if (is_one_of(names, executable)) return true;
  const auto words = text::split(command_line, '\0');
  if (words.empty()) return false;
  if (is_one_of(titles, words[0])) return true;
  if (!executable.starts_with("python")) return false;
  // "python conda run" and "python -m conda run"
  const std::size_t program = words.size() > 1 && words[1].starts_with('-') ? 2 : 1;
  return words.size() > program && is_one_of(names, text::base_name(words[program]));
}

}  // namespace muster::ranks
