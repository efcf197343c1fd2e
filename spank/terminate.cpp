// Makes std::terminate call abort() without printing anything.
//
// By default, libstdc++ writes the exception's name to standard error, which nobody sees in slurmstepd. That
// requires a demangler, which makes up a fifth of the plugin, and a page of addresses that the loader would
// have to fill in in every srun and slurmstepd of a site. The plugin contains its own libstdc++, and this
// variable replaces the one in it. If a release gives it a different name, only the size changes.
#include <cstdlib>
#include <exception>

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): libstdc++'s own names
namespace __cxxabiv1 {

extern std::terminate_handler __terminate_handler;
std::terminate_handler __terminate_handler = std::abort;

}  // namespace __cxxabiv1
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
