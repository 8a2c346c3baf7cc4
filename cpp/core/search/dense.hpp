// Dense: small symmetric matrices, for fits over the few variables of a node: Cholesky (A = L L') and eigenvectors by
// Jacobi rotations (Golub and Van Loan, section 8.5). A matrix that is not quite positive definite is treated as if
// its smallest pivots were a little larger: nothing fails.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace arboretum {

class Square {
 public:
  explicit Square(std::size_t n) : n_{n}, cells_(n * n) {}
  std::size_t size() const { return n_; }
  double& operator()(std::size_t i, std::size_t j) { return cells_[i * n_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return cells_[i * n_ + j]; }
  std::span<const double> row(std::size_t i) const { return {cells_.data() + i * n_, n_}; }

  // Only the upper half was written.
  void mirror() {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j) (*this)(i, j) = (*this)(j, i);
  }

 private:
  std::size_t n_;
  std::vector<double> cells_;
};

class Cholesky {
 public:
  explicit Cholesky(const Square& matrix) : lower_{matrix.size()} {
    constexpr double least_pivot = 1e-12;  // of the diagonal
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) lower_(i, j) = rest(matrix, i, j) / lower_(j, j);
      const double floor = std::max(least_pivot * matrix(i, i), 1e-300);
      lower_(i, i) = std::sqrt(std::max(rest(matrix, i, i), floor));
    }
  }

  // x with L x = b.
  void solve_lower(std::span<double> b) const {
    for (std::size_t i = 0; i < b.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) b[i] -= lower_(i, j) * b[j];
      b[i] /= lower_(i, i);
    }
  }
  // x with L' x = b.
  void solve_upper(std::span<double> b) const {
    for (std::size_t i = b.size(); i-- > 0;) {
      b[i] /= lower_(i, i);
      for (std::size_t j = 0; j < i; ++j) b[j] -= lower_(i, j) * b[i];
    }
  }
  std::vector<double> solve(std::vector<double> b) const {
    solve_lower(b), solve_upper(b);
    return b;
  }
  Square inverse() const {
    const std::size_t n = lower_.size();
    Square inverse{n};
    std::vector<double> unit(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::ranges::fill(unit, 0.0);
      unit[i] = 1.0;
      solve_lower(unit), solve_upper(unit);
      for (std::size_t j = 0; j < n; ++j) inverse(i, j) = unit[j];
    }
    return inverse;
  }

  // L^-1 M L'^-1: M as it looks where the factored matrix is the identity.
  Square whiten(const Square& symmetric) const {
    const std::size_t n = symmetric.size();
    Square half{n}, whole{n};
    std::vector<double> line(n);
    auto solve_lines = [&](const Square& from, Square& to) {
      for (std::size_t i = 0; i < n; ++i) {
        std::ranges::copy(from.row(i), line.begin());
        solve_lower(line);
        for (std::size_t j = 0; j < n; ++j) to(j, i) = line[j];
      }
    };
    solve_lines(symmetric, half), solve_lines(half, whole);
    return whole;
  }

 private:
  double rest(const Square& matrix, std::size_t i, std::size_t j) const {
    double rest = matrix(i, j);
    for (std::size_t k = 0; k < j; ++k) rest -= lower_(i, k) * lower_(j, k);
    return rest;
  }
  Square lower_;
};

struct EigenPair {
  double value;
  std::vector<double> vector;
};

// Those with the largest |value| first; at most `n_wanted`.
inline std::vector<EigenPair> eigen_pairs(Square a, std::size_t n_wanted) {
  constexpr int max_rounds = 12;
  constexpr double negligible = 1e-8;  // of the squares, off the diagonal
  const std::size_t n = a.size();
  Square vectors{n};  // in rows
  for (std::size_t i = 0; i < n; ++i) vectors(i, i) = 1.0;
  for (int round = 0; round < max_rounds; ++round) {
    double off = 0.0, on = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) (i == j ? on : off) += a(i, j) * a(i, j);
    if (!(off > negligible * on)) break;
    for (std::size_t p = 0; p + 1 < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a(p, q) == 0.0) continue;
        // The rotation that makes a(p, q) zero; of its two angles the smaller.
        const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const double t = (theta < 0.0 ? -1.0 : 1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
        const double c = 1 / std::sqrt(t * t + 1.0), s = t * c;
        auto rotate = [&](double& x, double& y) {
          const double old = x;
          x = c * old - s * y, y = s * old + c * y;
        };
        for (std::size_t k = 0; k < n; ++k) rotate(a(p, k), a(q, k));
        for (std::size_t k = 0; k < n; ++k) rotate(a(k, p), a(k, q));
        for (std::size_t k = 0; k < n; ++k) rotate(vectors(p, k), vectors(q, k));
      }
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return std::abs(a(i, i)); });
  std::vector<EigenPair> pairs;
  for (std::size_t i : order) {
    if (pairs.size() == n_wanted) break;
    pairs.push_back({a(i, i), {vectors.row(i).begin(), vectors.row(i).end()}});
  }
  return pairs;
}

}  // namespace arboretum
