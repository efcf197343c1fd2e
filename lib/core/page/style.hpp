// The page's style sheet: for light and dark mode, narrow screens and print. Contains no character that XML
// would have to escape. The colours of the binding's picture are in core/picture/palette.hpp.
#pragma once

#include <string_view>

namespace muster::page {

extern const std::string_view style_sheet;

}  // namespace muster::page
