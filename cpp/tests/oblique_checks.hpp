// Checks of questions about sums: what a question claims is counted again row by row, known directions are found, and
// odd tables do no harm.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/registry.hpp"
#include "core/search/oblique.hpp"

namespace arboretum {

template <Criterion C>
struct ObliqueNode {
  std::vector<std::vector<double>> numeric;
  std::vector<std::vector<std::int64_t>> integers;
  std::vector<std::vector<std::int32_t>> nominal;
  std::vector<std::uint8_t> masked;  // of integers and levels
  std::vector<std::int32_t> classes;
  std::vector<double> numbers, weights;
  std::uint32_t n_classes = 2, n_levels = 4;
  GrowOptions options;
  Limits limits;
  Interrupt interrupt;

  std::size_t n_rows() const { return C::target == TargetKind::classes ? classes.size() : numbers.size(); }

  // Calls see(table, targets) with the node laid out.
  template <class See>
  auto look(See&& see) {
    Dataset data;
    data.n_rows = static_cast<Row>(n_rows());
    auto add = [&](Kind kind, ValueType type, const void* values, std::ptrdiff_t stride, std::uint32_t levels) {
      ColumnView view{.kind = kind, .type = type, .n_levels = levels};
      view.values = static_cast<const std::byte*>(values), view.stride = stride;
      if (type != ValueType::float64 && !masked.empty())
        view.masked = reinterpret_cast<const std::byte*>(masked.data()), view.masked_stride = 1;
      data.columns.push_back(view);
    };
    for (const auto& column : numeric) add(Kind::numeric, ValueType::float64, column.data(), 8, 0);
    for (const auto& column : integers) add(Kind::numeric, ValueType::int64, column.data(), 8, 0);
    for (const auto& column : nominal) add(Kind::nominal, ValueType::int32, column.data(), 4, n_levels);
    std::vector<CodedColumn> coded;
    for (const ColumnView& column : data.columns)
      coded.push_back(encode_column(column, data.n_rows, std::numeric_limits<std::size_t>::max(), interrupt));
    std::vector<std::uint32_t> columns(data.columns.size());
    std::iota(columns.begin(), columns.end(), 0u);

    C criterion{};
    Targets source{.n_classes = n_classes};
    if constexpr (C::target == TargetKind::classes) criterion.n_classes = n_classes, source.classes = classes;
    else source.numbers = numbers;
    source.weights = weights;
    std::vector<Row> rows(n_rows());
    std::iota(rows.begin(), rows.end(), Row{0});
    if constexpr (Foresees<C>) criterion.put_in_order(source, rows);
    std::vector<typename C::Target> targets(rows.size());
    const auto scale = criterion.encode_rows(source, rows, targets);
    const auto node = criterion.open(scale, source, rows, targets);
    const NodeTable<C> table{data, criterion, options, limits, node, targets, rows, columns, coded, interrupt};
    return see(table);
  }

