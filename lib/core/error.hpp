// The one error type of muster: a line that says what happened, why, and what to do. Code in core and
// launcher throws it; each process catches it in one place (launcher/main.cpp).
#pragma once

#include <stdexcept>

namespace muster {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace muster
