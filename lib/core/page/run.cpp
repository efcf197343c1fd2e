#include "core/page/run.hpp"

namespace muster::page {

const report::ReadReport* last_report(const Run& run) {
  for (auto folder = run.folders.rbegin(); folder != run.folders.rend(); ++folder) {
    if (folder->report) return &*folder->report;
  }
  return nullptr;
}

WallTime time_at(const report::Report& report, const report::Moment& moment) {
  return report.wall_start + std::chrono::round<WallTime::duration>(moment.time);
}

bool is_open(const Run& run) {
  return !run.folders.back().report;
}

}  // namespace muster::page