  std::optional<Split> best(double to_beat) {
    return look([&](const NodeTable<C>& table) { return best_oblique<C>(table, to_beat); });
  }
};

// The score of the best cut of one column by values, missing ones on neither side's account: what a sum has to beat.
template <Criterion C>
double best_single(const NodeTable<C>& table) {
  double best = 0.0;
  Projection<C> projection{table};
  std::vector<double> numbers;
  for (const std::uint32_t column : table.columns) {
    if (table.coded[column].kind != Kind::numeric) continue;
    read_numbers(table.data.columns[column], table.rows, numbers);
    if (std::ranges::any_of(numbers, [](double x) { return std::isnan(x); })) continue;
    if (const std::optional<SumCut> cut = projection.best_cut(numbers, 0.0)) best = std::max(best, cut->score);
  }
  return best;
}

// Counts every claim of a question again, row by row. True if there is a question.
template <Criterion C, class Expect>
bool check_claim(const NodeTable<C>& table, double to_beat, const std::string& name, Expect&& expect) {
  const std::optional<Split> split = best_oblique<C>(table, to_beat);
  const std::optional<Split> again = best_oblique<C>(table, to_beat);
  expect(split.has_value() == again.has_value() &&
             (!split || (split->score == again->score && split->bound == again->bound)),
         name + ": asked twice, answered differently");
  if (!split) return false;
  typename C::Sweep sweep{table.criterion, table.node};
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (answer_of(split->kind, split->terms, split->bound, table.data, table.rows[i]) == 0)
      sweep.pass(table.targets.subspan(i, 1));
  expect(split->score == std::max(0.0, sweep.score()), name + ": the score is not that of its rows");
  expect(split->left_weight == sweep.weight(), name + ": the weight is not that of its rows");
  expect(split->score > to_beat * rounding, name + ": no better than an ordinary question");
  expect(table.limits.allow_size(sweep, table.node) && sweep.admissible(), name + ": a side is too small");
  expect(split->kind == QuestionKind::linear && split->n_children == 2 && !split->missing_seen && !split->missing_left,
         name + ": not a question about a sum");
  const std::size_t n_terms = split->terms.size();
  expect(n_terms >= 2 && n_terms <= table.options.oblique.max_terms, name + ": too few or too many terms");
  expect(split->column == split->terms.front().column && std::isfinite(split->bound), name + ": column or bound");
  bool sound = true;
  for (const Term& term : split->terms) {
    const ColumnView& column = table.data.columns[term.column];
    const bool level = term.kind == QuestionKind::levels;
    sound &= std::isfinite(term.coefficient) && term.coefficient != 0.0 && std::isfinite(term.fill);
    sound &= level ? column.kind == Kind::nominal && term.level >= 0 &&
                         static_cast<std::uint32_t>(term.level) < column.n_levels
                   : term.kind == QuestionKind::linear && column.kind == Kind::numeric && term.level == -1;
    for (const Term& other : split->terms)
      sound &= &other == &term || other.column != term.column || other.level != term.level;
  }
  expect(sound, name + ": a term is not sound");
  return true;
}

// The score of the best cut along any direction in the plane, by half degrees.
inline double best_of_all_angles(ObliqueNode<Gini>& node) {
  return node.look([&](const NodeTable<Gini>& table) {
    Projection<Gini> projection{table};
    std::vector<double> sums(table.rows.size());
    double best = 0.0;
    for (int degree = 0; degree < 360; ++degree) {
      const double angle = degree * 3.14159265358979 / 360;
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = std::cos(angle) * node.numeric[0][i] + std::sin(angle) * node.numeric[1][i];
      if (const auto cut = projection.best_cut(sums, 0.0)) best = std::max(best, cut->score);
    }
    return best;
  });
}

struct Draw {
  std::mt19937& random;
  double uniform() { return static_cast<double>(random()) / 0x1p32; }
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }
  std::size_t below(std::size_t n) { return random() % n; }
};

// Columns of normal numbers, and how far each row lies along a slope.
template <Criterion C>
std::vector<double> fill_normal(ObliqueNode<C>& node, Draw& draw, std::size_t n_rows,
                                const std::vector<double>& slope) {
  std::vector<double> sums(n_rows);
  for (const double b : slope) {
    node.numeric.emplace_back();
    for (std::size_t i = 0; i < n_rows; ++i) {
      node.numeric.back().push_back(draw.normal());
      sums[i] += b * node.numeric.back().back();
    }
  }
  return sums;
}

// The cosine of the angle between a question and the slope that was put in.
inline double agreement(const Split& split, const std::vector<double>& slope) {
  double product = 0.0, own = 0.0, other = 0.0;
  for (const Term& term : split.terms)
    product += term.coefficient * slope[term.column], own += term.coefficient * term.coefficient;
  for (const double b : slope) other += b * b;
  return std::abs(product) / std::sqrt(own * other);
}

