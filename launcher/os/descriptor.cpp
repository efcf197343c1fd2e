#include "launcher/os/descriptor.hpp"

#include <utility>

#include <unistd.h>

namespace muster::os {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

int Descriptor::release() {
  return std::exchange(fd_, -1);
}

}  // namespace muster::os
