// A fingerprint of a column: equal values in equal order have equal fingerprints, others hardly ever.
//
// Values count as what they are, not as how they are stored: float32 as double, small integers as 64-bit ones, -0 as 0,
// and everything that is missing alike. It tells whether a table is the one a tree was grown from; it guards no secret.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace arboretum {

class Fingerprint {
 public:
  // Four lanes take turns, so that a value need not wait for the multiplication before it.
  void add(std::uint64_t word) {
    std::uint64_t& lane = lanes_[turn_++ & 3];
    lane = std::rotl(lane ^ (word * first_odd), 29) * second_odd;
  }

  void add_missing() { add(missing_word); }

  template <class T>
  void add_value(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return add_missing();
      add(std::bit_cast<std::uint64_t>(static_cast<double>(value) + 0.0));  // -0 + 0 is 0
    } else {
      add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    }
  }

  // How far it has got: what is needed to go on elsewhere.
  std::array<std::uint64_t, 5> state() const { return {lanes_[0], lanes_[1], lanes_[2], lanes_[3], turn_}; }
  static Fingerprint going_on(const std::array<std::uint64_t, 5>& state) {
    Fingerprint print;
    std::copy_n(state.begin(), 4, print.lanes_.begin());
    print.turn_ = state[4];
    return print;
  }

  std::uint64_t finish() const {
    std::uint64_t sum = turn_ * first_odd;
    for (std::uint64_t lane : lanes_) sum = mixed(sum ^ mixed(lane));
    return sum;
  }

 private:
  static std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ (word >> 32)) * second_odd;
    word = (word ^ (word >> 29)) * first_odd;
    return word ^ (word >> 32);
  }

  // Odd, with about as many ones as zeros: the fractions of the golden ratio and of the square root of 3.
  static constexpr std::uint64_t first_odd = 0x9e3779b97f4a7c15u;
  static constexpr std::uint64_t second_odd = 0xbb67ae8584caa73bu;
  static constexpr std::uint64_t missing_word = 0x7ff8dead00000001u;  // the bits of no number that is added
  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
  std::uint64_t turn_ = 0;
};

}  // namespace arboretum
