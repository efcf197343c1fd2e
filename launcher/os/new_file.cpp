#include "launcher/os/new_file.hpp"

#include "launcher/os/descriptor.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

namespace muster::os {
namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// mkstemp makes the file private; this one gets the same mode as its maker's other files.
bool as_umask_says(int descriptor) {
  const mode_t mask = umask(0);
  umask(mask);
  return fchmod(descriptor, 0666 & ~mask) == 0;
}

bool is_special(const std::string& file) {
  struct stat found {};
  return stat(file.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
}

}  // namespace

int write_new_file(const std::string& file, std::string_view text) {
  if (is_special(file)) return EISDIR;
  std::string temporary = file + ".XXXXXX";
  const Descriptor made(mkstemp(temporary.data()));
  if (made.get() < 0) return errno;
  const bool done = write_all(made.get(), text) && as_umask_says(made.get()) &&
                    rename(temporary.c_str(), file.c_str()) == 0;
  if (done) return 0;
  const int error = errno;
  unlink(temporary.c_str());
  return error;
}

}  // namespace muster::os
