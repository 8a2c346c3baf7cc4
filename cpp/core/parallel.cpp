#include "core/parallel.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace arboretum {

void share(unsigned n_workers, std::size_t n_items,
           const std::function<void(std::size_t item, unsigned worker)>& work) {
  if (n_workers <= 1 || n_items <= 1) {
    for (std::size_t item = 0; item < n_items; ++item) work(item, 0u);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex guard;
  auto run = [&](unsigned worker) {
    try {
      for (std::size_t item = next++; item < n_items; item = next++) work(item, worker);
    } catch (...) {
      next = n_items;
      const std::lock_guard lock{guard};
      if (!error) error = std::current_exception();
    }
  };
  std::vector<std::thread> crew;
  crew.reserve(n_workers);
  try {
    for (unsigned worker = 1; worker < n_workers && worker < n_items; ++worker) crew.emplace_back(run, worker);
  } catch (const std::system_error&) {
    // The machine has no thread to spare: those that started, and the caller, do the work.
  }
  run(0);
  for (std::thread& thread : crew) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace arboretum
