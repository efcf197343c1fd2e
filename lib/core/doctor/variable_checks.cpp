// The rows of lib/core/lint as checks of a host, and whether files set variables.
#include "core/doctor/check.hpp"
#include "core/lint/lint.hpp"
#include "core/text/list.hpp"

#include <fmt/format.h>

namespace muster::doctor {
namespace {

// The value that a rank would get: from the environment, a file of NCCL's, or the site.
void add(lint::Circumstances& all, const Facts& facts, std::string_view name) {
  if (all.find(name) != nullptr) return;
  for (const auto* const place : {"env", "conf", "site"}) {
    const auto fact = fmt::format("{}.{}", place, name);
    if (!facts.has(fact)) continue;
    const auto where = facts.text(fmt::format("{}.where.{}", place, name));
    all.variables.push_back(
        {std::string(name), facts.text(fact), where.empty() ? "environment" : where});
    return;
  }
}

lint::Circumstances circumstances_of(const Facts& facts, const lint::Row& row) {
  lint::Circumstances all;
  for (const auto name : row.names) add(all, facts, name);
  if (const auto nccl = facts.number("nccl.version")) all.nccl = static_cast<int>(*nccl);
  all.fabric = fabric::fabric_named(facts.text("fabric"));
  return all;
}

// One step may have several nodes and the next only one, so the host alone does not decide this.
Verdict look(const Facts& facts, const lint::Row& row) {
  const auto all = circumstances_of(facts, row);
  const auto found = row.look(all);
  if (!found.empty()) return warning(lint::what(found.front()));
  if (all.variables.empty()) return std::nullopt;
  std::vector<std::string> seen;
  for (const auto& variable : all.variables) seen.push_back(lint::what(variable));
  return ok(text::join(seen, ", "));
}

Verdict own_file(const Facts& facts) {
  if (!facts.has("nccl.own_file")) return std::nullopt;
  const auto file = facts.text("nccl.own_file");
  return warning_if(!file.empty(), file.empty() ? "no ~/.nccl.conf and no NCCL_CONF_FILE"
                                                : file + " sets NCCL variables");
}

}  // namespace

std::vector<Check> variable_checks() {
  std::vector<Check> checks{{{"nccl-own-file", "the file sets values that appear in no script",
                              "read the file, and delete what is no longer needed"},
                             Place::anywhere,
                             own_file}};
  for (const auto& row : lint::rows()) {
    if (row.needs_step) continue;
    checks.push_back({{row.id, row.why, row.fix},
                      row.on_nodes ? Place::node : Place::anywhere,
                      [&row](const Facts& facts) { return look(facts, row); }});
  }
  return checks;
}

}  // namespace muster::doctor
