// Pushes: numbers that look random and are always the same.
// splitmix64 (Steele, Lea and Flood 2014): small, and good enough for a few pushes and samples.
#pragma once
#include <cstdint>

namespace arboretum {

class Pushes {
 public:
  explicit Pushes(std::uint64_t seed) : state_{seed} {}

  // About normal, as sums of uniform numbers are.
  double next() {
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) sum += static_cast<double>(draw() >> 11) * 0x1p-53 - 0.5;
    return sum;
  }
  std::uint64_t below(std::uint64_t n) { return draw() % n; }

 private:
  std::uint64_t draw() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace arboretum
