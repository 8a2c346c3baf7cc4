#include "core/explain/quadrature.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace arboretum {
namespace {

// Legendre's polynomial of degree n at x, and its derivative, by the recurrence in n.
std::pair<long double, long double> legendre(std::size_t n, long double x) {
  long double before = 1.0L, now = x;
  for (std::size_t k = 2; k <= n; ++k) {
    const auto degree = static_cast<long double>(k);
    const long double next = ((2 * degree - 1) * x * now - (degree - 1) * before) / degree;
    before = now, now = next;
  }
  return {now, static_cast<long double>(n) * (x * now - before) / (x * x - 1)};
}

}  // namespace

Quadrature gauss_legendre(std::size_t n_points) {
  Quadrature rule{std::vector<double>(n_points), std::vector<double>(n_points)};
  const auto n = static_cast<long double>(n_points);
  for (std::size_t i = 0; i < n_points; ++i) {
    // Newton's steps from Tricomi's first guess, which is good to a few digits.
    long double x = std::cos(std::numbers::pi_v<long double> * (static_cast<long double>(i) + 0.75L) / (n + 0.5L));
    for (int step = 0; step < 8; ++step) {
      const auto [value, slope] = legendre(n_points, x);
      x -= value / slope;
    }
    const long double slope = legendre(n_points, x).second;
    rule.point[i] = static_cast<double>((1 - x) / 2);
    rule.weight[i] = static_cast<double>(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

}  // namespace arboretum
