// Exercises forests and the drawing of columns without Python, so that sanitizers see every path: many trees against
// their routers, one row at a time. Prints "N passed, M failed" and returns 1 if anything failed.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/forest.hpp"
#include "core/grow/column_draw.hpp"
#include "tests/expect.hpp"
#include "tests/random_trees.hpp"

namespace arboretum {
namespace {

// Trees of all kinds, the first of them a leaf alone, and what they predict.
struct Trees {
  std::vector<std::unique_ptr<Router>> routers;
  std::vector<std::vector<double>> values;

  Trees(std::mt19937& random, std::size_t width, bool only_numbers) {
    for (int tree = 0; tree < 12; ++tree) {
      const auto rule = only_numbers || tree % 3 == 0 ? MissingRule::child
                        : tree % 3 == 1               ? MissingRule::surrogates
                                                      : MissingRule::fractions;
      routers.push_back(std::make_unique<Router>(random_tree(random, rule, !only_numbers && tree % 4 == 0)));
      values.emplace_back(routers.back()->n_nodes() * width);
      for (double& value : values.back()) value = static_cast<double>(random() % 100) / 16;
    }
  }

  Forest forest(std::size_t width) const {
    Forest forest{width};
    for (std::size_t tree = 0; tree < routers.size(); ++tree) forest.add(*routers[tree], values[tree]);
    return forest;
  }

  // What the forest should find, one row and one tree after the other.
  std::vector<double> sums(const Dataset& data, std::size_t width) const {
    std::vector<double> sums(data.n_rows * width), one(sums.size());
    for (std::size_t tree = 0; tree < routers.size(); ++tree) {
      if (routers[tree]->divides_rows()) {
        routers[tree]->blend(data, values[tree], width, one, [] {});
      } else {
        for (Row row = 0; row < data.n_rows; ++row)
          std::copy_n(values[tree].data() + static_cast<std::size_t>(routers[tree]->leaf_of(data, row)) * width, width,
                      one.data() + row * width);
      }
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += one[i];
    }
    return sums;
  }
};

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return std::abs(x - y) < 1e-9; });
}

template <class T>
void check_forest(std::mt19937& random, Row n_rows, bool only_numbers, const std::string& name) {
  const std::size_t width = 1 + random() % 3;
  const Trees trees{random, width, only_numbers};
  const Table<T> table{random, n_rows};
  const Forest forest = trees.forest(width);
  const std::vector<double> wanted = trees.sums(table.data, width);
  for (const unsigned n_threads : {1u, 3u}) {
    Interrupt interrupt;
    std::vector<double> sums(wanted.size(), 1.0);
    forest.sum(table.data, sums, n_threads, interrupt);
    expect(same(sums, wanted), name + ": sums");
    std::vector<NodeId> leaves(n_rows * forest.size(), no_node);
    forest.leaves_of(table.data, leaves, n_threads, interrupt);
    bool right = true;
    for (Row row = 0; row < n_rows; ++row)
      for (std::size_t tree = 0; tree < forest.size(); ++tree)
        right &= leaves[row * forest.size() + tree] == trees.routers[tree]->leaf_of(table.data, row);
    expect(right, name + ": leaves");
  }
}

// A tree that is as deep as it has inner nodes: rows that come to rest early make room for others.
Router::Arrays deep_tree(std::mt19937& random, std::size_t depth) {
  Router::Arrays tree;
  const std::size_t n_nodes = 2 * depth + 1;
  tree.level_begin.assign(n_nodes + 1, 0), tree.others.begin.assign(n_nodes + 1, 0);
  tree.others.level_begin.push_back(0);
  for (std::size_t node = 0, inner = 0, n_known = 1; node < n_nodes; ++node) {
    const bool asks = node == inner;
    tree.first_child.push_back(asks && depth > 0 ? static_cast<NodeId>(n_known) : no_node);
    tree.n_children.push_back(tree.first_child.back() == no_node ? 0 : 2);
    if (tree.first_child.back() != no_node) inner = n_known + random() % 2, n_known += 2, --depth;
    const auto floor = static_cast<std::int64_t>(random() % 9);
    tree.column.push_back(static_cast<std::int32_t>(random() % n_columns));
    tree.kind.push_back(static_cast<std::uint8_t>(asks ? QuestionKind::threshold : QuestionKind::leaf));
    tree.threshold.push_back(static_cast<double>(floor) + 0.5), tree.threshold_floor.push_back(floor);
    tree.missing_child.push_back(static_cast<std::int32_t>(random() % 2));
    tree.weight.push_back(1.0);
  }
  return tree;
}

