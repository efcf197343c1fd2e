// Why a rank ended, in its own words: what its program has written into the files of its directory. Pure.
#pragma once

#include "core/report/record.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::report {

// A file's whole text.
struct Written {
  std::string text;
  std::optional<Moment> time =
      {};  // when it was written; no value if the rank was not running then
};

// The files that are there.
struct RankFiles {
  std::optional<Written> record = {};  // error.json: torch's @record, or muster's Python package
  std::optional<Written> uncaught =
      {};  // exception.json: the start hook, the exception that ended the program
  std::optional<Written> thread =
      {};  // thread.json: the start hook, the first exception of another thread
  std::optional<Written> fault = {};  // fault.txt: faulthandler
};

// An exception that the rank's own process did not raise, or that only ended a thread, explains an end that
// follows this soon: a script may have continued after it.
inline constexpr std::chrono::seconds explains_end_within{10};

// The exception that ended the rank. Its wait status, and the time of its end, must already be in `end`.
std::optional<Exception> own_words(const RankFiles& files, const RankEnd& end);

}  // namespace muster::report
