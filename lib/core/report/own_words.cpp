#include "core/report/own_words.hpp"

#include "core/report/error_file.hpp"
#include "core/report/exit_status.hpp"
#include "core/report/fault_file.hpp"

#include <csignal>
#include <utility>

#include <fmt/format.h>

namespace muster::report {
namespace {

// The signals for which faulthandler writes a file.
bool is_fault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
         signal == SIGABRT;
}

struct Read {
  std::optional<Exception> exception;
  std::uint32_t process = 0;
  std::string thread;
};

Read read(const std::optional<Written>& file) {
  if (!file) return {};
  auto parsed = parse_error_file(file->text);
  if (parsed.exception) parsed.exception->time = file->time;
  return {std::move(parsed.exception), parsed.process, std::move(parsed.thread)};
}

bool is_just_before(const std::optional<Moment>& time, const Moment& later) {
  return time && later.time - time->time <= explains_end_within;
}

std::string of_thread(const Read& thread) {
  return fmt::format("thread {}: {}", thread.thread.empty() ? "?" : thread.thread,
                     thread.exception->message);
}

// The exception of the main thread, with what another thread had raised just before.
Exception with_thread(Exception main, const Read& thread) {
  if (!thread.exception || !main.time || !thread.exception->time) return main;
  if (thread.exception->time->time > main.time->time) return main;
  if (is_just_before(thread.exception->time, *main.time))
    main.message += "\nbefore that, " + of_thread(thread);
  return main;
}

}  // namespace

// If there is an exception and a fault, the exception came first: the teardown after it may abort.
std::optional<Exception> own_words(const RankFiles& files, const RankEnd& end) {
  if (auto record = read(files.record).exception) return record;
  const auto thread = read(files.thread);
  auto uncaught = read(files.uncaught);
  const bool is_ranks_own = uncaught.process == end.place.pid;
  if (uncaught.exception && (is_ranks_own || is_just_before(uncaught.exception->time, end.time)))
    return with_thread(std::move(*uncaught.exception), thread);
  const auto signal = signal_behind(shell_code(end.wait_status));
  if (files.fault && signal && is_fault(*signal)) {
    if (auto fault = parse_fault_file(files.fault->text)) {
      fault->time = files.fault->time;
      return fault;
    }
  }
  if (!thread.exception || !is_just_before(thread.exception->time, end.time)) return std::nullopt;
  auto exception = *thread.exception;
  exception.message = of_thread(thread);
  return exception;
}

}  // namespace muster::report
