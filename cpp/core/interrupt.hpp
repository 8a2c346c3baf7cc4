// Interrupt: lets long work be stopped. The core calls it often; it asks the outside world at most every 50 ms. To
// stop, the callback throws.
#pragma once
#include <chrono>
#include <functional>
#include <utility>

namespace arboretum {

class Interrupt {
 public:
  Interrupt() = default;
  explicit Interrupt(std::function<void()> ask) : ask_{std::move(ask)} {}

  void poll() {
    if (!ask_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds{50}) return;
    last_ = now;
    ask_();
  }

 private:
  std::function<void()> ask_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace arboretum
