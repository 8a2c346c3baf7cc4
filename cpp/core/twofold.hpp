// Twofold: a sum kept in two doubles, about 106 bits, so that the order of the terms does not show in the result.
// After Knuth's two-sum and Dekker's two-product; needs -ffp-contract=off and strict IEEE doubles.
#pragma once
#include <cmath>

namespace arboretum {

struct Twofold {
  double high = 0.0;
  double low = 0.0;

  Twofold& operator+=(double x) {
    const double sum = high + x, seen = sum - high;
    low += (high - (sum - seen)) + (x - seen);
    high = sum;
    return *this;
  }
  Twofold& operator+=(const Twofold& other) { return (*this += other.high) += other.low; }
  Twofold operator-(const Twofold& other) const {
    Twofold difference = *this;
    return (difference += -other.high) += -other.low;
  }
  double value() const { return high + low; }
};

// What a * b has lost by rounding.
inline double rounding_error(double a, double b, double rounded) {
#if defined(__MINGW32__) || defined(ARBORETUM_PORTABLE)
  // MinGW's fma rounds twice. Halves of the digits have products that are not rounded (Veltkamp, Dekker).
  constexpr double too_large = 0x1p995, smaller = 0x1p-30;
  if (std::abs(a) > too_large) return rounding_error(a * smaller, b, rounded * smaller) / smaller;
  if (std::abs(b) > too_large) return rounding_error(a, b * smaller, rounded * smaller) / smaller;
  const auto upper = [](double x) {
    const double shifted = 0x1p27 * x + x;
    return shifted - (shifted - x);
  };
  const double ah = upper(a), al = a - ah, bh = upper(b), bl = b - bh;
  return al * bl - (((rounded - ah * bh) - al * bh) - ah * bl);
#else
  return std::fma(a, b, -rounded);
#endif
}

inline Twofold product(double a, double b) {
  const double high = a * b;
  return {high, rounding_error(a, b, high)};
}

inline Twofold product(const Twofold& a, double b) {
  Twofold result = product(a.high, b);
  return result += product(a.low, b);
}

inline Twofold product(const Twofold& a, const Twofold& b) {
  Twofold result = product(a.high, b.high);
  return (result += a.high * b.low) += a.low * b.high;
}

inline Twofold difference(double a, double b) { return (Twofold{} += a) += -b; }

inline Twofold square(const Twofold& a) {
  Twofold result = product(a.high, a.high);
  return result += product(2.0 * a.high, a.low);
}

}  // namespace arboretum
