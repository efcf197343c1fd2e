#include "launcher/tools/exec/task_report.hpp"

#include "core/record/record.hpp"

namespace muster::exec {

std::string encode(const TaskReport& report) {
  return record::write(report);
}

std::optional<TaskReport> decode_report(std::string_view bytes) {
  return record::read<TaskReport>(bytes);
}

}  // namespace muster::exec
