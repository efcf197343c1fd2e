// Text of any origin as a part of an HTML page that is also XML: nothing in it can end an element, name
// another one, or turn the text around it over.
#pragma once

#include <string>
#include <string_view>

namespace muster::page {

// For text and for attribute values in either quotes. Control characters, bytes that are not UTF-8,
// characters that XML does not have, and those that change the direction of writing become \xNN.
std::string escaped(std::string_view text);

// A sentence's worth of it; "..." stands for the rest.
std::string escaped_sentence(std::string_view text);

// escaped() with ends of lines and tabs as they are, for <pre>. Terminal colours are left out, and what a
// carriage return has overwritten.
std::string escaped_block(std::string_view text);

// A file name as a part of a relative URL. It has letters, digits, "-._~" and %NN only, so it needs no
// further escaping.
std::string url_part(std::string_view name);

// What a node's part of the page is called in it.
std::string anchor_of(std::string_view node);

// A link where there is a URL; otherwise the text alone. Both are ready for the page.
std::string linked(const std::string& url, const std::string& text);

}  // namespace muster::page
