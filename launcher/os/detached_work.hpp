// Runs work that may hang forever, such as examining a file on a dead file system. It runs in a thread that
// is never joined; its result is used if it arrives in time.
#pragma once

#include <csignal>
#include <future>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include <pthread.h>

namespace muster::os {

// `work` must own everything that it uses, because it may outlive its caller. Its thread handles no signals.
// The future is not valid if no thread could be started.
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
