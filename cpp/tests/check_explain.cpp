// Exercises the contributions of columns without Python, so that sanitizers see every path: random trees with all kinds
// of questions and ways with missing values. Prints "N passed, M failed" and returns 1 if anything failed.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/explain/contributions.hpp"
#include "tests/expect.hpp"
#include "tests/random_trees.hpp"

namespace arboretum {
namespace {

constexpr std::size_t n_targets = 2;
constexpr Row n_rows = 60, n_behind = 5;

std::vector<double> predicted(const Router& router, const Dataset& data, const std::vector<double>& values) {
  std::vector<double> found(data.n_rows * n_targets);
  if (router.divides_rows()) router.blend(data, values, n_targets, found, [] {});
  else
    for (Row row = 0; row < data.n_rows; ++row)
      std::copy_n(values.data() + static_cast<std::size_t>(router.leaf_of(data, row)) * n_targets, n_targets,
                  found.data() + row * n_targets);
  return found;
}

struct Result {
  std::vector<double> values = std::vector<double>(n_rows * n_columns * n_targets);
  std::vector<double> pairs = std::vector<double>(n_rows * n_columns * n_columns * n_targets);

  Found found() { return {values, pairs}; }
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// By how much base and contributions miss the predictions.
double gap(const Result& result, const std::vector<double>& base, const std::vector<double>& wanted) {
  std::vector<double> sums(wanted.size());
  for (std::size_t i = 0; i < result.values.size(); ++i)
    sums[i / (n_columns * n_targets) * n_targets + i % n_targets] += result.values[i];
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += base[i % n_targets];
  return distance(sums, wanted);
}

void check(std::mt19937& random, MissingRule rule, bool composites, const std::string& name) {
  const Router router{random_tree(random, rule, composites)};
  const Table<double> table{random, n_rows}, behind{random, n_behind};
  std::vector<double> values(router.n_nodes() * n_targets);
  for (double& value : values) value = static_cast<double>(random() % 100) / 16;
  const Explained explained{&router, {values, n_targets}, &table.data};
  const MakePoll make_poll = [] { return [] {}; };
  const std::vector<double> wanted = predicted(router, table.data, values);

  Result fast, plain, against, by_pairs;
  add_contributions(explained, {2, Way::fast}, fast.found(), make_poll);
  add_contributions(explained, {1, Way::plain}, plain.found(), make_poll);
  expect(distance(fast.values, plain.values) < 1e-12, name + ": rows that share work");
  expect(distance(fast.pairs, plain.pairs) < 1e-12, name + ": pairs of rows that share work");
  expect(gap(plain, weighted_base(explained), wanted) < 1e-12, name + ": sums by weights");

  add_contributions(explained, behind.data, {2, Way::fast}, against.found(), make_poll);
  add_contributions(explained, behind.data, {1, Way::plain}, by_pairs.found(), make_poll);
  expect(distance(against.values, by_pairs.values) < 1e-12, name + ": pairs of rows");
  expect(distance(against.pairs, by_pairs.pairs) < 1e-12, name + ": pairs of columns by pairs of rows");
  const std::vector<double> others = predicted(router, behind.data, values);
  std::vector<double> mean(n_targets);
  for (std::size_t i = 0; i < others.size(); ++i) mean[i % n_targets] += others[i] / n_behind;
  expect(gap(against, mean, wanted) < 1e-12, name + ": sums against a background");
}

}  // namespace
}  // namespace arboretum

int main() {
  using namespace arboretum;
  std::mt19937 random{20'260'315};
  for (int round = 0; round < 20; ++round)
    for (const bool composites : {false, true}) {
      const std::string questions = composites ? "several columns" : "one column";
      check(random, MissingRule::child, composites, "child, " + questions);
      check(random, MissingRule::surrogates, composites, "surrogates, " + questions);
      check(random, MissingRule::fractions, composites, "fractions, " + questions);
    }
  return finish();
}
