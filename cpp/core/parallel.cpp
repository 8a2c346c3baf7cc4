#include "core/parallel.hpp"

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace arboretum {
namespace {

// The first exception of a thread needs memory of the C++ library's own. If there is none, as may well be the case when
// the exception says so, the process ends. Hence every thread brings some along, and takes what it needs at once.
class ReadyToFail {
 public:
  void take() {
    reserve_.reset();
    static_cast<void>(std::uncaught_exceptions());
  }

 private:
  static constexpr std::size_t enough = 4096;
  std::unique_ptr<std::byte[]> reserve_ = std::make_unique<std::byte[]>(enough);
};

}  // namespace

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
  // If the machine has no thread to spare, or no memory for one, those that started, and the caller, do the work.
  try {
    for (unsigned worker = 1; worker < n_workers && worker < n_items; ++worker)
      crew.emplace_back([&run, worker, ready = ReadyToFail{}]() mutable {
        ready.take();
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