void check_deep_trees(std::mt19937& random, Row n_rows) {
  const Table<double> table{random, n_rows};
  std::vector<std::unique_ptr<Router>> routers;
  Forest forest{3};
  std::vector<double> wanted(n_rows * forest.width()), sums(wanted.size());
  for (std::size_t tree = 0; tree < 40; ++tree) {
    routers.push_back(std::make_unique<Router>(deep_tree(random, tree)));
    std::vector<double> values(routers.back()->n_nodes() * forest.width());
    for (double& value : values) value = 1.0 / static_cast<double>(1 + random() % 100);
    for (Row row = 0; row < n_rows; ++row)
      for (std::size_t k = 0; k < forest.width(); ++k)
        wanted[row * forest.width() + k] +=
            values[static_cast<std::size_t>(routers.back()->leaf_of(table.data, row)) * forest.width() + k];
    expect(forest.add(*routers.back(), std::move(values)), "a deep tree is walked");
  }
  Interrupt interrupt;
  forest.sum(table.data, sums, 2, interrupt);
  expect(sums == wanted, "deep trees, " + std::to_string(n_rows) + " rows");
}

// A threshold that no float has: doubles beside it are told apart, and floats fall on the right side of it.
void check_close_values() {
  Router::Arrays tree;
  tree.level_begin.assign(4, 0), tree.others.begin.assign(4, 0), tree.others.level_begin.push_back(0);
  tree.first_child = {1, no_node, no_node}, tree.n_children = {2, 0, 0}, tree.column = {0, -1, -1};
  tree.kind = {static_cast<std::uint8_t>(QuestionKind::threshold), 0, 0};
  tree.threshold = {1.0 + 1e-12, 0.0, 0.0}, tree.threshold_floor = {1, 0, 0};
  tree.missing_child = {0, 0, 0}, tree.weight = {2.0, 1.0, 1.0};
  const Router router{std::move(tree)};
  Forest forest{1};
  forest.add(router, {0.0, 1.0, 2.0});
  Interrupt interrupt;
  auto sums_of = [&]<class T>(const std::vector<T>& values) {
    Dataset data{.n_rows = static_cast<Row>(values.size()), .columns = {}};
    data.columns.push_back(
        {.type = type_of<T>(), .values = reinterpret_cast<const std::byte*>(values.data()), .stride = sizeof(T)});
    std::vector<double> sums(values.size());
    forest.sum(data, sums, 1, interrupt);
    return sums;
  };
  expect(sums_of(std::vector<double>{1.0, 1.0 + 1e-12, 1.0 + 2e-12}) == std::vector{1.0, 1.0, 2.0}, "close doubles");
  expect(sums_of(std::vector<float>{1.0f, std::nextafter(1.0f, 2.0f)}) == std::vector{1.0, 2.0}, "close floats");
}

void check_draws(std::mt19937& random) {
  const std::size_t n = 2 + random() % 9;
  GrowOptions options;
  options.drawn_columns = static_cast<std::uint32_t>(1 + random() % (n - 1));
  ColumnDraw draw{options, n}, other{options, n};
  expect(draw.draws(), "fewer than all");
  for (DrawKey key = 0; key < 50; ++key) {
    std::vector<std::uint32_t> drawn{draw.first(key).begin(), draw.first(key).end()};
    expect(drawn.size() == options.drawn_columns && std::ranges::is_sorted(drawn), "drawn columns ascend");
    if (key % 2 == 0) other.first(key + 99), other.next();  // what was drawn before makes no difference
    expect(std::ranges::equal(other.first(key), drawn), "the key alone decides");
    for (auto more = draw.next(); !more.empty(); more = draw.next()) drawn.push_back(more.front());
    std::ranges::sort(drawn);
    bool all = drawn.size() == n;
    for (std::uint32_t column = 0; all && column < n; ++column) all = drawn[column] == column;
    expect(all, "in the end every column has come once");
    const auto wanted = static_cast<std::uint32_t>(random() % n);
    const auto found = draw.best(key, [&](std::span<const std::uint32_t> columns) -> std::optional<std::uint32_t> {
      if (std::ranges::find(columns, wanted) == columns.end()) return std::nullopt;
      return wanted;
    });
    expect(found == wanted, "others follow where the drawn ones have no question");
  }
  options.drawn_columns = static_cast<std::uint32_t>(n);
  expect(!ColumnDraw{options, n}.draws(), "all columns are no draw");
}

}  // namespace
}  // namespace arboretum

int main() {
  using namespace arboretum;
  std::mt19937 random{20'261'118};
  check_close_values();
  for (int round = 0; round < 20; ++round) check_draws(random);
  for (const Row n_rows : {1u, 9u, 31u, 32u, 33u, 500u}) check_deep_trees(random, n_rows);
  for (const Row n_rows : {0u, 1u, 7u, 300u})
    for (const bool only_numbers : {true, false})
      for (int round = 0; round < 5; ++round) {
        const std::string size = std::to_string(n_rows) + (only_numbers ? " rows, numbers" : " rows, all questions");
        check_forest<float>(random, n_rows, only_numbers, size + ", floats");
        check_forest<double>(random, n_rows, only_numbers, size + ", doubles");
        check_forest<std::int8_t>(random, n_rows, only_numbers, size + ", bytes");
        check_forest<std::int64_t>(random, n_rows, only_numbers, size + ", integers");
      }
  return finish();
}
