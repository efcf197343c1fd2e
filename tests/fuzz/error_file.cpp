// TORCHELASTIC_ERROR_FILE and faulthandler's file beside it, as a rank left them, and the report that shows
// them.
#include "core/report/error_file.hpp"

#include "core/report/fault_file.hpp"
#include "core/report/json.hpp"
#include "core/report/text.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "target.hpp"

#include <algorithm>

namespace {

using namespace muster;

void show(const report::ErrorFile& file) {
  report::Record record;
  record.program = "train";
  record.ranks = 1;
  record.srun_wait_status = 1 << 8;
  report::RankEnd end;
  end.wait_status = 1 << 8;
  end.exception = file.exception;
  end.last_lines_file = file.remark;
  record.ends = {end};
  const auto shown = make_report(record, {});
  const auto text = to_text(shown, {});
  const auto lines = text::split(std::string_view(text).substr(0, text.size() - 1), '\n');
  fuzz::expect(lines.size() <= report::max_report_lines, "a report is longer than a screen");
  for (const auto line : lines) {
    fuzz::expect_one_line(line);
    const auto width = std::ranges::count_if(line, text::starts_character);
    fuzz::expect(width <= std::ptrdiff_t{report::max_report_columns}, "a line is too wide");
  }
  fuzz::expect(text::is_utf8(to_json(shown)), "JSON is not Unicode");
}

void expect_bounds(const report::Exception& exception) {
  fuzz::expect(!exception.message.empty(), "an exception has no message");
  fuzz::expect(exception.message.size() <= report::max_message_bytes &&
                   exception.traceback.size() <= report::max_traceback_bytes,
               "an exception is larger than its bounds");
}

void read_input(std::string_view text) {
  if (const auto fault = report::parse_fault_file(text)) {
    expect_bounds(*fault);
    show({fault, {}});
  }
  const auto file = report::parse_error_file(text);
  fuzz::expect(file.exception || !file.remark.empty(), "nothing is said of a file");
  if (!file.remark.empty()) fuzz::expect_one_line(file.remark);
  if (!file.exception) return;
  expect_bounds(*file.exception);
  fuzz::expect(text::is_utf8(file.exception->message + file.exception->traceback),
               "an exception is not Unicode");
  show(file);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {
      R"({"message": {"message": "ValueError: boom", "extraInfo": {"py_callstack": "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: boom\n", "timestamp": "1700000000"}, "errorCode": -9}})",
      R"({"message": "ValueError: boom", "timestamp": 1700000000})",
      R"({"message": {"message": "OSError: a\udcff \ud83d\ude00\tb\r\nc\\", "extraInfo": {"py_callstack": "", "timestamp": "1"}}})",
      R"({"message": {"message": "RuntimeError: [pair.cc:534] Connection closed by peer [10.0.0.1]:4", "extraInfo": {}}})",
      "Fatal Python error: Aborted\n\nCurrent thread 0x00007f1 (most recent call first):\n"
      "  File \"a.py\", line 3 in f\n  File \"a.py\", line 9 in <module>\n\nExtension modules: x\n",
      R"([{"message": [[1, -2.5e3, true, null]]}])"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 1U << 20, .per_byte = 1024}, read_input);
}
