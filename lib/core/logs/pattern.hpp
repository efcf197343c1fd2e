// Patterns in a file's name, as those of srun's --output: "logs/%A_%3a". Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::logs {

// What a letter stands for; nothing where there is no such pattern.
using Meaning = std::function<std::optional<std::string>(char letter)>;

// `name` with what stands for each pattern. A number between % and the letter fills a number up with zeros,
// as Slurm does. `key` is for the message. Throws Error for a pattern that does not exist.
std::string expanded(std::string_view key, std::string_view name, const Meaning& meaning);

// The letters of the patterns in `name`, in their order.
std::string letters_in(std::string_view name);

}  // namespace muster::logs
