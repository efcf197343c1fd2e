// What muster and muster-agent have in common: errors become a line on the terminal and an exit code only
// here.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace muster {

// Runs `body` with argv, beginning with the program; returns the program's exit code.
int run_program(int argc, char** argv,
                const std::function<int(const std::vector<std::string>&)>& body);

}  // namespace muster
