// Optimal trees of small random tables of every kind, for the sanitizers; vectors and plain arrays must agree, searches
// that are stopped must tell the truth, and a second thread must find the same. Prints "N passed, M failed" and returns
// 1 if anything failed.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/search/optimal/optimal.hpp"
#include "tests/expect.hpp"

using namespace arboretum;

namespace {

struct Table {
  Dataset data;
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<std::int32_t>> levels;
  std::vector<std::vector<std::byte>> masked;
  std::vector<std::int32_t> classes;
  std::vector<double> targets, weights;
  Targets all;
};

Table random_table(std::mt19937& random, Row n_rows) {
  auto below = [&](std::uint32_t n) { return random() % n; };
  Table table;
  table.data.n_rows = n_rows;
  const std::uint32_t n_columns = 1 + below(3);
  table.numbers.resize(n_columns), table.levels.resize(n_columns), table.masked.resize(n_columns);
  for (std::uint32_t f = 0; f < n_columns; ++f) {
    const bool nominal = below(3) == 0, missing = below(3) == 0;
    const std::uint32_t n_values = nominal ? 1 + below(4) : 1 + below(below(2) == 0 ? 4 : 500);
    for (Row row = 0; row < n_rows; ++row) {
      const std::uint32_t value = below(n_values);
      table.masked[f].push_back(std::byte{static_cast<unsigned char>(missing && below(5) == 0)});
      if (nominal) table.levels[f].push_back(static_cast<std::int32_t>(value));
      else table.numbers[f].push_back(value);
    }
    ColumnView view;
    if (nominal) {
      view.kind = Kind::nominal, view.type = ValueType::int32, view.n_levels = n_values + 1;
      view.values = reinterpret_cast<const std::byte*>(table.levels[f].data()), view.stride = 4;
    } else {
      view.values = reinterpret_cast<const std::byte*>(table.numbers[f].data()), view.stride = 8;
    }
    view.masked = table.masked[f].data(), view.masked_stride = 1;
    table.data.columns.push_back(view);
  }
  const std::uint32_t n_classes = 2 + below(3);
  const bool of_classes = below(3) != 0;
  for (Row row = 0; row < n_rows; ++row) {
    table.classes.push_back(static_cast<std::int32_t>(below(n_classes)));
    table.targets.push_back(below(9)), table.weights.push_back(1 + below(4));
  }
  if (of_classes) table.all.classes = table.classes, table.all.n_classes = n_classes;
  else table.all.numbers = table.targets;
  if (below(2) == 0) table.all.weights = table.weights;
  return table;
}

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-6 * (1.0 + std::abs(a)); }

void expect(bool holds, const char* what, unsigned seed) {
  arboretum::expect(holds, "seed " + std::to_string(seed) + ": " + what);
}

void check(unsigned seed) {
  std::mt19937 random{seed};
  Table table = random_table(random, 1 + random() % (seed % 8 == 0 ? 400 : 20));
  if (!table.all.classes.empty()) table.all.classes = table.classes;
  else table.all.numbers = table.targets;
  if (!table.all.weights.empty()) table.all.weights = table.weights;
  optimal::OptimalOptions options;
  options.max_depth = 1 + random() % 3, options.max_leaves = 2 + random() % 8;
  options.min_leaf_rows = 1 + random() % 3,
  options.nominal = random() % 2 == 0 ? Nominal::subset : Nominal::one_vs_rest;
  options.leaf_penalty = random() % 3 == 0 ? 0.05 : 0.0;
  if (!table.all.classes.empty() && random() % 3 == 0)
    for (std::uint32_t i = 0; i < table.all.n_classes * table.all.n_classes; ++i)
      options.loss.push_back(i % (table.all.n_classes + 1) == 0 ? 0.0 : 1.0 + random() % 4);
  Interrupt never;
  const optimal::Outcome whole = optimal::search(table.data, table.all, options, never);
  expect(whole.stop == optimal::Stop::proof && whole.best.objective == whole.best.bound, "not proven", seed);
  optimal::OptimalOptions other = options;
  other.simd = false;
  const optimal::Outcome plain = optimal::search(table.data, table.all, other, never);
  expect(plain.best.objective == whole.best.objective && plain.passes == whole.passes, "the plain twin differs", seed);
  other = options, other.n_cuts = 3, other.n_threads = 2, other.alternatives = true;
  const optimal::Outcome again = optimal::search(table.data, table.all, other, never);
  expect(is_near(again.best.objective, whole.best.objective), "fewer cuts find another", seed);
  other = options, other.passes = std::floor(whole.passes * (random() % 100) / 100.0);
  const optimal::Outcome stopped = optimal::search(table.data, table.all, other, never);
  const double slack = 1e-6 * (1.0 + whole.best.objective);
  expect(stopped.best.bound <= whole.best.objective + slack && whole.best.objective <= stopped.best.objective + slack,
         "a stopped search does not tell the truth", seed);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned n = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 300;
  for (unsigned seed = 0; seed < n; ++seed) check(seed);
  return finish();
}
