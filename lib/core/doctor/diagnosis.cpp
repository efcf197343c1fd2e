#include "core/doctor/diagnosis.hpp"

#include "core/doctor/slurm_modes.hpp"

#include <algorithm>
#include <set>

namespace muster::doctor {
namespace {

constexpr std::size_t max_rows_of_check = 4;

constexpr About silent_nodes{"nodes", "a node that does not answer cannot start tasks either",
                             "check its state with `sinfo -N -l`; is muster installed on it?",
                             "journalctl -u slurmd"};

bool is_about(const Check& check, const Host& host) {
  if (check.place == Place::submit) return host.submits;
  return check.place == Place::anywhere || host.runs;
}

// A submit host that is also a node was examined twice, first as a submit host.
void add_host(Row& row, const std::string& host) {
  if (row.hosts.front() != host) row.hosts.push_back(host);
}

// Once there are several different answers, the remaining hosts share one row, so that a thousand nodes fit
// on a screen.
void add(std::vector<Row>& rows, const About& about, Finding finding, const std::string& host) {
  const auto same = std::ranges::find_if(rows, [&](const Row& row) {
    return row.outcome == finding.outcome &&
           (row.evidence == finding.evidence || finding.outcome == Outcome::ok);
  });
  if (same != rows.end()) {
    add_host(*same, host);
  } else if (rows.size() < max_rows_of_check) {
    rows.push_back({about, finding.outcome, std::move(finding.evidence), {host}});
  } else {
    auto& last = rows.back();
    if (last.hosts.size() == 1) last.evidence += "; other values on the other hosts";
    last.outcome = std::max(last.outcome, finding.outcome);
    add_host(last, host);
  }
}

}  // namespace

std::vector<Check> all_checks() {
  std::vector<Check> all;
  for (const auto& some : {slurm_checks(), host_checks(), network_checks(), fabric_checks(),
                           variable_checks(), gpu_checks()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::size_t Diagnosis::count(Outcome outcome) const {
  std::set<std::string_view> ids;
  for (const auto& row : rows) {
    if (row.outcome == outcome) ids.insert(row.about.id);
  }
  return ids.size();
}

Diagnosis diagnose(const Examination& examination) {
  Diagnosis diagnosis{{}, {}, {}, examination.silent};
  for (const auto& host : examination.hosts) {
    (host.submits ? diagnosis.submits : diagnosis.nodes).push_back(host.name);
    if (diagnosis.slurm_modes.empty()) diagnosis.slurm_modes = slurm_modes(host.facts);
  }
  for (const auto& check : all_checks()) {
    std::vector<Row> rows;
    for (const auto& host : examination.hosts) {
      if (!is_about(check, host)) continue;
      if (auto finding = check.evaluate(host.facts))
        add(rows, check.about, std::move(*finding), host.name);
    }
    diagnosis.rows.insert(diagnosis.rows.end(), rows.begin(), rows.end());
  }
  const auto differences = compare_nodes(examination.hosts, examination.asked);
  diagnosis.rows.insert(diagnosis.rows.end(), differences.begin(), differences.end());
  if (!examination.silent.empty()) {
    diagnosis.rows.push_back(
        {silent_nodes, Outcome::error, "no answer in time", examination.silent});
  }
  if (!examination.problem.empty())
    diagnosis.rows.push_back({silent_nodes, Outcome::error, examination.problem, {}});
  std::ranges::stable_sort(diagnosis.rows, std::ranges::greater{}, &Row::outcome);
  return diagnosis;
}

int exit_status(const Diagnosis& diagnosis, bool strict) {
  const auto least = strict ? Outcome::cannot_see : Outcome::error;
  return std::ranges::any_of(diagnosis.rows, [&](const Row& row) { return row.outcome >= least; })
             ? 1
             : 0;
}

}  // namespace muster::doctor
