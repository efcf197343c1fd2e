// NCCL's RAS, which reports the state of a whole job's communicators and their ranks. Whatever is listening
// there, the lines are bounded and reading ends in time.
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

// Whether querying is harmless: true for NCCL 2.29.2 and newer. `version`: such as "2.29.2".
bool answers_ras(std::string_view version);

// `address`: a loopback address and a port, in the form of NCCL_RAS_ADDR.
RasAnswer ask_ras(const std::string& address, std::chrono::milliseconds timeout);

}  // namespace muster::dump
