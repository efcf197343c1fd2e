// The fields of one event's JSON, checked and bounded, and texts made fit for it. Everything here
// throws Error for what another end of a watch may not send.
#pragma once

#include "core/report/record.hpp"
#include "core/text/json.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace muster::watch {

inline constexpr std::size_t max_ranks_of_node = 1792;  // what a message has room for
inline constexpr std::size_t max_name_bytes = 16;
inline constexpr std::size_t max_step_bytes = 64;
inline constexpr std::size_t max_node_bytes = 255;
inline constexpr std::size_t max_path_bytes = 4096;
inline constexpr std::size_t max_remark_bytes = 1024;
inline constexpr std::chrono::hours max_time{24 * 365 * 100};
inline constexpr std::chrono::milliseconds max_grace{std::chrono::hours{24}};

// UTF-8, at most so many bytes. Bytes that are not UTF-8 are replaced.
std::string first_bytes(const std::string& text, std::size_t max_bytes);
std::string last_bytes(const std::string& text, std::size_t max_bytes);

// Without control characters, too.
std::string one_line(const std::string& text, std::size_t max_bytes);

class Fields {
 public:
  static Fields parse(std::string_view text, std::size_t max_bytes);

  [[nodiscard]] bool has(const char* name) const { return json_.contains(name); }
  [[nodiscard]] bool flag(const char* name) const;  // false where it is missing
  [[nodiscard]] Fields object(const char* name) const;
  [[nodiscard]] std::string text(const char* name, std::size_t max_bytes) const;
  [[nodiscard]] std::string line(const char* name, std::size_t max_bytes) const;
  [[nodiscard]] std::vector<std::string> texts(const char* name, std::size_t max_count,
                                               std::size_t max_bytes) const;
  [[nodiscard]] std::chrono::nanoseconds time(const char* name) const;
  [[nodiscard]] report::Moment moment(const char* name) const;
  [[nodiscard]] report::RankPlace place(const char* name) const;
  [[nodiscard]] std::vector<report::RankPlace> places(const char* name) const;
  [[nodiscard]] std::vector<std::uint32_t> numbers(const char* name) const;

  template <class Number>
  [[nodiscard]] Number number(const char* name) const {
    using Limits = std::numeric_limits<Number>;
    return static_cast<Number>(integer(at(name), Limits::min(), Limits::max()));
  }

 private:
  using Json = nlohmann::json;

  explicit Fields(Json json) : json_(std::move(json)) {}
  [[nodiscard]] const Json& at(const char* name) const;
  [[nodiscard]] const Json& array(const char* name, std::size_t max_count) const;
  static std::int64_t integer(const Json& json, std::int64_t least, std::int64_t most);
  static report::RankPlace place_of(const Json& json);
  static std::string text_of(const Json& json, std::size_t max_bytes);

  Json json_;
};

}  // namespace muster::watch
