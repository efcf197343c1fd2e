// What muster and muster-agent have in common: only here do errors become a line on the terminal
// and an exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace muster {

// Runs `body` with argv, the program first; returns the program's exit code.
int run_program(int argc, char** argv,
                const std::function<int(const std::vector<std::string>&)>& body);

}  // namespace muster
