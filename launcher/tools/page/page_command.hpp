// `muster report DIR`: a run of logs=DIR as one HTML page.
#pragma once

#include "launcher/command/command.hpp"

namespace muster::page {

command::Command page_command();

}  // namespace muster::page
