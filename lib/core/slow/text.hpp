// Who holds up all others, in words. Pure.
#pragma once

#include "core/slow/named.hpp"

#include <string>

namespace muster::slow {

// "rank 12 on n3", "the link from n3 to n4", "the network of n3".
std::string who(const Named& named);

// "rank 12 on n3 arrives last in 94 % of all_reduce calls, which costs 0.4 s of every 2.1 s: 19 % of the
// time; its CPUs are throttled". "the link from n3 to n4 carries 11 MB/s while busy, the others 240 MB/s
// (median); it is busy 83 % of the time: about 79 % of the time is lost". One line.
std::string line(const Named& named);

}  // namespace muster::slow
