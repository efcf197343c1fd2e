#include "launcher/os/terminal.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace muster::os {

Terminal::Terminal() : fd_(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {}

Terminal::~Terminal() {
  if (fd_ >= 0) close(fd_);
}

bool Terminal::is_ours() const {
  return fd_ >= 0 && tcgetpgrp(fd_) == getpgrp();
}

void Terminal::give_to(pid_t group) const {
  if (fd_ >= 0) tcsetpgrp(fd_, group);
}

}  // namespace muster::os
