// The compiled part of fmt, built from its headers: Debian has it only as a shared library, and header-only
// use in every file would make compilation take five times as long.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// What fmt/format.h declares as instantiated elsewhere.
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
#if FMT_VERSION / 10000 == 10
template FMT_API void vformat_to(buffer<char>&, string_view, typename vformat_args<>::type,
                                 locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
