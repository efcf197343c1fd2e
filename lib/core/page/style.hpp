// The page's style sheet, for light and dark, narrow and printed pages. Contains no character that XML
// would have to escape. The picture of the binding has colours of its own: core/picture/palette.hpp.
#pragma once

#include <string_view>

namespace muster::page {

extern const std::string_view style_sheet;

}  // namespace muster::page
