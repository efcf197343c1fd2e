// A diagnosis as text for people, and as version 1 of muster's doctor format.
#pragma once

#include "core/doctor/diagnosis.hpp"
#include "core/text/columns.hpp"

#include <string>

namespace muster::doctor {

// Without `all`, shows only rows that are not ok.
std::string to_text(const Diagnosis& diagnosis, bool all, const text::Paint& paint);

std::string to_json(const Diagnosis& diagnosis);

}  // namespace muster::doctor
