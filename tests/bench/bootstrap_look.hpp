// What a rank of the bootstrap benchmark has at one moment: its threads and, if bootstrap_heap.c is
// preloaded, its heap. Recorded as JSON; nothing is recorded in ranks that are timed.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <dlfcn.h>

namespace bootstrap {

class Look {
 public:
  explicit Look(bool wanted) : wanted_(wanted) { note("before"); }

  void note(const std::string& when) {
    if (!wanted_) return;
    // Read before this function uses any heap itself.
    const long now = heap("bootstrap_heap_now");
    const long peak = heap("bootstrap_heap_peak");
    text_ += ", \"" + when + "\": {\"threads\": " + threads() +
             ", \"heap\": " + std::to_string(now) + ", \"peak\": " + std::to_string(peak) + "}";
    heap("bootstrap_heap_peak");
  }

  // The rest of a JSON object.
  const std::string& text() const { return text_; }

 private:
  static long heap(const char* name) {
    using Read = long (*)();
    const auto read = reinterpret_cast<Read>(dlsym(RTLD_DEFAULT, name));
    return read ? read() : 0;
  }

  static std::string threads() {
    std::string names;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream file(thread.path() / "comm");
      std::string name;
      std::getline(file, name);
      names += (names.empty() ? "\"" : ", \"") + name + "\"";
    }
    return "[" + names + "]";
  }

  bool wanted_;
  std::string text_;
};

}  // namespace bootstrap