// Classes that a plane divides: one question is enough. In every second table they overlap: then the direction is
// right.
template <class Expect>
void check_planes(Draw draw, Expect&& expect) {
  for (std::size_t n_columns = 2; n_columns <= 10; ++n_columns) {
    for (const bool overlap : {false, true}) {
      const std::string name =
          std::string{overlap ? "overlapping" : "separable"} + " classes, columns " + std::to_string(n_columns);
      ObliqueNode<Gini> node;
      std::vector<double> slope;
      for (std::size_t j = 0; j < n_columns; ++j)
        slope.push_back((draw.below(2) ? 1.0 : -1.0) * (0.5 + draw.uniform()));
      const std::size_t n_rows = n_columns == 4 ? 8000 : 200 * n_columns;  // for which three digits are not enough
      for (const double sum : fill_normal(node, draw, n_rows, slope))
        node.classes.push_back(sum + (overlap ? draw.normal() * 0.5 : 0.0) > 0.3);
      node.look([&](const NodeTable<Gini>& table) {
        const double single = best_single(table), whole = whole_score<Gini>(table.criterion, table.node, table.targets);
        expect(check_claim(table, single, name, expect), name + ": no question is found");
        const std::optional<Split> split = best_oblique<Gini>(table, single);
        if (!split) return;
        expect(agreement(*split, slope) > (overlap ? 0.97 : 0.999), name + ": the direction is another one");
        if (!overlap) expect(split->score == whole, name + ": the classes are not apart");
        expect(!best_oblique<Gini>(table, whole), name + ": there is nothing left to gain");
      });
    }
  }
}

// Rotated exclusive-or: no plane tells the classes apart, but the best one is nearly found.
template <class Expect>
void check_exclusive_or(Draw draw, Expect&& expect) {
  constexpr int n_rounds = 12;
  double share = 0.0;
  for (int round = 0; round < n_rounds; ++round) {
    ObliqueNode<Gini> node;
    node.numeric.resize(2);
    const double angle = round * 0.13, uneven = 0.2 * (round % 3);
    for (int i = 0; i < 600; ++i) {
      const double a = 2 * draw.uniform() - 1, b = 2 * draw.uniform() - 1 + uneven;
      node.classes.push_back((a > 0) == (b > 0));
      node.numeric[0].push_back(std::cos(angle) * a - std::sin(angle) * b);
      node.numeric[1].push_back(std::sin(angle) * a + std::cos(angle) * b);
    }
    const std::optional<Split> split = node.best(0.0);
    const double single = node.look([](const NodeTable<Gini>& table) { return best_single(table); });
    const double found = std::max(split ? split->score : 0.0, single), best = best_of_all_angles(node);
    expect(found > 0.8 * best, "exclusive or, round " + std::to_string(round) + ": a far better angle exists");
    share += found / best / n_rounds;
  }
  expect(share > 0.95, "exclusive or: the best angle is rarely found");
}

// Numbers along a ramp, and along its square, which only a bend shows.
template <Criterion C, class Expect>
void check_ramps(Draw draw, Expect&& expect) {
  for (const bool squared : {false, true}) {
    const std::string name = std::string{C::name} + (squared ? " of a valley" : " of a ramp");
    ObliqueNode<C> node;
    const std::vector<double> slope{1.0, 0.0, -0.8, 0.0, 0.6};
    for (const double sum : fill_normal(node, draw, 1500, slope))
      node.numbers.push_back(std::max(0.0, (squared ? sum * sum : sum + 5.0) + 0.2 * draw.normal()));
    node.look([&](const NodeTable<C>& table) {
      const double single = best_single(table);
      expect(check_claim(table, single, name, expect), name + ": no question is found");
      const std::optional<Split> split = best_oblique<C>(table, single);
      expect(split && agreement(*split, slope) > 0.97, name + ": the direction is another one");
      expect(split && split->terms.size() <= 4, name + ": terms that tell nothing");
    });
  }
}

