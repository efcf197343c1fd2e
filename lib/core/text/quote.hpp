// Makes untrusted text safe for one-line messages: escapes it and limits its length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::text {

// Control characters and bytes that are not UTF-8 become \xNN; at most 80 bytes are shown.
std::string printable(std::string_view text);

// Like printable(), but without the limit, because a truncated path cannot be found.
std::string printable_path(std::string_view path);

// printable() between single quotes.
std::string in_quotes(std::string_view text);

// The length in bytes of the UTF-8 character at the start of `text`; 0 if there is none. `text` must not be
// empty.
std::size_t character_length(std::string_view text);

// False for a byte inside a UTF-8 character.
bool starts_character(char byte);

bool is_utf8(std::string_view text);

}  // namespace muster::text
