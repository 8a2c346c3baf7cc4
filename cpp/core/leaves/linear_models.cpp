#include "core/leaves/linear_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

namespace arboretum {

namespace {

// Of a column whose spread is a smaller share of its size, rounding makes up most.
constexpr double least_spread = 1e-13;
// What is left of a standardised column beside those before it; less is rounding.
constexpr double least_pivot = 1e-10;

// Means of columns, and sums of squares and products about them. The target is the last column and is never missing.
class NodeSums {
 public:
  NodeSums(std::size_t n_columns, bool any_missing)
      : q_{n_columns + 1},
        mean(q_, 0.0),
        seen(q_, 0.0),
        size(q_, 0.0),
        products_(q_ * q_, 0.0),
        offsets_(any_missing ? q_ * q_ : 0, 0.0),
        together_(any_missing ? q_ * q_ : 0, 0.0) {}

  double weight() const { return seen[q_ - 1]; }
  double product(std::size_t j, std::size_t k) const { return products_[j * q_ + k]; }

  // Means are to be set before: rows are added about them.
  void add(std::span<const double> row, double w) {
    for (std::size_t j = 0; j < q_; ++j) {
      if (std::isnan(row[j])) continue;
      const double away = row[j] - mean[j];
      for (std::size_t k = 0; k < q_; ++k) {
        if (std::isnan(row[k])) continue;
        products_[j * q_ + k] += w * away * (row[k] - mean[k]);
        if (offsets_.empty()) continue;
        offsets_[j * q_ + k] += w * away;
        together_[j * q_ + k] += w;
      }
    }
  }

  void see(std::span<const double> row, double w, double target) {
    ++n_rows;
    low = std::min(low, target), high = std::max(high, target);
    for (std::size_t j = 0; j < q_; ++j) {
      if (std::isnan(row[j])) continue;
      seen[j] += w, mean[j] += w / seen[j] * (row[j] - mean[j]);
      size[j] = std::max(size[j], std::abs(row[j]));
    }
  }

  void merge(NodeSums& other) {
    std::vector<double> common(q_);
    for (std::size_t j = 0; j < q_; ++j) {
      const double both = seen[j] + other.seen[j];
      common[j] = both > 0.0 ? mean[j] + other.seen[j] / both * (other.mean[j] - mean[j]) : 0.0;
      if (seen[j] == 0.0) common[j] = other.mean[j];
    }
    move_to(common), other.move_to(common);
    for (std::size_t i = 0; i < products_.size(); ++i) products_[i] += other.products_[i];
    for (std::size_t i = 0; i < offsets_.size(); ++i)
      offsets_[i] += other.offsets_[i], together_[i] += other.together_[i];
    for (std::size_t j = 0; j < q_; ++j) seen[j] += other.seen[j], size[j] = std::max(size[j], other.size[j]);
    n_rows += other.n_rows, low = std::min(low, other.low), high = std::max(high, other.high);
  }

 private:
  // Σ (u + d)(v + e) = Σ uv + e Σ u + d Σ v + de Σ 1, over the rows that have both values.
  void move_to(const std::vector<double>& common) {
    std::vector<double> step(q_);
    for (std::size_t j = 0; j < q_; ++j) step[j] = seen[j] > 0.0 ? mean[j] - common[j] : 0.0;
    for (std::size_t j = 0; j < q_; ++j)
      for (std::size_t k = 0; k < q_; ++k) {
        const std::size_t at = j * q_ + k;
        if (offsets_.empty()) products_[at] += step[j] * step[k] * weight();
        else
          products_[at] += step[k] * offsets_[at] + step[j] * offsets_[k * q_ + j] + step[j] * step[k] * together_[at];
      }
    for (std::size_t i = 0; i < offsets_.size(); ++i) offsets_[i] += step[i / q_] * together_[i];
    mean = common;
  }

  std::size_t q_;

 public:
  std::vector<double> mean, seen, size;  // of each column: its mean, the weight of the rows that have it, max |x|
  std::size_t n_rows = 0;
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

 private:
  std::vector<double> products_, offsets_, together_;
};

// Solves (R + ridge · 1) b = r by Cholesky's decomposition; columns without a pivot of their own get zero.
class RidgeSolver {
 public:
  void solve(std::vector<double>& matrix, std::vector<double>& right) {
    const std::size_t n = right.size();
    left_out_.assign(n, 0);
    for (std::size_t j = 0; j < n; ++j) {
      double pivot = matrix[j * n + j];
      const double whole = pivot;
      for (std::size_t k = 0; k < j; ++k) pivot -= matrix[j * n + k] * matrix[j * n + k];
      if (!(pivot > least_pivot * whole)) {
        left_out_[j] = 1, right[j] = 0.0;
        for (std::size_t i = 0; i < n; ++i) matrix[std::max(i, j) * n + std::min(i, j)] = 0.0;
        continue;
      }
      const double root = std::sqrt(pivot);
      matrix[j * n + j] = root;
      for (std::size_t i = j + 1; i < n; ++i) {
        double sum = matrix[i * n + j];
        for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * n + k] * matrix[j * n + k];
        matrix[i * n + j] = sum / root;
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      if (left_out_[j]) continue;
      for (std::size_t k = 0; k < j; ++k) right[j] -= matrix[j * n + k] * right[k];
      right[j] /= matrix[j * n + j];
    }
    for (std::size_t j = n; j-- > 0;) {
      if (left_out_[j]) continue;
      for (std::size_t i = j + 1; i < n; ++i) right[j] -= matrix[i * n + j] * right[i];
      right[j] /= matrix[j * n + j];
    }
  }