// What else is promised: levels as terms, missing values as means, short sums, columns left out, any unit, any order
// of rows.
template <class Expect>
void check_promises(Draw draw, Expect&& expect) {
  ObliqueNode<Gini> node;
  const std::vector<double> slope{1.0, -0.7, 0.0, 0.4};
  std::vector<double> sums = fill_normal(node, draw, 800, slope);
  node.nominal.emplace_back();
  for (double& sum : sums) {
    node.nominal[0].push_back(static_cast<std::int32_t>(draw.below(3)));
    sum += node.nominal[0].back() == 2 ? 1.5 : 0.0;
    node.classes.push_back(sum > 0.5);
  }
  const std::optional<Split> plain = node.best(0.0);
  expect(plain && std::ranges::any_of(plain->terms, [](const Term& t) { return t.kind == QuestionKind::levels; }),
         "a level stands in a sum");
  expect(plain && plain->terms.front().coefficient == 1.0, "the first coefficient is 1");

  ObliqueNode<Gini> other = node;
  for (double& x : other.numeric[1]) x = x * 1e6 + 1e7;
  const std::optional<Split> scaled = other.best(0.0);
  expect(plain && scaled && scaled->score > 0.99 * plain->score, "units do not matter");

  other = node;
  for (auto& column : other.numeric) std::ranges::reverse(column);
  std::ranges::reverse(other.nominal[0]), std::ranges::reverse(other.classes);
  const std::optional<Split> turned = other.best(0.0);
  bool same = plain && turned && plain->score == turned->score && plain->terms.size() == turned->terms.size();
  for (std::size_t i = 0; same && i < plain->terms.size(); ++i)
    same = plain->terms[i].column == turned->terms[i].column &&
           plain->terms[i].coefficient == turned->terms[i].coefficient;
  expect(same, "the order of rows does not matter");

  for (const std::uint32_t most : {2u, 3u}) {
    other.options.oblique.max_terms = most;
    const std::optional<Split> split = other.best(0.0);
    expect(split && split->terms.size() == most, "max_terms is kept");
  }
  for (const std::uint32_t most : {0u, 1u}) {
    other.options.oblique.max_terms = most;
    expect(!other.best(0.0), "a sum has two terms");
  }

  other = node;
  other.options.oblique.usable = {1, 0, 1, 1, 0};
  const std::optional<Split> some = other.best(0.0);
  expect(some && std::ranges::none_of(some->terms, [](const Term& t) { return t.column == 1 || t.column == 4; }),
         "columns that may not stand in a sum do not");

  other = node;
  double mean = 0.0, n_known = 0.0;
  for (std::size_t i = 0; i < other.numeric[0].size(); ++i) {
    if (i % 7 == 0) other.numeric[0][i] = std::numeric_limits<double>::quiet_NaN();
    else mean += other.numeric[0][i], n_known += 1.0;
  }
  const std::optional<Split> filled = other.best(0.0);
  bool right = filled.has_value();
  if (filled)
    for (const Term& term : filled->terms) right &= term.column != 0 || std::abs(term.fill - mean / n_known) < 1e-9;
  expect(right, "a missing value counts as the mean");
}

// A node of which only some rows are searched: what is claimed holds for all. And it can be stopped.
template <Criterion C, class Expect>
void check_large(Draw draw, Expect&& expect) {
  struct Stop {};
  const std::string name = std::string{"a large node, "} + C::name;
  ObliqueNode<C> node;
  const std::vector<double> slope{1.0, 0.0, -0.8, 0.6};
  for (const double sum : fill_normal(node, draw, ObliqueEffort::fit_rows + 1000, slope)) {
    const double y = sum + 0.3 * draw.normal();
    node.classes.push_back(y > 0.0), node.numbers.push_back(std::floor(std::exp(y + 1.0)));
  }
  node.limits.min_leaf_rows = 2000;
  node.look([&](const NodeTable<C>& table) {
    const double single = best_single(table);
    expect(check_claim(table, single, name, expect), name + ": no question is found");
    const std::optional<Split> split = best_oblique<C>(table, single);
    expect(split && agreement(*split, slope) > 0.99, name + ": the direction is another one");
    Interrupt interrupt{[] { throw Stop{}; }};
    std::this_thread::sleep_for(std::chrono::milliseconds{60});  // it does not ask the outside world more often
    const NodeTable<C> stopped{table.data,    table.criterion, table.options, table.limits, table.node,
                               table.targets, table.rows,      table.columns, table.coded,  interrupt};
    bool ends = false;
    try {
      best_oblique<C>(stopped, 0.0);
    } catch (const Stop&) {
      ends = true;
    }
    expect(ends, name + ": a search cannot be stopped");
  });
}

