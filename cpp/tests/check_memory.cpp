// Lets the memory run out at every place where the core asks for some, once for a moment and once for good: whatever it
// does then ends by std::bad_alloc or, where only a thread could not be started, as it would have; nothing is lost, which
// the address sanitizer sees, and the next run finds what it always found. Prints "N passed, M failed" and returns 1 if
// anything failed.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "core/fingerprint.hpp"
#include "core/forest.hpp"
#include "core/grow/grow.hpp"
#include "core/registry.hpp"
#include "core/route.hpp"
#include "core/search/optimal/optimal.hpp"
#include "tests/expect.hpp"
#include "tests/random_table.hpp"

namespace {

// How many requests are still granted, and whether those after the first refusal are refused as well.
std::atomic<long> n_granted{-1};
std::atomic<bool> for_good{false};

bool refused() {
  const long left = n_granted.load();
  if (left < 0 && !(for_good && left < -1)) return false;
  if (left < 0) return true;
  const long before = n_granted.fetch_sub(1);
  if (before > 0) return false;
  if (for_good) n_granted = -2;
  return true;
}

void* find(std::size_t size) noexcept { return refused() ? nullptr : std::malloc(std::max<std::size_t>(size, 1)); }

void* allocate(std::size_t size) {
  void* memory = find(size);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

}  // namespace

// Where a sanitizer keeps calls of these from being inlined, GCC no longer sees that they belong together.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
// The one that sorting asks for room that it can do without.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return find(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return find(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace arboretum {
namespace {

using Work = std::function<std::uint64_t()>;

// A value of n_granted that no run comes near, to count requests.
constexpr long plenty = 1L << 30;

// The first places are all tried, the others at equal distances.
void run_out(const std::string& what, const Work& work, long n_places = 200) {
  work();  // what is made once for all
  n_granted = plenty;
  const std::uint64_t expected = work();
  const long n_requests = plenty - n_granted.exchange(-1);
  const long n_first = n_places / 2, step = std::max(1L, (n_requests - n_first) / (n_places - n_first));
  long n_refused = 0, n_others = 0;
  for (const bool ends : {false, true}) {
    for (long granted = 0; granted < n_requests; granted += granted < n_first ? 1 : step) {
      bool is_right = false;
      for_good = ends, n_granted = granted;
      try {
        const std::uint64_t found = work();
        n_granted = -1;
        is_right = found == expected;
      } catch (const std::bad_alloc&) {
        n_granted = -1;
        is_right = true;
        ++n_refused;
      }
      if (!is_right) ++n_others;
    }
  }
  expect(n_others == 0, what + ": " + std::to_string(n_others) + " runs found something else");
  expect(n_refused > 0, what + ": no request was refused");
  expect(work() == expected, what + ": afterwards something else is found");
}

template <class T>
void add_all(Fingerprint& print, const std::vector<T>& values) {
  for (const T& value : values) print.add_value(value);
}

std::uint64_t print_of(const Tree& tree) {
  Fingerprint print;
  add_all(print, tree.first_child), add_all(print, tree.column), add_all(print, tree.threshold);
  add_all(print, tree.level_child), add_all(print, tree.value), add_all(print, tree.counts);
  return print.finish();
}

Targets targets_of(const Table& table, TargetKind kind) {
  Targets targets{.n_classes = 3};
  if (kind == TargetKind::classes) targets.classes = table.classes;
  else targets.numbers = table.numbers;
  return targets;
}

template <class C>
Work growing(const Table& table, const GrowOptions& options) {
  return [&table, options] {
    C criterion{};
    if constexpr (C::target == TargetKind::classes) criterion.n_classes = 3;
    Interrupt never;
    return print_of(grow(table.data, targets_of(table, C::target), criterion, options, never));
  };
}

template <class C>
void check_growth(const Table& table, long n_places, GrowOptions options = {}) {
  options.n_threads = 3;
  for (const Missing missing : {Missing::category, Missing::surrogate, Missing::fractional}) {
    options.missing = missing;
    const std::string how = ", missing " + std::to_string(static_cast<int>(missing));
    run_out(std::string{C::name} + how + ", " + std::to_string(table.data.n_rows) + " rows", growing<C>(table, options),
            n_places);
  }
}

void check_searches(const Table& small) {
  GrowOptions options;
  options.max_depth = 2, options.n_threads = 3;
  options.lookahead = {.depth = 1, .top = 4};
  run_out("lookahead", growing<Gini>(small, options));
  options.lookahead = {};
  options.questions = Questions::m_of_n;
  run_out("m of n", growing<Gini>(small, options));
  options.questions = Questions::oblique;
  run_out("oblique", growing<Gini>(small, options));
  for (const TargetKind kind : {TargetKind::classes, TargetKind::numbers})
    run_out("optimal", [&small, targets = targets_of(small, kind)] {
      const optimal::OptimalOptions limits{.max_depth = 3, .max_leaves = 5, .leaf_penalty = 0.05, .n_threads = 3};
      Interrupt never;
      const optimal::Outcome found = optimal::search(small.data, targets, limits, never);
      Fingerprint print;
      print.add_value(found.best.objective);  // trees may be equally good
      return print.finish();
    });
}

}  // namespace
}  // namespace arboretum

int main() {
  using namespace arboretum;
  std::mt19937 random{20'261'119};
  const Table small{random, 120, 4, 3}, large{random, 100'000, 4, 3};
  Criteria::for_each([&]<class C>(std::type_identity<C>) { check_growth<C>(small, 200); });
  // Large enough to be shared among threads, but not deep.
  GrowOptions shallow;
  shallow.max_depth = 2;
  check_growth<Gini>(large, 30, shallow);
  check_growth<SquaredError>(large, 30, shallow);
  check_searches(small);
  return finish();
}
