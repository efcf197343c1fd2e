// InfiniBand, RoCE, EFA and Slingshot, as the kernel shows them to everyone.
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/fabric_evidence.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace muster::doctor {
namespace {

namespace fs = std::filesystem;

struct Ports {
  std::uint64_t active = 0;
  std::uint64_t downed = 0;
  std::uint64_t recoveries = 0;
  bool counted = false;
  std::multiset<std::string> rates = {};
  std::vector<std::string> not_active = {};
  std::vector<std::string> limited = {};
  bool has_keys = false;
};

std::optional<std::uint64_t> counter(const Surroundings& surroundings, const std::string& path) {
  return text::number<std::uint64_t>(first_line(surroundings, path));
}

// The highest bit of a partition key means full membership; an unused entry is 0x0000.
void look_at_keys(const Surroundings& surroundings, const std::string& port,
                  const std::string& name, Ports& ports) {
  constexpr unsigned full_member = 0x8000;
  bool full = false;
  const auto keys = names_in(surroundings.root / port / "pkeys");
  for (const auto& key : keys) {
    const auto text = first_line(surroundings, port + "/pkeys/" + key);
    unsigned value = 0;
    if (text.starts_with("0x"))
      std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    full = full || (value & full_member) != 0;
  }
  if (keys.empty()) return;
  ports.has_keys = true;
  if (!full) ports.limited.push_back(name);
}

void look_at_port(const Surroundings& surroundings, const std::string& port,
                  const std::string& name, Ports& ports) {
  const auto downed = counter(surroundings, port + "/counters/link_downed");
  const auto recovered = counter(surroundings, port + "/counters/link_error_recovery");
  if (downed) {
    ports.counted = true;
    // The highest count among all ports: a switch that restarts adds one to each.
    ports.downed = std::max(ports.downed, *downed);
    ports.recoveries += recovered.value_or(0);
  }
  const auto state = first_line(surroundings, port + "/state");
  if (state.find("ACTIVE") == std::string::npos) {
    // The port is not configured, or is an Ethernet port without a cable: hosts have spare ports.
    if (first_line(surroundings, port + "/phys_state").find("Disabled") == std::string::npos)
      ports.not_active.push_back(name + " " + state);
    return;
  }
  ++ports.active;
  ports.rates.insert(first_line(surroundings, port + "/rate"));
  if (first_line(surroundings, port + "/link_layer") == "InfiniBand")
    look_at_keys(surroundings, port, name, ports);
}

void set_ports(const Ports& ports, Facts& facts) {
  facts.set_number("ib.active", ports.active);
  facts.set("ib.not_active", text::join(ports.not_active, ", "));
  facts.set("ib.rates",
            text::join(std::vector<std::string>(ports.rates.begin(), ports.rates.end()), ", "));
  if (ports.has_keys) facts.set("ib.limited", text::join(ports.limited, ", "));
  if (!ports.counted) return;
  facts.set_number("ib.link_downed", ports.downed);
  facts.set_number("ib.link_error_recovery", ports.recoveries);
}

void add_rdma(const Surroundings& surroundings, Facts& facts) {
  const auto devices = names_in(surroundings.root / "sys/class/infiniband");
  facts.set_number("ib.devices", devices.size());
  if (devices.empty()) return;
  Ports ports;
  for (const auto& device : devices) {
    const auto folder = "sys/class/infiniband/" + device;
    for (const auto& port : names_in(surroundings.root / folder / "ports")) {
      look_at_port(surroundings, folder + "/ports/" + port, device + ":" + port, ports);
    }
  }
  set_ports(ports, facts);
  const auto files = names_in(surroundings.root / "dev/infiniband");
  facts.set_number("ib.uverbs",
                   static_cast<std::uint64_t>(std::ranges::count_if(
                       files, [](const auto& name) { return name.starts_with("uverbs"); })));
}

void add_slingshot(const Surroundings& surroundings, Facts& facts) {
  const auto devices = names_in(surroundings.root / "sys/class/cxi");
  if (devices.empty()) return;
  std::vector<std::string> without;
  std::error_code unknown;
  for (const auto& device : devices) {
    if (!fs::exists(surroundings.root / "run/cxi" / device, unknown)) without.push_back(device);
  }
  facts.set_number("cxi.devices", devices.size());
  facts.set("cxi.no_handler", text::join(without, ", "));
}

}  // namespace

void add_fabric_facts(const Surroundings& surroundings, Facts& facts) {
  const auto evidence = os::read_evidence(surroundings.root);
  facts.set("fabric", to_string(fabric_of(evidence)));
  facts.set_number("efa.devices", evidence.efa_devices);
  add_rdma(surroundings, facts);
  add_slingshot(surroundings, facts);
}

}  // namespace muster::doctor
