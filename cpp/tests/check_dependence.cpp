// Exercises partial dependence without Python, so that sanitizers see every path: random trees of all kinds of
// questions, with every rule for missing values, against one row at a time. Prints "N passed, M failed" and returns 1 if
// anything failed.
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/dependence.hpp"
#include "tests/expect.hpp"

namespace arboretum {
namespace {

constexpr std::size_t n_columns = 4, n_nodes = 15, n_rows = 40, n_cells = 24, width = 2;  // column 3 is nominal

struct Table {
  std::vector<double> values;
  Dataset data;

  Table(std::mt19937& random, std::size_t size)
      : values(size * n_columns), data{.n_rows = static_cast<Row>(size), .columns = {}} {
    std::uniform_int_distribution<int> value{0, 6}, missing{0, 5};
    for (double& x : values) x = missing(random) == 0 ? std::numeric_limits<double>::quiet_NaN() : value(random);
    for (std::size_t c = 0; c < n_columns; ++c) {
      for (std::size_t row = 0; c == 3 && row < size; ++row)
        values[c * size + row] = std::fmod(values[c * size + row], 4);
      ColumnView column;
      column.kind = c == 3 ? Kind::nominal : Kind::numeric;
      column.values = reinterpret_cast<const std::byte*>(values.data() + c * size);
      column.stride = sizeof(double);
      data.columns.push_back(column);
    }
  }
};

// A full tree of three levels of questions.
Router::Arrays random_tree(std::mt19937& random, MissingRule rule) {
  auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>{low, high}(random); };
  Router::Arrays a;
  a.rule = rule;
  a.level_begin.push_back(0), a.terms.begin.push_back(0);
  a.others.begin.push_back(0), a.others.level_begin.push_back(0);
  for (std::size_t node = 0; node < n_nodes; ++node) {
    const bool leaf = node >= n_nodes / 2;
    const int kind = leaf ? 0 : draw(1, 5);
    a.first_child.push_back(leaf ? no_node : static_cast<NodeId>(2 * node + 1));
    a.n_children.push_back(leaf ? 0 : 2);
    a.kind.push_back(static_cast<std::uint8_t>(kind));
    a.column.push_back(leaf ? -1 : kind == 2 ? 3 : draw(0, 2));
    const double threshold = kind == 4 ? draw(1, 2) : draw(0, 5);
    a.threshold.push_back(threshold), a.threshold_floor.push_back(static_cast<std::int64_t>(threshold));
    a.missing_child.push_back(rule == MissingRule::surrogates && draw(0, 3) == 0 ? -1 : draw(0, 1));
    a.weight.push_back(draw(1, 9));
    for (int level = 0; kind == 2 && level < 3; ++level)  // level 3 had no rows
      a.level.push_back(level), a.level_child.push_back(draw(0, 1));
    a.level_begin.push_back(static_cast<std::int64_t>(a.level.size()));
    for (int t = 0, n = kind >= 4 ? draw(2, 4) : 0; t < n; ++t) {
      const bool of_level = draw(0, 3) == 0;
      Term term;
      term.column = of_level ? 3 : static_cast<std::uint32_t>(draw(0, 2));
      term.kind = of_level ? QuestionKind::levels : kind == 5 ? QuestionKind::linear : QuestionKind::threshold;
      term.negated = kind == 4 && draw(0, 1) == 1;
      term.threshold = {static_cast<double>(draw(0, 5)), 0};
      term.level = of_level ? draw(0, 3) : -1;
      term.coefficient = draw(-2, 2), term.fill = draw(0, 3);
      a.terms.add(term);
    }
    a.terms.begin.push_back(static_cast<std::int64_t>(a.terms.size()));
    for (int s = 0; !leaf && rule == MissingRule::surrogates && s < 2; ++s) {
      a.others.role.push_back(static_cast<std::uint8_t>(Role::surrogate)), a.others.kind.push_back(1);
      a.others.flipped.push_back(static_cast<std::uint8_t>(draw(0, 1))), a.others.column.push_back(draw(0, 2));
      a.others.threshold.push_back(draw(0, 5)), a.others.threshold_floor.push_back(0);
      a.others.level_begin.push_back(0);
    }
    a.others.begin.push_back(static_cast<std::int64_t>(a.others.size()));
  }
  return a;
}

// What the tree says of one row with the values of one cell.
std::vector<double> predicted(const Router& router, Table& rows, const Table& cells, const std::vector<bool>& set,
                              Row row, Row cell, const std::vector<double>& values) {
  std::vector<double> before(n_columns), found(width);
  Router::OpenNodes open;
  for (std::size_t c = 0; c < n_columns; ++c) {
    double& place = rows.values[c * n_rows + row];
    before[c] = place;
    if (set[c]) place = cells.values[c * n_cells + cell];
  }
  if (router.divides_rows())
    router.visit_nodes(rows.data, row, open, [&](std::size_t node, double share) {
      for (std::size_t k = 0; node >= n_nodes / 2 && k < width; ++k) found[k] += share * values[node * width + k];
    });
  else
    for (std::size_t k = 0; k < width; ++k)
      found[k] = values[static_cast<std::size_t>(router.leaf_of(rows.data, row)) * width + k];
  for (std::size_t c = 0; c < n_columns; ++c) rows.values[c * n_rows + row] = before[c];
  return found;
}

void check_tree(std::mt19937& random, MissingRule rule, const std::string& name) {
  const Router router{random_tree(random, rule)};
  Table rows{random, n_rows}, cells{random, n_cells};
  std::vector<double> values(n_nodes * width), weights(n_rows);
  for (double& value : values) value = std::uniform_real_distribution<double>{-1, 1}(random);
  for (double& weight : weights) weight = std::uniform_int_distribution<int>{0, 3}(random);
  GridCells grid{cells.data, std::vector<bool>(n_columns)};
  grid.set[std::uniform_int_distribution<std::size_t>{0, 3}(random)] = true;
  grid.set[std::uniform_int_distribution<std::size_t>{0, 3}(random)] = true;
  std::vector<double> sums(n_cells * width), each(n_rows * n_cells * width), means(n_cells * width);
  const Router::Poll poll = [] {};
  sum_over_rows(router, &rows.data, weights, grid, values, width, sums, poll);
  each_row(router, rows.data, grid, values, width, each, poll);
  sum_over_rows(router, nullptr, {}, grid, values, width, means, poll);
  bool same_sums = true, same_rows = true, within = true;
  for (Row cell = 0; cell < n_cells; ++cell) {
    std::vector<double> sum(width);
    for (Row row = 0; row < n_rows; ++row) {
      const std::vector<double> wanted = predicted(router, rows, cells, grid.set, row, cell, values);
      for (std::size_t k = 0; k < width; ++k) {
        sum[k] += weights[row] * wanted[k];
        same_rows &= std::abs(each[(row * n_cells + cell) * width + k] - wanted[k]) < 1e-12;
      }
    }
    for (std::size_t k = 0; k < width; ++k) {
      same_sums &= std::abs(sums[cell * width + k] - sum[k]) < 1e-10;
      within &= std::abs(means[cell * width + k]) <= 1.0;
    }
  }
  expect(same_rows, name + ": each row in each cell");
  expect(same_sums, name + ": the sum over the rows");
  expect(within, name + ": a mean without rows lies among the values");
}

}  // namespace
}  // namespace arboretum

int main() {
  using namespace arboretum;
  std::mt19937 random{20'260'118};
  for (int i = 0; i < 300; ++i) {
    check_tree(random, MissingRule::child, "to a child");
    check_tree(random, MissingRule::surrogates, "by surrogates");
    check_tree(random, MissingRule::fractions, "in fractions");
  }
  return finish();
}