// The parts of which the search is made: matrices, directions, elimination, climbs.
template <class Expect>
void check_algebra(Draw draw, Expect&& expect) {
  constexpr std::size_t n = 7;
  Square matrix{n};
  std::vector<std::vector<double>> points(20, std::vector<double>(n));
  for (auto& point : points) {
    for (double& x : point) x = draw.normal();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) matrix(i, j) += point[i] * point[j];
  }
  auto times = [&](const std::vector<double>& x) {
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = dot(matrix.row(i).data(), x.data(), n);
    return y;
  };
  auto near = [](const std::vector<double>& a, const std::vector<double>& b, double factor, double tolerance) {
    bool all_near = true;
    for (std::size_t i = 0; i < a.size(); ++i) all_near &= std::abs(a[i] - factor * b[i]) < tolerance;
    return all_near;
  };
  const Cholesky cholesky{matrix};
  const std::vector<double> right = points.front(), solution = cholesky.solve(right);
  expect(near(times(solution), right, 1.0, 1e-9), "a solution solves");
  const Square inverse = cholesky.inverse();
  std::vector<double> by_inverse(n);
  for (std::size_t i = 0; i < n; ++i) by_inverse[i] = dot(inverse.row(i).data(), right.data(), n);
  expect(near(by_inverse, solution, 1.0, 1e-9), "an inverse inverts");
  const std::vector<EigenPair> pairs = eigen_pairs(matrix, 3);
  expect(pairs.size() == 3 && pairs[0].value > pairs[1].value && pairs[1].value > pairs[2].value, "large values first");
  for (const EigenPair& pair : pairs)
    expect(near(times(pair.vector), pair.vector, pair.value, 1e-3 * pair.value), "vectors keep their direction");
  Square whitened = cholesky.whiten(matrix);
  bool unit = true;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) unit &= std::abs(whitened(i, j) - (i == j ? 1.0 : 0.0)) < 1e-9;
  expect(unit, "white is white");

  // The sum over fewer axes that is nearest solves the same equations without the others.
  Elimination elimination{inverse, solution};
  while (elimination.size() > 3) elimination.drop_one();
  const std::vector<double> sums = times(elimination.slope());
  bool nearest = n_terms(elimination.slope()) == 3;
  for (std::size_t i = 0; i < n; ++i) nearest &= elimination.slope()[i] == 0.0 || std::abs(sums[i] - right[i]) < 1e-8;
  expect(nearest, "what is left takes over");
}

