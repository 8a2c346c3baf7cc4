// Divergence: how far a sum c lies from the e that was expected: c log(c / e) - c + e. It is never negative, so that a
// gain that is a sum of divergences keeps all its digits, however small it is beside the sums themselves.
#pragma once
#include <cmath>

namespace arboretum {

// The divergence of c = (1 + u) e from e, in units of e. Near u = 0 the terms cancel, and a series takes their place:
// with s = u / (2 + u), log(1 + u) = 2 (s + s^3 / 3 + s^5 / 5 + …) and 1 + u = (1 + s) / (1 - s).
inline double divergence(double u) {
  if (u <= -1.0) return 1.0;
  if (std::abs(u) > 0.1) return (1.0 + u) * std::log1p(u) - u;
  const double s = u / (2.0 + u), q = s * s;
  const double tail = q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q / 13)))));
  return 2.0 * (q + (1.0 + s) * s * tail) / (1.0 - s);
}

}  // namespace arboretum
