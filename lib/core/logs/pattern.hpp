// Patterns in a file name, like those of srun's --output: "logs/%A_%3a". Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::logs {

// What a letter stands for; no value if there is no such pattern.
using Meaning = std::function<std::optional<std::string>(char letter)>;

// `name` with its patterns replaced. A number between % and the letter pads a number with zeros, as Slurm
// does. `key` is for the message. Throws Error for an unknown pattern.
std::string expanded(std::string_view key, std::string_view name, const Meaning& meaning);

// The letters of the patterns in `name`, in order.
std::string letters_in(std::string_view name);

}  // namespace muster::logs