 private:
  std::vector<std::uint8_t> left_out_;
};

class ModelFitter {
 public:
  ModelFitter(const Shape& shape, std::size_t n_columns, std::span<const std::uint8_t> used, double ridge)
      : p_{n_columns}, used_{used}, ridge_{ridge} {
    const std::size_t n = shape.size();
    for (auto* each : {&models.intercept, &models.low, &models.high, &models.error}) each->assign(n, 0.0);
    models.coefficient.assign(n * p_, 0.0), models.fill.assign(n * p_, 0.0);
  }

  void fit(std::size_t node, const NodeSums& m) {
    const double weight = m.weight();
    if (m.n_rows == 0) return;
    models.low[node] = m.low, models.high[node] = m.high;
    for (std::size_t j = 0; j < p_; ++j) models.fill[node * p_ + j] = m.seen[j] > 0.0 ? m.mean[j] : 0.0;
    chosen_.clear(), spread_.clear();
    for (std::size_t j = 0; j < p_; ++j) {
      const double spread = std::sqrt(std::max(m.product(j, j), 0.0) / weight);
      if (used_[node * p_ + j] && spread > least_spread * m.size[j]) chosen_.push_back(j), spread_.push_back(spread);
    }
    const std::size_t n = chosen_.size();
    matrix_.assign(n * n, 0.0), right_.assign(n, 0.0);
    for (std::size_t a = 0; a < n; ++a) {
      right_[a] = m.product(chosen_[a], p_) / weight / spread_[a];
      for (std::size_t b = 0; b <= a; ++b)
        matrix_[a * n + b] = m.product(chosen_[a], chosen_[b]) / weight / spread_[a] / spread_[b];
      matrix_[a * n + a] += ridge_ / static_cast<double>(m.n_rows);
    }
    ridge_solver_.solve(matrix_, right_);
    double intercept = m.mean[p_];
    double error = m.product(p_, p_);
    for (std::size_t a = 0; a < n; ++a) {
      const double slope = right_[a] / spread_[a];
      models.coefficient[node * p_ + chosen_[a]] = slope;
      intercept -= slope * m.mean[chosen_[a]];
      error -= 2.0 * slope * m.product(chosen_[a], p_);
    }
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        error += right_[a] / spread_[a] * right_[b] / spread_[b] * m.product(chosen_[a], chosen_[b]);
    models.intercept[node] = intercept;
    models.error[node] = std::max(error, 0.0);
  }

  LinearModels models;

 private:
  std::size_t p_;
  std::span<const std::uint8_t> used_;
  double ridge_;
  std::vector<std::size_t> chosen_;
  std::vector<double> spread_, matrix_, right_;
  RidgeSolver ridge_solver_;
};

// Nodes so that each comes after all that is below it, and few branches are open at a time.
std::vector<std::size_t> upwards(const Shape& shape) {
  std::vector<std::size_t> order, open{0};
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    order.push_back(node);
    for (std::int32_t c = 0; c < shape.n_children[node]; ++c) open.push_back(shape.child(node, c));
  }
  std::ranges::reverse(order);
  return order;
}

}  // namespace

LinearModels linear_models(const Shape& shape, const LinearRows& rows, std::span<const std::uint8_t> used, double ridge,
                           Interrupt& interrupt) {
  const std::size_t n_nodes = shape.size(), n_rows = rows.resting.size(), p = rows.n_columns;
  const bool any_missing = std::ranges::any_of(rows.values, [](double x) { return std::isnan(x); });
  std::vector<std::size_t> begin(n_nodes + 1, 0), order(n_rows);
  for (const NodeId node : rows.resting) ++begin[static_cast<std::size_t>(node) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t row = 0; row < n_rows; ++row) order[next[static_cast<std::size_t>(rows.resting[row])]++] = row;

  std::vector<std::unique_ptr<NodeSums>> open(n_nodes);
  ModelFitter fitter{shape, p, used, ridge};
  std::vector<double> values(p + 1);
  const auto read = [&](std::size_t row) {
    std::ranges::copy(rows.values.subspan(row * p, p), values.begin());
    values[p] = rows.targets[row];
  };
  for (const std::size_t node : upwards(shape)) {
    interrupt.poll();
    auto own = std::make_unique<NodeSums>(p, any_missing);
    for (std::size_t i = begin[node]; i < begin[node + 1]; ++i)
      read(order[i]), own->see(values, rows.weights[order[i]], rows.targets[order[i]]);
    for (std::size_t i = begin[node]; i < begin[node + 1]; ++i) {
      if (i % 1024 == 0) interrupt.poll();
      read(order[i]), own->add(values, rows.weights[order[i]]);
    }
    if (open[node]) own->merge(*open[node]), open[node].reset();
    fitter.fit(node, *own);
    if (node == 0) break;
    auto& above = open[shape.above(node)];
    if (above) above->merge(*own);
    else above = std::move(own);
  }
  return std::move(fitter.models);
}

}  // namespace arboretum
