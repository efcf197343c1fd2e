// Work that may stand still where nothing ends it, such as a look at a file of a file system that has
// gone, in a thread that nobody waits for: its result is taken where it comes in time.
#pragma once

#include <csignal>
#include <future>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include <pthread.h>

namespace muster::os {

// `work` owns everything that it uses: it may go on after its owner has ended. No signal is handled in
// its thread. Where there is no thread to be had, the future is not valid.
template <class Work>
std::future<std::invoke_result_t<Work>> start_detached(Work work) {
  std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
  auto result = task.get_future();
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {
    result = {};
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

}  // namespace muster::os
