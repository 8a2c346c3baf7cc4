#include "core/parallel.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace arboretum {
bool has_room_for_threads([[maybe_unused]] unsigned n) {
#ifdef __linux__
  constexpr std::size_t each = 16u << 20;  // a stack, and as much again
  void* room = mmap(nullptr, n * each, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, n * each);
#endif
  return true;
}

void prepare_thread() { static_cast<void>(std::uncaught_exceptions()); }

void share(unsigned n_workers, std::size_t n_items,
           const std::function<void(std::size_t item, unsigned worker)>& work) {
  if (n_workers <= 1 || n_items <= 1 || !has_room_for_threads(n_workers - 1)) {
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
  // If the machine has no thread to spare, or no memory for one, those that started, and the caller, do the work.
  try {
    for (unsigned worker = 1; worker < n_workers && worker < n_items; ++worker)
      crew.emplace_back([&run, worker] {
        prepare_thread();
        run(worker);
      });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  run(0);
  for (std::thread& thread : crew) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace arboretum
