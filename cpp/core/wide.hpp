// Wide: whole numbers of 128 bits, which hold the product of two Fixed. GCC and Clang have such a type; for other
// compilers there is one made of two words, which gives the same numbers.
#pragma once
#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstdint>
#include <utility>

namespace arboretum {

// Two's complement, as in the types of the language; what does not fit into 128 bits is lost.
class TwoWords {
 public:
  constexpr TwoWords() = default;
  template <std::integral T>
  constexpr TwoWords(T number) : low_{static_cast<std::uint64_t>(number)}, high_{number < T{} ? ~std::uint64_t{} : 0} {}

  constexpr explicit operator std::int64_t() const { return static_cast<std::int64_t>(low_); }

  // To the nearest double, and to the even one of two, as the processor rounds words.
  explicit operator double() const {
    const TwoWords size = magnitude();
    double rounded = static_cast<double>(size.low_);
    if (size.high_ != 0) {
      const int free = std::countl_zero(size.high_);
      const TwoWords top = size << free;
      rounded = std::ldexp(static_cast<double>(top.high_ | std::uint64_t{top.low_ != 0}), 64 - free);
    }
    return is_negative() ? -rounded : rounded;
  }

  constexpr TwoWords operator-() const { return TwoWords{} - *this; }
  constexpr TwoWords& operator+=(TwoWords other) {
    low_ += other.low_;
    high_ += other.high_ + std::uint64_t{low_ < other.low_};
    return *this;
  }
  constexpr TwoWords& operator-=(TwoWords other) {
    high_ -= other.high_ + std::uint64_t{low_ < other.low_};
    low_ -= other.low_;
    return *this;
  }
  constexpr TwoWords& operator*=(TwoWords other) {
    const std::uint64_t crossed = low_ * other.high_ + high_ * other.low_;
    *this = product(low_, other.low_);
    high_ += crossed;
    return *this;
  }
  constexpr TwoWords& operator/=(TwoWords other) { return *this = divided(other).first; }
  constexpr TwoWords& operator%=(TwoWords other) { return *this = divided(other).second; }
  constexpr TwoWords& operator++() { return *this += 1; }
  constexpr TwoWords& operator--() { return *this -= 1; }

  friend constexpr TwoWords operator+(TwoWords a, TwoWords b) { return a += b; }
  friend constexpr TwoWords operator-(TwoWords a, TwoWords b) { return a -= b; }
  friend constexpr TwoWords operator*(TwoWords a, TwoWords b) { return a *= b; }
  friend constexpr TwoWords operator/(TwoWords a, TwoWords b) { return a /= b; }
  friend constexpr TwoWords operator%(TwoWords a, TwoWords b) { return a %= b; }
  friend constexpr bool operator==(TwoWords a, TwoWords b) = default;
  friend constexpr std::strong_ordering operator<=>(TwoWords a, TwoWords b) {
    if (a.high_ != b.high_) return static_cast<std::int64_t>(a.high_) <=> static_cast<std::int64_t>(b.high_);
    return a.low_ <=> b.low_;
  }

 private:
  constexpr TwoWords(std::uint64_t low, std::uint64_t high) : low_{low}, high_{high} {}

  constexpr bool is_negative() const { return high_ >> 63 != 0; }
  constexpr TwoWords magnitude() const { return is_negative() ? -*this : *this; }
  constexpr bool below(TwoWords other) const {  // as numbers without a sign
    return high_ != other.high_ ? high_ < other.high_ : low_ < other.low_;
  }

  // By fewer than 64 bits.
  friend constexpr TwoWords operator<<(TwoWords a, int n) {
    return n == 0 ? a : TwoWords{a.low_ << n, a.high_ << n | a.low_ >> (64 - n)};
  }

  // In halves of a word: the product of two halves, and a half more twice, fit into a word.
  static constexpr TwoWords product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t half = 0xffff'ffffu;
    const std::uint64_t low = (a & half) * (b & half), first = (a >> 32) * (b & half) + (low >> 32);
    const std::uint64_t second = (a & half) * (b >> 32) + (first & half);
    return {second << 32 | (low & half), (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32)};
  }

  // Quotient and remainder, towards zero: bit by bit, for nothing divides where time counts.
  constexpr std::pair<TwoWords, TwoWords> divided(TwoWords other) const {
    const TwoWords number = magnitude(), step = other.magnitude();
    TwoWords quotient, rest;
    for (int bit = 127; bit >= 0; --bit) {
      const std::uint64_t word = bit < 64 ? number.low_ : number.high_;
      rest = rest << 1, rest.low_ |= word >> (bit % 64) & 1;
      quotient = quotient << 1;
      if (!rest.below(step)) rest -= step, quotient.low_ |= 1;
    }
    return {is_negative() != other.is_negative() ? -quotient : quotient, is_negative() ? -rest : rest};
  }

  std::uint64_t low_ = 0, high_ = 0;
};

#if defined(__SIZEOF_INT128__) && !defined(ARBORETUM_PORTABLE)
__extension__ typedef __int128 Wide;
#else
using Wide = TwoWords;
#endif

}  // namespace arboretum
