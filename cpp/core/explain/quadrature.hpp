// Quadrature: Gauss and Legendre's rule on [0, 1]. With n points it integrates polynomials of degree 2n - 1 exactly.
#pragma once
#include <cstddef>
#include <vector>

namespace arboretum {

struct Quadrature {
  std::vector<double> point, weight;

  std::size_t size() const { return point.size(); }
};

Quadrature gauss_legendre(std::size_t n_points);

// As many points as Shapley values among so many columns need: their integrands have one factor less than that.
inline std::size_t n_points_for(std::size_t n_columns) { return n_columns < 2 ? 1 : (n_columns + 1) / 2; }

}  // namespace arboretum
