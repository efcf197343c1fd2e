// Work that may hang for ever, such as a look at a file on a dead file system. It runs in a thread that
// nobody waits for; its result is used if it comes in time.
#pragma once

#include <csignal>
#include <future>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include <pthread.h>

namespace muster::os {

// `work` owns everything that it uses: it may outlive its owner. Its thread handles no signal. The
// future is not valid if no thread could be started.
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
