// The plugin's only option, --distributed, as Slurm passes it.
#pragma once

#include <optional>
#include <string>

namespace muster::spank {

class Option {
 public:
  // Slurm may call this several times: with an inherited value first and the command line's value last.
  void accept(const char* argument);

  [[nodiscard]] bool given() const { return value_.has_value(); }
  [[nodiscard]] bool is_off() const { return value_ == "off"; }
  [[nodiscard]] bool asks_for_help() const { return value_ == "help"; }
  // The value of the option, otherwise of the environment variable, otherwise no value. "off" counts as no
  // value.
  [[nodiscard]] std::optional<std::string> wanted(const char* environment_value) const;

 private:
  std::optional<std::string> value_;
};

}  // namespace muster::spank
