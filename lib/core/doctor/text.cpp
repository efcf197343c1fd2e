#include "core/doctor/text.hpp"

#include "core/slurm/hostlist.hpp"
#include "core/text/amounts.hpp"
#include "core/text/json.hpp"
#include "core/text/list.hpp"

#include <fmt/format.h>

namespace muster::doctor {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::cannot_see:
      return "cannot see";
    case Outcome::warning:
      return "warning";
    case Outcome::error:
      return "error";
  }
  return "";
}

std::string painted(Outcome outcome, const text::Paint& paint) {
  const auto word = fmt::format("{:<10}", word_of(outcome));
  if (outcome == Outcome::error) return paint.red(word);
  return outcome == Outcome::warning ? paint.yellow(word) : word;
}

// Lists of irregular names are truncated after a few.
std::string host_list(const std::vector<std::string>& hosts) {
  constexpr std::size_t max_list = 160;
  auto list = slurm::compress_hostlist(hosts);
  if (list.size() <= max_list) return list;
  return fmt::format("{}... ({} hosts)", list.substr(0, list.rfind(',', max_list) + 1),
                     hosts.size());
}

// What root can run to see more; empty if there is nothing.
std::string_view root_command(const Row& row) {
  if (!row.about.command.empty()) return row.about.command;
  return row.outcome == Outcome::cannot_see ? "muster doctor --here" : "";
}

std::string row_text(const Row& row, const text::Paint& paint) {
  auto text = fmt::format("{}  {}  {}\n            {}\n", painted(row.outcome, paint), row.about.id,
                          host_list(row.hosts), row.evidence);
  if (row.outcome == Outcome::ok) return text;
  text += fmt::format("            why: {}\n            do:  {}\n", row.about.why, row.about.fix);
  if (const auto command = root_command(row); !command.empty())
    text += fmt::format("            as root: {}\n", command);
  return text;
}

std::string hosts_text(const Diagnosis& diagnosis) {
  std::vector<std::string> parts;
  if (!diagnosis.submits.empty()) parts.push_back(diagnosis.submits.front());
  if (!diagnosis.nodes.empty())
    parts.push_back(fmt::format("{} ({})", text::count(diagnosis.nodes.size(), "node"),
                                host_list(diagnosis.nodes)));
  return text::join(parts, " and ");
}

}  // namespace

std::string to_text(const Diagnosis& diagnosis, bool all, const text::Paint& paint) {
  std::string text;
  for (const auto& row : diagnosis.rows) {
    if (all || row.outcome != Outcome::ok) text += row_text(row, paint);
  }
  if (!diagnosis.slurm_modes.empty()) {
    text += fmt::format("modes of this Slurm: {}\n", text::join(diagnosis.slurm_modes, ", "));
  }
  return text + fmt::format("{}: {}, {}, {} not checked, {} ok\n", hosts_text(diagnosis),
                            text::count(diagnosis.count(Outcome::error), "error"),
                            text::count(diagnosis.count(Outcome::warning), "warning"),
                            diagnosis.count(Outcome::cannot_see), diagnosis.count(Outcome::ok));
}

std::string to_json(const Diagnosis& diagnosis) {
  auto rows = Json::array();
  for (const auto& row : diagnosis.rows) {
    rows.push_back(Json{{"id", row.about.id},
                        {"outcome", word_of(row.outcome)},
                        {"hosts", row.hosts},
                        {"evidence", row.evidence},
                        {"why", row.about.why},
                        {"fix", row.about.fix},
                        {"command", root_command(row)}});
  }
  return text::readable_text({{"version", 1},
                              {"submit_hosts", diagnosis.submits},
                              {"nodes", diagnosis.nodes},
                              {"silent_nodes", diagnosis.silent},
                              {"slurm_modes", diagnosis.slurm_modes},
                              {"rows", rows}});
}

}  // namespace muster::doctor
