// The page's style sheet: light, dark, narrow, in print. Has no character that XML would have to escape.
#pragma once

#include <string_view>

namespace muster::page {

extern const std::string_view style_sheet;

}  // namespace muster::page
