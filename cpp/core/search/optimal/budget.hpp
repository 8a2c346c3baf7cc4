// Budget: how long the search may go on, and what ended it. Threads share one.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>

#include "core/interrupt.hpp"
#include "core/search/optimal/table.hpp"

namespace arboretum::optimal {

// `try_out` ends a search whose passes were few, see Budget::allow; the next one goes on.
enum class Stop : std::uint8_t { proof, gap, time, work, memory, interrupt, try_out };

class Budget {
 public:
  Budget(const OptimalOptions& options, Interrupt& interrupt)
      : options_{options}, interrupt_{interrupt}, started_{std::chrono::steady_clock::now()} {}

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }
  bool stopped() const { return reason_.load(std::memory_order_relaxed) != Stop::proof; }
  Stop reason() const { return reason_; }
  void stop(Stop reason) {
    Stop none = Stop::proof;
    reason_.compare_exchange_strong(none, reason);
  }
  // So many more passes for the search that begins; infinitely many if it turns out to be worth it.
  void allow(double more) { allowed_ = passes() + more; }
  // Was that enough? If not, another search may go on.
  bool was_enough() {
    allow(std::numeric_limits<double>::infinity());
    Stop tried = Stop::try_out;
    return !reason_.compare_exchange_strong(tried, Stop::proof);
  }

  double passes() const { return static_cast<double>(passes_.load(std::memory_order_relaxed)); }

  // Counts a pass over all columns; true if that was one too many. Only the first thread has somebody to ask.
  bool spend_pass(bool asks) {
    const auto before = static_cast<double>(passes_.fetch_add(1, std::memory_order_relaxed));
    if (before >= options_.passes) stop(Stop::work);
    if (before >= allowed_.load(std::memory_order_relaxed)) stop(Stop::try_out);
    return look(asks);
  }
  bool look(bool asks) {
    if (stopped()) return true;
    if (seconds() > options_.seconds) stop(Stop::time);
    if (asks) poll();
    return stopped();
  }
  // Memory for tables of bounds and for the rows of children.
  bool take(std::size_t bytes) {
    const std::size_t held = held_.fetch_add(bytes) + bytes;
    if (static_cast<double>(held) > options_.bytes) stop(Stop::memory);
    return !stopped();
  }
  void give_back(std::size_t bytes) { held_ -= bytes; }

 private:
  void poll() {
    if (!options_.keep_when_interrupted) return interrupt_.poll();
    try {
      interrupt_.poll();
    } catch (...) {  // asked to stop: what has been found is kept
      stop(Stop::interrupt);
    }
  }

  const OptimalOptions& options_;
  Interrupt& interrupt_;
  std::chrono::steady_clock::time_point started_;
  std::atomic<Stop> reason_ = Stop::proof;
  std::atomic<std::uint64_t> passes_ = 0;
  std::atomic<double> allowed_ = std::numeric_limits<double>::infinity();
  std::atomic<std::size_t> held_ = 0;
};

}  // namespace arboretum::optimal
