// `srun --distributed torch ./train`: srun takes torch for the program, because an option whose value is
// optional needs '='. And `srun --distributed=torch bind=core ./train`, which has a space instead of a
// comma.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace muster::remark {

// The error for a "program" that is meant as a value of the --distributed before it; empty if it may really
// be a program. `program` is its index in `words`.
std::string stray_value(std::span<const std::string> words, std::size_t program,
                        std::span<const std::string> profiles);

}  // namespace muster::remark
