// Embeds untrusted text in an HTML page that is also XML: nothing in it can close an element, open another
// one, or reverse the text around it.
#pragma once

#include <string>
#include <string_view>

namespace muster::page {

// For text, and for attribute values in either kind of quotes. Control characters, bytes that are not
// UTF-8, characters that XML does not allow, and those that change the direction of writing become \xNN.
std::string escaped(std::string_view text);

// At most about one sentence of the text, with "..." for the rest.
std::string escaped_sentence(std::string_view text);

// Like escaped(), but keeps line breaks and tabs, for <pre>. Leaves out terminal colours and text that a
// carriage return has overwritten.
std::string escaped_block(std::string_view text);

// A file name as a part of a relative URL. It has letters, digits, "-._~" and %NN only, so it needs no
// further escaping.
std::string url_part(std::string_view name);

// The name of a node's section, as a link target.
std::string anchor_of(std::string_view node);

// A link if there is a URL, otherwise the text alone. Both arguments must be escaped.
std::string linked(const std::string& url, const std::string& text);

}  // namespace muster::page
