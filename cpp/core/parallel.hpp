// Shares items among threads that live only as long as the call, so nothing is left behind for a fork to break. Which
// thread takes which item may vary; callers merge the results in a fixed order.
#pragma once
#include <cstddef>
#include <functional>

namespace arboretum {

// The first exception of a thread needs memory of the C++ library's own, and the process ends if there is none: as may
// well be when the exception says so. Hence a thread asks for it when it begins, and none is started where it might
// be refused.
bool has_room_for_threads(unsigned n);
void prepare_thread();

// Calls work(item, worker) for every item. The caller is worker 0. The first exception ends the work and is thrown
// again.
void share(unsigned n_workers, std::size_t n_items, const std::function<void(std::size_t item, unsigned worker)>& work);

}  // namespace arboretum
