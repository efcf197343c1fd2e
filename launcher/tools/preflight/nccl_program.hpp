// The program muster-preflight-nccl, which runs next to a node's part of a preflight. Starting it, giving
// it orders and ending it each take a bounded time, whatever the driver and NCCL do in it.
#pragma once

#include "core/environment.hpp"
#include "core/preflight/nccl.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/tools/preflight/nccl/words.hpp"
#include "launcher/tools/preflight/order.hpp"
#include "secret/key.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::port {
class HeldPort;
}

namespace muster::preflight {

// Whether the kernel shows an NVIDIA GPU. Opens no library.
bool has_nvidia_gpu(const std::filesystem::path& root);

// The key of one test, derived from the preflight's key.
std::string nccl_key(const secret::Key& key, std::uint32_t test);

class NcclProgram {
 public:
  NcclProgram(std::filesystem::path program, Environment environment);
  NcclProgram(const NcclProgram&) = delete;
  NcclProgram& operator=(const NcclProgram&) = delete;
  ~NcclProgram();

  // Call it once. Throws nothing: the answer says what went wrong.
  NcclStart start(const NcclStartOrder& order);
  NcclReport test(const NcclOrder& order, const secret::Key& key);

  // Waits briefly for the program to exit, then kills it. Leaves a program behind if even SIGKILL does not
  // end it.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  bool launch();
  std::optional<nccl::Answer> next_answer(Clock::time_point deadline);
  [[nodiscard]] bool say(const std::string& line) const;
  bool await_end(Clock::time_point deadline);  // false if it is still running then

  const std::filesystem::path program_;
  const Environment environment_;
  std::unique_ptr<port::HeldPort> port_;
  os::Descriptor orders_;
  os::Descriptor answers_;
  std::string heard_;
  pid_t child_ = -1;
  std::chrono::milliseconds test_limit_{0};
  bool ready_ = false;
};

}  // namespace muster::preflight
