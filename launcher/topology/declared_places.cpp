#include "launcher/topology/declared_places.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "core/topology/nccl_file.hpp"

#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace muster::topology {
namespace {

class Describer {
 public:
  explicit Describer(Topology topology) : result_{std::move(topology), {}, {}, {}} {}

  void follow_site(const site::TopologyRule& rule, const file::Trust& trust) {
    if (!rule.nccl.empty()) take_file(rule.nccl, trust, true);
    if (rule.map.empty()) return;
    take(with_map(std::move(result_.topology), rule.map));
    result_.sources.emplace_back("the site's map");
  }

  // Any owner will do: this process has the user's IDs, so the file can do no more than the user could.
  void fill_gaps_from(const std::string& file) {
    if (!file.empty()) take_file(file, file::trust_any_owner(), false);
  }

  DescribedTopology finish() { return std::move(result_); }

 private:
  void take_file(const std::string& file, const file::Trust& trust, bool is_sites) {
    try {
      const auto text = read_trusted_file(file, trust);
      if (!text) return miss(file, is_sites);
      const auto places = parse_nccl_topology(*text, file);
      if (!is_sites && !lacks_locations(result_.topology, places)) return;
      take(with_places(std::move(result_.topology), places, file));
      result_.sources.push_back(file);
    } catch (const Error& error) {
      result_.warnings.push_back(fmt::format("{}; muster ignores this file", error.what()));
    }
  }

  // A missing file is not an error, because NCCL skips it as well.
  void miss(const std::string& file, bool is_sites) {
    if (file == default_nccl_file) return;  // it is missing on most nodes
    auto& lines = is_sites ? result_.warnings : result_.notes;
    lines.push_back(
        fmt::format("NCCL topology {} does not exist; {}", text::in_quotes(file),
                    is_sites ? "correct topology: rules: in the site's file" : "it is skipped"));
  }

  void take(Placed placed) {
    result_.topology = std::move(placed.topology);
    std::ranges::move(placed.warnings, std::back_inserter(result_.warnings));
  }

  DescribedTopology result_;
};

}  // namespace

DescribedTopology with_descriptions(Topology topology, const Descriptions& descriptions) {
  const bool has_devices = !topology.gpus.empty() || !topology.nics.empty();
  Describer describer(std::move(topology));
  if (!has_devices) return describer.finish();
  const bool from_job = descriptions.job_file.starts_with('/');
  describer.fill_gaps_from(from_job ? descriptions.job_file : descriptions.provider_file);
  describer.follow_site(descriptions.rule, descriptions.trust);
  return describer.finish();
}

}  // namespace muster::topology
