// NCCL's RAS, which says of a whole job in which state its communicators and their ranks are. Whatever
// listens there: lines within bounds, and an end within the time.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace muster::dump {

struct RasAnswer {
  std::vector<std::string> lines = {};  // printable
  std::string remark = {};              // why there are none, or not all
};

// Whether a question does no harm: NCCL 2.29.2 and newer. `version`: "2.29.2"
bool answers_ras(std::string_view version);

// `address`: a loopback address and a port, as NCCL_RAS_ADDR has them.
RasAnswer ask_ras(const std::string& address, std::chrono::milliseconds timeout);

}  // namespace muster::dump
