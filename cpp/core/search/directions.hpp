// Directions: slopes along which the targets of a node change, from fits to all of its rows at once, on standardised
// variables. Ridge is least squares with a small price on slopes; of two classes this is the linear discriminant.
// Logistic does the same for the odds of a class, by Newton's method. Discriminants are Fisher's (1936), for more than
// two classes. Bends are where targets change with the square of a sum (principal Hessian directions, Li 1992), or
// where classes are spread differently.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/interrupt.hpp"
#include "core/search/cloud.hpp"
#include "core/search/dense.hpp"

namespace arboretum {

class Fits {
 public:
  Fits(const Cloud& cloud, Interrupt& interrupt)
      : cloud_{cloud},
        interrupt_{interrupt},
        spread_{with_ridge(scaled(cloud.products(cloud.responses.weights)))},
        inverse_{spread_.inverse()} {}

  // Of the covariances of the axes.
  const Square& inverse() const { return inverse_; }

  // How much of the responses each axis tells alone.
  std::vector<double> association() const {
    std::vector<double> told(cloud_.n_axes());
    for (std::uint32_t r = 0; r < cloud_.responses.n_responses(); ++r) {
      const std::vector<double> sums = weighted_sums(r);
      for (std::size_t j = 0; j < told.size(); ++j) told[j] += sums[j] * sums[j];
    }
    return told;
  }

  Slope ridge(std::uint32_t response) const { return spread_.solve(weighted_sums(response)); }

  std::vector<Slope> discriminants(std::size_t n_wanted) const {
    Square between{cloud_.n_axes()};
    for (std::uint32_t k = 0; k < cloud_.responses.n_classes; ++k) {
      const std::vector<double> sums = weighted_sums(k);
      double share = 0.0;
      for (std::size_t i = 0; i < cloud_.n_points(); ++i)
        share += cloud_.responses.labels[i] == k ? cloud_.responses.weights[i] : 0.0;
      share /= static_cast<double>(cloud_.n_points());
      if (!(share > 0.0)) continue;
      for (std::size_t i = 0; i < sums.size(); ++i)
        for (std::size_t j = 0; j < sums.size(); ++j) between(i, j) += sums[i] * sums[j] / share;
    }
    return leading(between, n_wanted);
  }

  std::vector<Slope> bends(std::uint32_t response, std::size_t n_wanted) const {
    std::vector<double> factors = cloud_.responses.response(response);
    for (std::size_t i = 0; i < factors.size(); ++i) factors[i] *= cloud_.responses.weights[i];
    return leading(scaled(cloud_.products(factors)), n_wanted);
  }

  // One class against the rest. Newton's steps are halved until they help; they end when little is left to gain, or
  // when the classes are told apart: then slopes would grow for ever.
  Slope logistic(std::uint32_t label) const {
    constexpr int max_steps = 25, max_halvings = 6;
    constexpr double price = 1e-13, little = 1e-2;  // of slopes; of what there is to gain
    const std::size_t n_axes = cloud_.n_axes();
    Slope slope(n_axes + 1);  // the last one is the constant
    State state = state_at(slope, label, price);
    for (int step = 0; step < max_steps && !state.apart; ++step) {
      interrupt_.poll();
      const std::vector<double> move = newton_step(slope, state, price);
      bool helps = false;
      double loss = state.loss, length = 1.0;
      for (int halving = 0; halving < max_halvings && !helps; ++halving, length /= 2) {
        Slope next = slope;
        add_times(length, move, next);
        State there = state_at(next, label, price);
        helps = there.loss < state.loss;
        if (helps) slope = std::move(next), state = std::move(there);
      }
      if (!helps || loss - state.loss < little * state.loss) break;
    }
    slope.pop_back();
    return slope;
  }

 private:
  // Where logistic regression has arrived.
  struct State {
    std::vector<double> residuals, curvatures;  // weighted: of each point
    double loss = 0.0;
    bool apart = true;
  };

  Square scaled(Square products) const {
    for (std::size_t i = 0; i < products.size(); ++i)
      for (std::size_t j = 0; j < products.size(); ++j) products(i, j) /= static_cast<double>(cloud_.n_points());
    return products;
  }

  // A small price on slopes, the larger the fewer points there are for each axis.
  Square with_ridge(Square products) const {
    const double price = 1e-6 + 0.1 * static_cast<double>(cloud_.n_axes()) / static_cast<double>(cloud_.n_points());
    for (std::size_t i = 0; i < products.size(); ++i) products(i, i) += price;
    return products;
  }

  std::vector<double> weighted_sums(std::uint32_t response) const {
    std::vector<double> factors = cloud_.responses.response(response);
    for (std::size_t i = 0; i < factors.size(); ++i)
      factors[i] *= cloud_.responses.weights[i] / static_cast<double>(cloud_.n_points());
    return cloud_.sums(factors);
  }

  std::vector<Slope> leading(const Square& matrix, std::size_t n_wanted) const {
    std::vector<Slope> slopes;
    for (EigenPair& pair : eigen_pairs(spread_.whiten(matrix), n_wanted)) {
      spread_.solve_upper(pair.vector);
      slopes.push_back(std::move(pair.vector));
    }
    return slopes;
  }

  State state_at(const Slope& slope, std::uint32_t label, double price) const {
    const std::size_t n_axes = cloud_.n_axes(), n = cloud_.n_points();
    std::vector<double> sums = cloud_.project(std::span{slope}.first(n_axes));
    State state{.residuals = std::vector<double>(n), .curvatures = std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_label = cloud_.responses.labels[i] == label;
      const double weight = cloud_.responses.weights[i];
      const double margin = (is_label ? 1.0 : -1.0) * (sums[i] + slope[n_axes]);
      const double small = std::exp(-std::abs(margin)), doubt = (margin > 0.0 ? small : 1.0) / (1.0 + small);
      state.residuals[i] = weight * (is_label ? doubt : -doubt);
      state.curvatures[i] = weight * doubt * (1.0 - doubt);
      state.loss += weight * (std::log1p(small) + std::max(0.0, -margin));
      state.apart &= margin > 0.0;
    }
    for (std::size_t j = 0; j < n_axes; ++j) state.loss += price * static_cast<double>(n) * slope[j] * slope[j] / 2;
    return state;
  }

  // (X'DX + price)^-1 (X'r - price * slope), with a column of ones behind the others.
  std::vector<double> newton_step(const Slope& slope, const State& state, double price) const {
    const std::size_t n_axes = cloud_.n_axes();
    const double scaled_price = price * static_cast<double>(cloud_.n_points());
    const Square products = cloud_.products(state.curvatures);
    const std::vector<double> sums = cloud_.sums(state.curvatures);
    std::vector<double> gradient = cloud_.sums(state.residuals);
    Square bent{n_axes + 1};
    double total = 0.0, rest = 0.0;
    for (std::size_t i = 0; i < cloud_.n_points(); ++i) total += state.curvatures[i], rest += state.residuals[i];
    for (std::size_t i = 0; i < n_axes; ++i) {
      for (std::size_t j = 0; j < n_axes; ++j) bent(i, j) = products(i, j);
      bent(i, i) += scaled_price, bent(i, n_axes) = bent(n_axes, i) = sums[i];
      gradient[i] -= scaled_price * slope[i];
    }
    bent(n_axes, n_axes) = total + scaled_price;
    gradient.push_back(rest);
    return Cholesky{bent}.solve(std::move(gradient));
  }

  const Cloud& cloud_;
  Interrupt& interrupt_;
  Cholesky spread_;  // of the covariances
  Square inverse_;
};

}  // namespace arboretum