template <class Expect>
void check_directions(Draw draw, Expect&& expect) {
  Interrupt interrupt;
  ObliqueNode<Gini> node;
  const std::vector<double> slope{1.0, -0.5, 0.0, 0.7, 0.3, 0.0, 0.0, -0.9};
  const std::vector<double> sums = fill_normal(node, draw, 4000, slope);
  auto cosine = [&](const Slope& found) {
    return std::abs(dot(found.data(), slope.data(), slope.size())) /
           std::sqrt(dot(found.data(), found.data(), slope.size()) * dot(slope.data(), slope.data(), slope.size()));
  };
  Cloud cloud{.axes = node.numeric};
  cloud.responses.weights.assign(sums.size(), 1.0);
  cloud.responses.numbers = sums;
  expect(cosine(Fits{cloud, interrupt}.ridge(0)) > 0.999, "least squares finds a line");
  for (std::size_t i = 0; i < sums.size(); ++i) cloud.responses.numbers[i] = sums[i] * sums[i];
  standardise(cloud.responses.numbers, cloud.responses.weights);
  expect(cosine(Fits{cloud, interrupt}.bends(0, 1).front()) > 0.98, "a valley bends");
  cloud.responses.numbers.clear();
  for (const std::uint32_t n_classes : {2u, 3u}) {
    cloud.responses.n_classes = n_classes, cloud.responses.labels.clear();
    for (const double sum : sums)
      cloud.responses.labels.push_back(sum + draw.normal() > 1.0 ? 1 : n_classes == 3 && sum < -1.0 ? 2 : 0);
    const Fits fits{cloud, interrupt};
    expect(cosine(fits.ridge(1)) > 0.98 && cosine(fits.logistic(1)) > 0.98, "one class against the rest");
    if (n_classes == 3) expect(cosine(fits.discriminants(1).front()) > 0.98, "three classes in a row");
  }

  // Climbs never lead down, and a spot is worth what it says.
  Climb<ClassTally> climber{cloud, 0.001, interrupt};
  Pushes pushes{1};
  for (int round = 0; round < 5; ++round) {
    Slope from;
    for (std::size_t j = 0; j < slope.size(); ++j) from.push_back(draw.normal());
    const Spot start = climber.start(from);
    Spot spot = start;
    climber.climb(spot, {.sweeps = 2, .pushes = 2, .price = 0.0}, pushes);
    expect(spot.score > start.score && spot.score <= climber.whole(), "a climb leads up");
    ClassTally tally{cloud.responses};
    const std::vector<double> heights = cloud.project(spot.slope);
    for (std::size_t i = 0; i < heights.size(); ++i)
      if (heights[i] <= spot.bound) tally.to_left(i);
    expect(std::abs(tally.score() - spot.score) < 0.01 * spot.score, "a spot is worth what it says");
    expect(climber.start(spot.slope).score >= 0.99 * spot.score, "no bound of the same slope is much better");
  }
}

// Short sums: terms that tell nothing are left out, and where nothing tells anything ordinary questions are mostly
// kept.
template <class Expect>
void check_prices(Draw draw, Expect&& expect) {
  std::size_t n_useful = 0, n_idle = 0;
  for (int round = 0; round < 8; ++round) {
    ObliqueNode<Gini> node;
    std::vector<double> slope(16, 1.0);
    slope.insert(slope.end(), 4, 0.0);
    for (const double sum : fill_normal(node, draw, 2000, slope))
      node.classes.push_back(sum + 0.5 * draw.normal() > 0.0);
    if (const std::optional<Split> split = node.best(0.0))
      for (const Term& term : split->terms) ++(term.column < 16 ? n_useful : n_idle);
  }
  expect(n_useful == 8 * 16, "sixteen of twenty columns tell something");
  expect(n_idle <= 15, "terms that tell nothing: " + std::to_string(n_idle));
  int n_found = 0;
  for (int round = 0; round < 60; ++round) {
    ObliqueNode<Gini> noise;
    fill_normal(noise, draw, 120, std::vector<double>(8, 0.0));
    for (int i = 0; i < 120; ++i) noise.classes.push_back(static_cast<std::int32_t>(draw.below(2)));
    noise.look(
        [&](const NodeTable<Gini>& table) { n_found += best_oblique<Gini>(table, best_single(table)).has_value(); });
  }
  expect(n_found < 33, "questions about noise: " + std::to_string(n_found) + " of 60");
}

