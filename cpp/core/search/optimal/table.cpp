#include "core/search/optimal/table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/fixed_point.hpp"

namespace arboretum::optimal {
namespace {

constexpr int exact_bits = 52;  // whole numbers up to 2^52 add up exactly in a double

std::vector<LevelQuestion> questions_about(const Asked& column, Nominal nominal) {
  std::vector<LevelQuestion> questions;
  if (nominal == Nominal::one_vs_rest) {
    const Rank n_levels = column.has_missing ? column.missing : column.n_ranks;
    for (Rank level = 0; level < n_levels; ++level) {
      questions.push_back({.level = level});
      if (column.has_missing) questions.push_back({.level = level, .with_missing = true});
    }
    if (column.has_missing) questions.push_back({.level = column.missing});
    return questions;
  }
  // The last level stays on the right: the other half of the subsets asks the same questions.
  for (std::uint64_t left = 1; column.n_ranks > 1 && left < std::uint64_t{1} << (column.n_ranks - 1); ++left)
    questions.push_back({.left = left});
  return questions;
}

}  // namespace

OptimalTable::OptimalTable(const Dataset& data, const Targets& targets, const OptimalOptions& options,
                           Interrupt& interrupt)
    : n_rows{data.n_rows}, min_leaf_rows{options.min_leaf_rows}, min_split_rows{options.min_split_rows} {
  if (targets.classes.empty()) read_numbers(targets, options);
  else read_classes(targets, options);
  for (std::uint32_t number = 0; number < data.columns.size(); ++number)
    read_column(number, data.columns[number], options, interrupt);
}

void OptimalTable::read_column(std::uint32_t number_of, const ColumnView& view, const OptimalOptions& options,
                               Interrupt& interrupt) {
  interrupt.poll();
  const CodedColumn coded = encode_column(view, n_rows, std::numeric_limits<std::uint32_t>::max(), interrupt);
  Asked column{.column = number_of, .ordered = view.kind != Kind::nominal, .rank = std::vector<Rank>(n_rows)};
  coded.with_codes([&](const auto* codes) { std::copy(codes, codes + n_rows, column.rank.begin()); });
  const auto [least, most] = std::minmax_element(column.rank.begin(), column.rank.end());
  if (*least == *most) return;  // there is nothing to ask
  column.missing = coded.n_codes;
  column.has_missing = *most == column.missing;
  column.n_ranks = coded.n_codes + (column.has_missing ? 1 : 0);
  if (!column.ordered) return read_levels(std::move(column), options);
  if (column.has_missing) {
    columns.push_back(column);
    column.missing_first = true, column.missing = 0;
    for (Rank& rank : column.rank) rank = rank == coded.n_codes ? 0 : rank + 1;
  }
  columns.push_back(std::move(column));
}

// Ranks are those of the levels that occur, so that no question is asked twice.
void OptimalTable::read_levels(Asked column, const OptimalOptions& options) {
  std::vector<Rank> rank_of(column.missing + 1, 0);
  for (const Rank code : column.rank) rank_of[code] = 1;
  for (Rank code = 0; code < column.missing; ++code)
    if (rank_of[code] != 0) rank_of[code] = static_cast<Rank>(column.levels.size()), column.levels.push_back(code);
  rank_of[column.missing] = static_cast<Rank>(column.levels.size());
  for (Rank& rank : column.rank) rank = rank_of[rank];
  column.missing = static_cast<Rank>(column.levels.size());
  column.n_ranks = column.missing + (column.has_missing ? 1 : 0);
  if (options.nominal != Nominal::one_vs_rest && column.levels.size() > options.most_levels)
    throw TooManyLevels(column.column, column.levels.size());
  column.questions = questions_about(column, options.nominal);
  if (column.n_ranks == 2) column.questions.resize(1);  // the others ask the same
  columns.push_back(std::move(column));
}

void OptimalTable::read_classes(const Targets& targets, const OptimalOptions& options) {
  n_labels = targets.n_classes;
  label.assign(targets.classes.begin(), targets.classes.end());
  has_loss = !options.loss.empty();
  credit.assign(std::size_t{n_labels} * n_labels, 0.0);
  full.assign(n_labels, 1.0);
  if (has_loss) {
    for (std::size_t c = 0; c < n_labels; ++c) {
      const double* own = options.loss.data() + c * n_labels;
      full[c] = *std::max_element(own, own + n_labels);
      for (std::size_t a = 0; a < n_labels; ++a) credit[c * n_labels + a] = full[c] - own[a];
    }
  } else {
    for (std::size_t c = 0; c < n_labels; ++c) credit[c * n_labels + c] = 1.0;
  }
  goal = !has_loss && targets.weights.empty() ? Goal::counts : Goal::credits;
  // Room for one step per leaf below the cost of the least mistake.
  const double most_leaves = std::min({static_cast<double>(n_rows), static_cast<double>(options.max_leaves),
                                       std::exp2(std::min<double>(options.max_depth, 60.0))});
  const int leaf_bits = top_bit(most_leaves) + 1;
  double total = n_rows;
  if (goal == Goal::credits) {
    // Whole numbers of steps; losses are made whole with the weights, of which they are multiples.
    Extent extent, costs;
    for (Row row = 0; row < n_rows; ++row) extent.add(targets.weight(row));
    for (const double own : options.loss) costs.add(own);
    const int loss_bits = has_loss ? std::min(20, std::max(1, top_bit(costs.reach()) - costs.finest)) : 0;
    const Scale losses = has_loss ? choose_scale(costs, 0.0, costs.reach(), loss_bits, loss_bits) : Scale{};
    for (double& own : credit) own = std::round(own / losses.unit);
    for (double& own : full) own = std::round(own / losses.unit);
    const int bits = exact_bits - leaf_bits - loss_bits - top_bit(static_cast<double>(n_rows));
    const WeightScale scale = weight_scale(extent, std::max(8, bits));
    weight.resize(n_rows);
    total = 0.0;
    for (Row row = 0; row < n_rows; ++row)
      weight[row] = static_cast<double>(scale.fixed(targets.weight(row))), total += weight[row];
    steps_per_weight = 1.0 / (scale.unit * losses.unit);
    total /= losses.unit;  // what all rows weigh, in steps
  }
  unit = std::ldexp(
      1.0,
      std::max(leaf_bits,
               std::min(20, exact_bits - top_bit(total * std::max(1.0, *std::max_element(full.begin(), full.end()))))));
  penalty = std::round(options.leaf_penalty * total * unit) + 1.0;
}

void OptimalTable::read_numbers(const Targets& targets, const OptimalOptions& options) {
  goal = Goal::squares;
  number.assign(targets.numbers.begin(), targets.numbers.end());
  if (!targets.weights.empty()) weight.assign(targets.weights.begin(), targets.weights.end());
  else weight.assign(n_rows, 1.0);
  // Scaled by powers of two, so that squares neither overflow nor vanish, and centred.
  double total = 0.0, reach = 0.0, heaviest = 0.0;
  for (Row row = 0; row < n_rows; ++row)
    reach = std::max(reach, std::abs(number[row])), heaviest = std::max(heaviest, weight[row]);
  const double scale = reach > 0.0 ? std::ldexp(1.0, std::min(1000, -top_bit(reach))) : 1.0;
  even = std::ranges::all_of(weight, [&](double own) { return own == heaviest; });
  const double lighter = even ? 1.0 / heaviest : std::ldexp(1.0, -top_bit(heaviest));
  double sum = 0.0;
  for (Row row = 0; row < n_rows; ++row) {
    number[row] *= scale;
    weight[row] = even ? 1.0 : weight[row] * lighter;
    sum += weight[row] * number[row], total += weight[row];
  }
  const double mean = sum / total;
  double squares = 0.0;
  for (Row row = 0; row < n_rows; ++row) number[row] -= mean, squares += weight[row] * number[row] * number[row];
  steps_per_weight = scale * scale * lighter;
  slack = 1e-9 * squares;
  tie = 1e-3 * slack;
  penalty = options.leaf_penalty * scale * scale * total + slack;
}

}  // namespace arboretum::optimal
