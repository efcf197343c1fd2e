// report.json, plan.json and a rank's times as `muster report` finds them, and the page that shows them.
#include "core/page/page.hpp"

#include "core/error.hpp"
#include "core/explain/plan_view.hpp"
#include "core/page/read_plan.hpp"
#include "core/page/read_times.hpp"
#include "core/report/json.hpp"
#include "fixtures/made_up_run.hpp"
#include "fixtures/well_formed.hpp"
#include "target.hpp"

namespace {

using namespace muster;

constexpr char between = '\x1e';  // between the files

// A file that is refused is left out of the page.
template <class Read>
auto read_or_nothing(Read read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    fuzz::expect_one_line(error.what());
    return std::nullopt;
  }
}

std::string same(std::string text) {
  return text;
}

void read_input(std::string_view text) {
  const auto first = fuzz::take_until(text, between);
  const auto plan = fuzz::take_until(text, between);
  page::Run run;
  run.folders.emplace_back();
  auto& folder = run.folders.back();
  folder.report = read_or_nothing([&] { return report::read_json(first); });
  folder.plan = read_or_nothing([&] { return page::read_plan(plan); });
  folder.damaged = !folder.report;
  if (const auto times = read_or_nothing([&] { return page::read_times(text); })) {
    folder.bootstraps = {{0, *times}, {1, fixtures::made_up_bootstrap("node1", {}, same)}};
  }
  folder.tails = {{0, "rank-0.err", std::string(first)}};
  const auto html = to_html(run);
  fuzz::expect(fixtures::fault_of_page(html).empty(), "a page is not well-formed");
  fuzz::expect(html.find("<script") == std::string::npos, "a page has a script");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const auto folder = fixtures::made_up_folder(1, same);
  const auto report = to_json(folder.report->report);
  const auto plan = explain::to_json(*folder.plan);
  const std::string times =
      "muster times 1\ntransport pmix\nnode node1\nphase 300000 310000 own ok join\n"
      "phase 311000 1200000 all ok exchange 'address'\nphase 1200000 1230000 own failed store\n";
  return {report + between + plan + between + times, report + between, between + plan,
          std::string(2, between) + times, R"({"version": 1, "result": "ok"})"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A short list may describe a million ranks: 32 MiB of numbers and their states.
  return fuzz::one_input(data, size, {.base = std::size_t{1} << 28, .per_byte = 4096}, read_input);
}
