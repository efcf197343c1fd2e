#include "core/site/check.hpp"

#include "core/error.hpp"
#include "core/file/trusted_directory.hpp"
#include "core/site/config.hpp"
#include "core/text/quote.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace muster::site {
namespace {

// The file on its own; no value if it has an error.
std::optional<Config> read_alone(Findings& findings, const std::string& path,
                                 const file::Trust& trust) {
  try {
    findings.files.push_back(path);
    const auto text = file::read_trusted_file(path, trust);
    if (!text)
      throw Error(
          fmt::format("{}: there is no such file; check its path", text::printable_path(path)));
    return parse_config(*text, path, ConfigKind::site);
  } catch (const Error& error) {
    findings.errors.emplace_back(error.what());
  }
  return std::nullopt;
}

}  // namespace

Findings check_config(const std::string& path, const file::Trust& trust) {
  Findings findings;
  const auto main = read_alone(findings, path, trust);
  try {
    const auto files = main && !main->include.empty()
                           ? file::trusted_files(main->include, ".yaml", trust, max_included_files)
                           : std::vector<std::string>{};
    for (const auto& file : files) static_cast<void>(read_alone(findings, file, trust));
    if (!findings.errors.empty()) return findings;
    const auto config = load_config(path, ConfigKind::site, trust);
    findings.warnings = unreachable_rules(config.rules);
    for (auto& line : lint_of(config.variables)) findings.warnings.push_back(std::move(line));
  } catch (const Error& error) {
    findings.errors.emplace_back(error.what());
  }
  return findings;
}

}  // namespace muster::site
