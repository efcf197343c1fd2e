#include "wire/python_path.hpp"

#include "wire/variables.hpp"

#include <utility>

namespace muster::wire {
namespace {

// Behind the directory: which form it is.
constexpr std::string_view was_empty = "/";
constexpr std::string_view value_follows = "/.";

std::size_t end_of_place(std::string_view text, std::size_t begin) {
  const auto colon = text.find(':', begin);
  return colon == std::string_view::npos ? text.size() : colon;
}

}  // namespace

std::string with_start_hook(const std::optional<std::string>& users, std::string_view directory) {
  if (directory.empty() || directory.find(':') != std::string_view::npos) return {};
  const auto own = without_start_hook(users, directory);
  auto value = std::string(directory);
  if (own) value += own->empty() ? was_empty : value_follows;
  if (own && !own->empty()) value += ':' + *own;
  const auto length = std::string_view(python_path_variable).size() + 1 + value.size() + 1;
  return length > max_variable_bytes ? std::string() : value;
}

std::optional<std::string> without_start_hook(const std::optional<std::string>& value,
                                              std::string_view directory) {
  if (!value || directory.empty()) return value;
  auto rest = *value;
  bool was_set = true;
  for (std::size_t begin = 0; begin <= rest.size();) {
    const auto end = end_of_place(rest, begin);
    const auto place = std::string_view(rest).substr(begin, end - begin);
    const auto form = place.starts_with(directory) ? place.substr(directory.size()) : "none";
    if (form == value_follows) {
      rest.erase(begin, end - begin + (end < rest.size() ? 1 : 0));
    } else if (form.empty() || form == was_empty) {
      rest.erase(begin, end - begin);
      was_set = !form.empty() || !rest.empty();
      begin += 1;
    } else {
      begin = end + 1;
    }
  }
  return was_set ? std::optional(rest) : std::nullopt;
}

std::optional<std::string> python_path_of_task(const std::string& planned,
                                               const PythonPathInTask& task) {
  const bool is_changed = task.now != task.before;
  if (task.sees_hook && !is_changed) return planned;
  const auto value = is_changed ? task.now : std::optional(planned);
  if (!task.sees_hook) return without_start_hook(value, task.directory);
  auto with = with_start_hook(value, task.directory);
  return with.empty() ? value : std::optional(std::move(with));
}

}  // namespace muster::wire
