// How std::terminate ends: by abort(), without a word.
//
// The default of libstdc++ writes the exception's name to standard error, which in slurmstepd nobody
// sees. For that it links a demangler: a fifth of the plugin, and a page of addresses that the loader
// would write in every srun and slurmstepd of a site. The plugin carries its own libstdc++, and this
// variable takes the place of the one there. Where a release names it otherwise, only the size changes.
#include <cstdlib>
#include <exception>

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): libstdc++'s own names
namespace __cxxabiv1 {

extern std::terminate_handler __terminate_handler;
std::terminate_handler __terminate_handler = std::abort;

}  // namespace __cxxabiv1
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
