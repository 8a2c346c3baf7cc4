// Cloud: rows of a node as points, one axis for each variable, with their responses. A slope is a direction, one
// number for each axis; projecting on it gives the weighted sum of every point.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/search/dense.hpp"
#include "core/search/responses.hpp"

namespace arboretum {

using Slope = std::vector<double>;

// Four sums side by side: the processor need not wait for one addition before it begins the next.
inline double dot(const double* a, const double* b, std::size_t n) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

inline void add_times(double factor, std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

struct Cloud {
  std::vector<std::vector<double>> axes{};
  Responses responses{};

  std::size_t n_axes() const { return axes.size(); }
  std::size_t n_points() const { return responses.size(); }

  std::vector<double> project(std::span<const double> slope) const {
    std::vector<double> sums(n_points());
    for (std::size_t j = 0; j < n_axes(); ++j)
      if (slope[j] != 0.0) add_times(slope[j], axes[j], sums);
    return sums;
  }

  // Points that are evenly spread over the rows.
  Cloud thinned(std::size_t most) const {
    const std::vector<Row> places = even_sample(n_points(), most);
    Cloud thin{.responses = responses.at(places)};
    for (const std::vector<double>& axis : axes) {
      thin.axes.emplace_back();
      for (const Row place : places) thin.axes.back().push_back(axis[place]);
    }
    return thin;
  }

  // The sums of factor * x_j over all points, and of factor * x_j * x_k.
  std::vector<double> sums(std::span<const double> factors) const {
    std::vector<double> sums(n_axes());
    for (std::size_t j = 0; j < n_axes(); ++j) sums[j] = dot(axes[j].data(), factors.data(), n_points());
    return sums;
  }
  Square products(std::span<const double> factors) const {
    constexpr std::size_t block = 512;  // so many points of all axes stay near the processor
    Square products{n_axes()};
    std::vector<double> weighted(block);
    for (std::size_t begin = 0; begin < n_points(); begin += block) {
      const std::size_t n = std::min(block, n_points() - begin);
      for (std::size_t j = 0; j < n_axes(); ++j) {
        for (std::size_t i = 0; i < n; ++i) weighted[i] = factors[begin + i] * axes[j][begin + i];
        for (std::size_t k = j; k < n_axes(); ++k) products(j, k) += dot(weighted.data(), axes[k].data() + begin, n);
      }
    }
    products.mirror();
    return products;
  }
};

}  // namespace arboretum