// Anything a table may hold.
template <Criterion C, class Expect>
void check_odd_tables(Draw draw, int n_rounds, Expect&& expect) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  int n_found = 0;
  for (int round = 0; round < n_rounds; ++round) {
    ObliqueNode<C> node;
    const std::size_t n_rows = 1 + draw.below(round % 8 == 0 ? 3000 : 90);
    node.n_classes = 1 + static_cast<std::uint32_t>(draw.below(5));
    node.n_levels = 1 + static_cast<std::uint32_t>(draw.below(round % 3 ? 5 : 40));
    for (std::size_t c = 0, n = draw.below(round % 16 == 0 ? 70 : 9); c < n; ++c) {
      std::vector<double> column;
      const std::size_t kind = draw.below(12);
      for (std::size_t i = 0; i < n_rows; ++i) {
        const double x = draw.normal();
        switch (kind) {
          case 0: column.push_back(3.0); break;
          case 1: column.push_back(x * 1e300); break;
          case 2: column.push_back(x * 1e-300); break;
          case 3: column.push_back(x * 1e-310); break;
          case 4: column.push_back(draw.below(30) == 0 ? infinity : x); break;
          case 5: column.push_back(draw.below(3) == 0 ? std::numeric_limits<double>::quiet_NaN() : x); break;
          case 6: column.push_back(node.numeric.empty() ? x : node.numeric.front()[i]); break;
          case 7: column.push_back(1e15 + std::floor(x)); break;
          case 8: column.push_back(i == 0 ? 1e100 : x); break;
          case 9: column.push_back(std::floor(x)); break;
          case 10: column.push_back(std::numeric_limits<double>::quiet_NaN()); break;
          default: column.push_back(x); break;
        }
      }
      node.numeric.push_back(std::move(column));
    }
    for (std::size_t i = 0; i < n_rows; ++i) node.masked.push_back(draw.below(6) == 0);
    for (std::size_t c = 0, n = draw.below(3); c < n; ++c) {
      node.integers.emplace_back(), node.nominal.emplace_back();
      for (std::size_t i = 0; i < n_rows; ++i) {
        node.integers.back().push_back((c == 0 ? 0 : std::int64_t{1} << 62) + static_cast<std::int64_t>(draw.below(9)));
        node.nominal.back().push_back(static_cast<std::int32_t>(draw.below(node.n_levels)));
      }
    }
    const double size = round % 5 == 0 ? 1e150 : round % 5 == 1 ? 1e-150 : 1.0;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const double x = node.numeric.empty() ? 0.0 : node.numeric.back()[i] + node.numeric.front()[i];
      const bool high = x > 0.0;
      node.classes.push_back(
          static_cast<std::int32_t>(draw.below(4) ? high % node.n_classes : draw.below(node.n_classes)));
      node.numbers.push_back(size * (draw.below(3) ? std::floor(3 * draw.uniform()) + 2 * high : 0.0));
      if (round % 2)
        node.weights.push_back(draw.below(3) == 0 ? std::pow(10.0, -static_cast<double>(draw.below(12))) : 1.5);
    }
    node.limits.min_leaf_rows = 1 + static_cast<Row>(draw.below(4));
    if (round % 4 == 0) node.options.oblique.max_terms = 2 + static_cast<std::uint32_t>(draw.below(3));
    if (round % 6 == 0) node.options.thresholds = Thresholds::observed;
    if (round % 9 == 0) node.options.oblique.sweeps = node.options.oblique.restarts = 0;
    node.options.oblique.seed = static_cast<std::uint64_t>(round);
    if (std::ranges::all_of(node.numbers, [](double y) { return y == 0.0; })) node.numbers[0] = size;
    node.look([&](const NodeTable<C>& table) {
      if (table.criterion.homogeneous(table.node)) return;
      const std::string name = std::string{C::name} + " of an odd table, round " + std::to_string(round);
      n_found += check_claim(table, round % 3 == 0 ? 0.0 : best_single(table), name, expect);
    });
  }
  expect(n_found > n_rounds / 20, std::string{C::name} + ": odd tables with a question: " + std::to_string(n_found));
}

template <class Expect>
void check_oblique(std::mt19937& random, Expect&& expect) {
  const Draw draw{random};
  check_algebra(draw, expect);
  check_directions(draw, expect);
  check_prices(draw, expect);
  check_planes(draw, expect);
  check_exclusive_or(draw, expect);
  check_ramps<SquaredError>(draw, expect), check_ramps<AbsoluteError>(draw, expect), check_ramps<Poisson>(draw, expect);
  check_promises(draw, expect);
  Criteria::for_each([&]<class C>(std::type_identity<C>) {
    check_large<C>(draw, expect);
    check_odd_tables<C>(draw, 200, expect);
  });
}

}  // namespace arboretum
