// A process environment as a value, so that tests need not change their own environment.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace muster {

// Each name occurs once; iteration is in the order of the names. References and pointers to a value stay
// valid until that variable is set again or unset.
class Environment {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  Environment() = default;
  Environment(std::initializer_list<Variables::value_type> variables) : variables_(variables) {}

  // The value, or "" if the variable is not set.
  [[nodiscard]] const std::string& get(std::string_view name) const& {
    static const std::string none;
    const auto* const value = if_set(name);
    return value == nullptr ? none : *value;
  }
  const std::string& get(std::string_view name) const&& = delete;

  // The value, or nullptr if the variable is not set: for variables that mean something when they are empty.
  [[nodiscard]] const std::string* if_set(std::string_view name) const& {
    const auto found = variables_.find(name);
    return found == variables_.end() ? nullptr : &found->second;
  }
  const std::string* if_set(std::string_view name) const&& = delete;

  [[nodiscard]] bool contains(std::string_view name) const { return variables_.contains(name); }

  void set(std::string name, std::string value) {
    variables_.insert_or_assign(std::move(name), std::move(value));
  }

  // Sets the variable unless it is set already.
  void add(std::string name, std::string value) {
    variables_.try_emplace(std::move(name), std::move(value));
  }

  // Adds "NAME=VALUE", the form in which execve() takes it. Ignores text without "=".
  void add_entry(std::string_view entry) {
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos) return;
    add(std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1)));
  }

  void unset(std::string_view name) {
    if (const auto found = variables_.find(name); found != variables_.end())
      variables_.erase(found);
  }

  // Unsets each variable for which `condition` is true; it gets a pair of name and value.
  void unset_if(const auto& condition) { std::erase_if(variables_, condition); }

  [[nodiscard]] std::size_t size() const { return variables_.size(); }
  [[nodiscard]] bool empty() const { return variables_.empty(); }

  // Pairs of a name and a value.
  [[nodiscard]] auto begin() const { return variables_.begin(); }
  [[nodiscard]] auto end() const { return variables_.end(); }

  bool operator==(const Environment&) const = default;

 private:
  Variables variables_;
};

}  // namespace muster
