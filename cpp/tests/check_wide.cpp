// The whole numbers of two words give what the compiler's numbers of 128 bits give. Prints "N passed, M failed" and
// returns 1 if anything failed.
#include <cstdint>
#include <random>
#include <string>

#include "core/wide.hpp"
#include "tests/expect.hpp"

#ifdef __SIZEOF_INT128__
namespace arboretum {
namespace {

__extension__ typedef __int128 Native;
__extension__ typedef unsigned __int128 NativeBits;

void expect(bool holds, const char* what, Native a, Native b) {
  if (holds) ++n_passed;
  else
    arboretum::expect(false, std::string{what} + " of " + std::to_string(static_cast<double>(a)) + " and " +
                                 std::to_string(static_cast<double>(b)));
}

// Numbers of all sizes, many of them next to a power of two or with one run of ones.
Native draw(std::mt19937_64& random) {
  const auto bits = NativeBits{random()} << 64 | random();
  const int n = static_cast<int>(random() % 128);
  switch (random() % 4) {
    case 0: return static_cast<Native>(bits) >> n;
    case 1: return static_cast<Native>((NativeBits{1} << n) + random() % 5 - 2);
    case 2: return static_cast<Native>((~NativeBits{0} >> n) << random() % (static_cast<unsigned>(n) + 1));
    default: return static_cast<std::int64_t>(bits) >> n % 64;
  }
}

TwoWords words(Native number) {
  const auto high = static_cast<std::int64_t>(number >> 64);
  const TwoWords half = TwoWords{std::int64_t{1} << 32};
  return TwoWords{high} * half * half + TwoWords{static_cast<std::uint64_t>(number)};
}

void check_pair(Native a, Native b) {
  const TwoWords x = words(a), y = words(b);
  const auto up = static_cast<NativeBits>(a), vp = static_cast<NativeBits>(b);  // signed sums may not overflow
  expect(x + y == words(static_cast<Native>(up + vp)), "sum", a, b);
  expect(x - y == words(static_cast<Native>(up - vp)), "difference", a, b);
  expect(x * y == words(static_cast<Native>(up * vp)), "product", a, b);
  expect(-x == words(static_cast<Native>(-up)), "opposite", a, b);
  expect((x < y) == (a < b) && (x <= y) == (a <= b) && (x == y) == (a == b), "order", a, b);
  expect(static_cast<double>(x) == static_cast<double>(a), "double", a, b);
  expect(static_cast<std::int64_t>(x) == static_cast<std::int64_t>(a), "lower word", a, b);
  const bool overflows = b == -1 && up == NativeBits{1} << 127;
  if (b == 0 || overflows) return;
  expect(x / y == words(a / b), "quotient", a, b);
  expect(x % y == words(a % b), "remainder", a, b);
}

}  // namespace
}  // namespace arboretum

int main() {
  using namespace arboretum;
  std::mt19937_64 random{20'260'107};
  for (int round = 0; round < 20'000; ++round) check_pair(draw(random), draw(random));
  return finish();
}
#else
int main() {
  std::puts("0 passed, 0 failed: this compiler has nothing to compare with");
  return 0;
}
#endif
