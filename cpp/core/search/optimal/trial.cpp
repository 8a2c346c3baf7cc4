#include "core/search/optimal/trial.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace arboretum::optimal {

Trial::Trial(const OptimalTable& table, const OptimalOptions& options)
    : table_{table},
      passes_{passes_for(options.simd)},
      n_cuts_{
          std::min<std::size_t>(std::max(1u, options.n_cuts), table.goal == Goal::counts ? most_cuts : most_cuts / 2)},
      lanes_{table.goal == Goal::counts ? count_lanes : real_lanes},
      only_counts_{table.only_counts()},
      local_(table.n_labels),
      second_(table.columns.size()),
      cell_(table.n_rows),
      code_(table.goal == Goal::counts ? table.n_rows : 0),
      label_(table.goal == Goal::squares ? 0 : table.n_rows) {}

void Trial::open(const Node& node) {
  node_ = &node;
  present_.clear();
  for (std::size_t c = 0; c < table_.n_labels; ++c)
    if (table_.has_loss || node.has_label(c))
      local_[c] = static_cast<std::uint16_t>(present_.size()), present_.push_back(c);
  if (table_.goal != Goal::squares)
    for (std::size_t i = 0; i < node.rows; ++i) label_[node.order(0)[i]] = local_[table_.label[node.order(0)[i]]];
  if (table_.goal != Goal::counts || table_.limits_leaves() ||
      std::ranges::any_of(table_.columns, [](const Asked& c) { return !c.ordered; })) {
    value_.resize(table_.n_rows);
    for (std::size_t i = 0; i < node.rows; ++i) {
      const Row row = node.order(0)[i];
      if (table_.goal == Goal::squares) {
        value_[row] = table_.number[row];
      } else if (present_.size() == 2) {
        const double* credit = table_.credit.data() + std::size_t{table_.label[row]} * table_.n_labels;
        const double weight = table_.weight.empty() ? 1.0 : table_.weight[row];
        value_[row] = weight * (credit[present_[0]] - credit[present_[1]]);
      }
    }
  }
  for (std::size_t f = 0; f < node.n_columns(); ++f) read_second(f);
  if (only_counts_) count_steps();
}

void Trial::read_second(std::size_t column) {
  Second& second = second_[column];
  const Rank* ranks = node_->ranks(column);
  second.edge.resize(node_->rows);
  for (std::size_t i = 0; i + 1 < node_->rows; ++i) second.edge[i] = ranks[i] != ranks[i + 1] ? -1 : 0;
  second.edge[node_->rows - 1] = -1;
  if (table_.goal != Goal::counts || !table_.columns[column].ordered) return;
  present_.size() == 2 ? find_blocks(column) : find_runs(column);
}

void Trial::find_blocks(std::size_t column) {
  Second& second = second_[column];
  second.blocks.clear();
  const auto rows = static_cast<std::uint32_t>(node_->rows);
  const std::int8_t* edge = second.edge.data();
  for (std::uint32_t begin = 0, end; begin < rows; begin = end) {
    end = std::min(begin + byte_run, rows);
    while (end > begin && edge[end - 1] == 0) --end;
    if (end == begin) {
      for (end = begin + byte_run; edge[end - 1] == 0;) ++end;
      second.blocks.push_back({end, Block::Kind::one_value});
      continue;
    }
    const bool tied = std::find(edge + begin, edge + end, 0) != edge + end;
    second.blocks.push_back({end, tied ? Block::Kind::tied : Block::Kind::distinct});
  }
}

// A run that starts or ends among equal values is also divided at its first or its last cut: there the other labels lead
// most, or its own.
void Trial::find_runs(std::size_t column) {
  Second& second = second_[column];
  second.runs.clear();
  const Row* order = node_->order(column);
  const auto rows = static_cast<std::uint32_t>(node_->rows);
  for (std::uint32_t begin = 0, end; begin < rows; begin = end) {
    const std::uint16_t label = label_[order[begin]];
    std::uint32_t first = 0, last = 0;
    for (end = begin; end < rows && label_[order[end]] == label;)
      if (second.edge[end++] != 0) last = end, first = first != 0 ? first : end;
    if (begin > 0 && !second.runs.back().can_cut && first != 0 && first < last)
      second.runs.push_back({first, label, true});
    if (last != 0 && last < end) second.runs.push_back({last, label, true});
    second.runs.push_back({end, label, last == end});
  }
}

Walk Trial::walk(std::size_t column) const {
  const Second& second = second_[column];
  return {node_->order(column), second.edge.data(),   static_cast<std::uint32_t>(node_->rows),
          second.blocks.data(), second.blocks.size(), second.runs.data(),
          second.runs.size()};
}

// Rows that all knots treat alike share a cell.
void Trial::put_in_cells(std::size_t column, std::span<const Knot> knots) {
  const Row* order = node_->order(column);
  pattern_.clear();
  if (table_.columns[column].ordered) {
    const std::uint32_t all = (1u << knots.size()) - 1;
    for (std::size_t j = 0, i = 0; j <= knots.size(); ++j) {
      pattern_.push_back(all & ~((1u << j) - 1));
      for (const std::size_t end = j < knots.size() ? knots[j].at : node_->rows; i < end; ++i)
        cell_[order[i]] = static_cast<std::uint16_t>(j);
    }
  } else {
    const Asked& asked = table_.columns[column];
    const Rank* ranks = node_->ranks(column);
    std::map<std::uint32_t, std::uint16_t> cells;
    for (std::size_t i = 0, end; i < node_->rows; i = end) {
      std::uint32_t pattern = 0;
      for (std::size_t k = 0; k < knots.size(); ++k)
        if (asked.questions[knots[k].number].sends_left(ranks[i], asked.missing)) pattern |= 1u << k;
      const auto [place, is_new] = cells.try_emplace(pattern, static_cast<std::uint16_t>(pattern_.size()));
      if (is_new) pattern_.push_back(pattern);
      for (end = i; end < node_->rows && ranks[end] == ranks[i]; ++end) cell_[order[end]] = place->second;
    }
  }
  n_cells_ = pattern_.size();
}

// Is a lane's side one that rows of the cell are on? Left sides come first. Unused lanes are not asked about.
void Trial::find_members(std::size_t n) {
  const std::size_t half = lanes_ / 2;
  member_.resize(n_cells_ * lanes_);
  for (std::size_t c = 0; c < n_cells_; ++c) {
    double* member = member_.data() + c * lanes_;
    for (std::size_t j = 0; j < half; ++j) {
      const std::uint32_t left = pattern_[c] >> j & 1u;
      member[j] = left, member[half + j] = j < n ? 1u - left : 0u;
    }
  }
}

// What the sides of each lane hold: first by cell, then by lane.
void Trial::sum_up(std::size_t n) {
  find_members(n);
  rows_.assign(lanes_, 0.0), leaf_.assign(lanes_, 0.0);
  if (table_.goal == Goal::squares) return sum_squares();
  const std::size_t k = present_.size();
  std::vector<double>& own = by_cell_;
  own.assign(n_cells_ * (k + 1), 0.0);  // by label present, and the rows
  const Row* order = node_->order(0);
  if (table_.weight.empty()) {
    for (std::size_t i = 0; i < node_->rows; ++i) own[cell_[order[i]] * (k + 1) + label_[order[i]]] += 1.0;
    for (std::size_t c = 0; c < n_cells_; ++c)
      for (std::size_t a = 0; a < k; ++a) own[c * (k + 1) + k] += own[c * (k + 1) + a];
  } else {
    for (std::size_t i = 0; i < node_->rows; ++i) {
      own[cell_[order[i]] * (k + 1) + label_[order[i]]] += table_.weight[order[i]];
      own[cell_[order[i]] * (k + 1) + k] += 1.0;
    }
  }
  total_.assign(k * lanes_, 0.0), full_.assign(lanes_, 0.0);
  auto add = [&](double* to, const double* member, double amount) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) to[lane] += member[lane] * amount;
  };
  for (std::size_t cell = 0; cell < n_cells_; ++cell) {
    const double* member = member_.data() + cell * lanes_;
    add(rows_.data(), member, own[cell * (k + 1) + k]);
    for (std::size_t c = 0; c < k; ++c) {
      const double amount = own[cell * (k + 1) + c];
      if (amount == 0.0) continue;
      add(full_.data(), member, amount * table_.full[present_[c]]);
      if (!table_.has_loss) {
        add(total_.data() + c * lanes_, member, amount);
        continue;
      }
      for (std::size_t a = 0; a < k; ++a)
        add(total_.data() + a * lanes_, member, amount * table_.credit[present_[c] * table_.n_labels + present_[a]]);
    }
  }
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t lane = 0; lane < lanes_; ++lane) leaf_[lane] = std::max(leaf_[lane], total_[a * lanes_ + lane]);
}

void Trial::sum_squares() {
  weights_.assign(lanes_, 0.0), sums_.assign(lanes_, 0.0), squares_.assign(lanes_, 0.0);
  by_cell_.assign(n_cells_ * 4, 0.0);
  for (std::size_t i = 0; i < node_->rows; ++i) {
    const Row row = node_->order(0)[i];
    const double w = table_.weight[row], y = table_.number[row];
    double* own = by_cell_.data() + std::size_t{4} * static_cast<std::size_t>(cell_[row]);
    own[0] += 1.0, own[1] += w, own[2] += w * y, own[3] += w * y * y;
  }
  for (std::size_t cell = 0; cell < n_cells_; ++cell) {
    const double* own = by_cell_.data() + cell * 4;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const double member = member_[cell * lanes_ + lane];
      rows_[lane] += member * own[0], weights_[lane] += member * own[1];
      sums_[lane] += member * own[2], squares_[lane] += member * own[3];
    }
  }
}

// What a row adds to the sum of each lane, by its cell and its label.
void Trial::find_steps() {
  const std::size_t k = present_.size();
  for (std::size_t i = 0; i < node_->rows; ++i) {
    const Row row = node_->order(0)[i];
    code_[row] = static_cast<std::uint16_t>(cell_[row] * k + label_[row]);
  }
  step_.resize(n_cells_ * k * lanes_);
  for (std::size_t cell = 0; cell < n_cells_; ++cell) {
    const double* member = member_.data() + cell * lanes_;
    std::int8_t* step = step_.data() + cell * k * lanes_;
    for (std::size_t lane = 0; lane < lanes_; ++lane) step[lane] = static_cast<std::int8_t>(member[lane]);
    for (std::size_t c = 1; c < k; ++c) {
      const std::int8_t sign = k == 2 ? -1 : 1;
      for (std::size_t lane = 0; lane < lanes_; ++lane)
        step[c * lanes_ + lane] = static_cast<std::int8_t>(sign * step[lane]);
    }
  }
}

bool Trial::pass_reals(bool limited, Budget& budget, bool asks) {
  const std::size_t k = present_.size();
  sides_ = {.cell = cell_.data(),
            .member = member_.data(),
            .value = value_.data(),
            .weight = table_.weight.data(),
            .label = label_.data(),
            .n_labels = k,
            .n_cells = n_cells_,
            .one_credit = !table_.has_loss,
            .even = table_.even,
            .min_leaf_rows = static_cast<double>(table_.min_leaf_rows)};
  if (table_.has_loss) sides_.credit = table_.credit.data();
  std::vector<double> ones;
  if (table_.weight.empty()) ones.assign(table_.n_rows, 1.0), sides_.weight = ones.data();
  for (std::size_t lane = 0; lane < real_lanes; ++lane) {
    sides_.rows[lane] = rows_[lane];
    if (table_.goal != Goal::squares) continue;
    sides_.weights[lane] = weights_[lane];
    sides_.centre[lane] = weights_[lane] > 0.0 ? sums_[lane] / weights_[lane] : 0.0;
  }
  Lane most{};
  for (std::size_t g = 0; g < node_->n_columns(); ++g) {
    if (node_->rows > 20'000 && budget.look(asks)) return false;
    if (!table_.columns[g].ordered) {
      earn_from_levels(g, limited);
    } else if (table_.goal == Goal::squares) {
      passes_.squares(walk(g), sides_, limited, most);
      for (std::size_t lane = 0; lane < real_lanes; ++lane) stump_[lane] = std::max(stump_[lane], most[lane]);
    } else if (k == 2) {
      passes_.two_credits(walk(g), sides_, limited, two_reals_);
      for (std::size_t lane = 0; lane < real_lanes; ++lane)
        stump_[lane] = std::max(
            {stump_[lane], total_[real_lanes + lane] + two_reals_.high[lane], total_[lane] - two_reals_.low[lane]});
    } else {
      passes_.many_credits(walk(g), sides_, limited, real_leads_);
      for (std::size_t a = 0; a < k; ++a)
        for (std::size_t b = 0; b < k; ++b)
          for (std::size_t lane = 0; lane < real_lanes; ++lane)
            stump_[lane] = std::max(stump_[lane],
                                    total_[b * real_lanes + lane] + real_leads_.lead[(a * k + b) * real_lanes + lane]);
    }
  }
  return true;
}

// Stumps about a nominal column: its levels are summed up for every lane, then each question is looked at.
void Trial::earn_from_levels(std::size_t column, bool limited) {
  const Asked& asked = table_.columns[column];
  const Row* order = node_->order(column);
  const Rank* ranks = node_->ranks(column);
  const bool squares = table_.goal == Goal::squares;
  const std::size_t k = squares ? 2 : present_.size();
  const std::size_t width = k + 1;  // sums, and rows
  std::vector<double> levels(asked.n_ranks * width * lanes_), left(width * lanes_);
  for (std::size_t i = 0; i < node_->rows; ++i) {
    const Row row = order[i];
    const double* member = member_.data() + cell_[row] * lanes_;
    double* sums = levels.data() + ranks[i] * width * lanes_;
    const double weight = table_.weight.empty() ? 1.0 : table_.weight[row];
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      if (member[lane] == 0.0) continue;
      sums[k * lanes_ + lane] += 1.0;
      if (squares) {
        const double centre = weights_[lane] > 0.0 ? sums_[lane] / weights_[lane] : 0.0;
        sums[lane] += weight * (table_.number[row] - centre), sums[lanes_ + lane] += weight;
      } else if (table_.has_loss) {
        for (std::size_t a = 0; a < k; ++a)
          sums[a * lanes_ + lane] +=
              weight * table_.credit[std::size_t{table_.n_labels} * table_.label[row] + present_[a]];
      } else {
        sums[label_[row] * lanes_ + lane] += weight;
      }
    }
  }
  auto add = [&](Rank rank) {
    const double* sums = levels.data() + rank * width * lanes_;
    for (std::size_t i = 0; i < width * lanes_; ++i) left[i] += sums[i];
  };
  const double least = limited ? static_cast<double>(table_.min_leaf_rows) : 0.0;
  for (const LevelQuestion& question : asked.questions) {
    std::fill(left.begin(), left.end(), 0.0);
    if (question.left == 0) {
      add(question.level);
      if (question.with_missing) add(asked.missing);
    } else {
      for (Rank rank = 0; rank < asked.n_ranks; ++rank)
        if (question.left >> rank & 1) add(rank);
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const double n = left[k * lanes_ + lane];
      if (limited && (n < least || rows_[lane] - n < least)) continue;
      if (squares) {
        const double z = left[lane], w = left[lanes_ + lane], product = w * (weights_[lane] - w);
        if (product > 0.0) stump_[lane] = std::max(stump_[lane], z * z * weights_[lane] / product);
        continue;
      }
      double most_left = 0.0, most_right = 0.0;
      for (std::size_t a = 0; a < k; ++a) {
        const double own = left[a * lanes_ + lane];
        most_left = std::max(most_left, own), most_right = std::max(most_right, total_[a * lanes_ + lane] - own);
      }
      stump_[lane] = std::max(stump_[lane], most_left + most_right);
    }
  }
}

Cost Trial::side_cost(double leaf, double stump, std::size_t lane) const {
  if (table_.goal == Goal::squares) {
    const double whole =
        std::max(0.0, squares_[lane] - (weights_[lane] > 0.0 ? sums_[lane] * sums_[lane] / weights_[lane] : 0.0));
    return std::min(whole, std::max(0.0, whole - stump) + table_.penalty);
  }
  return std::min(table_.unit * (full_[lane] - leaf), table_.unit * (full_[lane] - stump) + table_.penalty);
}

void Trial::set_sides(std::span<Knot> knots, bool limited) {
  const std::size_t half = lanes_ / 2;
  for (std::size_t j = 0; j < knots.size(); ++j)
    for (const bool is_left : {true, false}) {
      const std::size_t lane = is_left ? j : half + j;
      SideCost& side = is_left ? knots[j].left : knots[j].right;
      if (limited) {
        const bool may = table_.may_split(static_cast<std::size_t>(rows_[lane])) && stump_[lane] > -far / 2;
        side.allowed = may ? side_cost(leaf_[lane], stump_[lane], lane) : side.leaf;
        if (rows_[lane] < table_.min_leaf_rows) side.allowed = far;
      } else {
        side.leaf = side_cost(leaf_[lane], -far, lane);
        side.least = side_cost(leaf_[lane], stump_[lane], lane);
        side.allowed = table_.limits_leaves() ? far : side.least;
      }
    }
}

bool Trial::run(std::size_t column, std::span<Knot> knots, Budget& budget, bool asks) {
  if (budget.spend_pass(asks)) return false;
  if (only_counts_) {
    count_in_cells(column, knots);
  } else {
    put_in_cells(column, knots);
    sum_up(knots.size());
    if (table_.goal == Goal::counts) find_steps();
  }
  stump_ = table_.goal == Goal::squares ? std::vector<double>(lanes_, 0.0) : leaf_;
  const bool done = table_.goal == Goal::counts ? pass_counts(budget, asks) : pass_reals(false, budget, asks);
  if (done) set_sides(knots, false);
  return done;
}

// In lanes of real numbers, half as many at a time where rows are counted.
bool Trial::run_limited(std::size_t column, std::span<Knot> knots, Budget& budget, bool asks) {
  const std::size_t lanes = lanes_;
  lanes_ = real_lanes;
  bool done = true;
  for (std::size_t begin = 0; begin < knots.size() && done; begin += real_lanes / 2) {
    const std::span<Knot> part = knots.subspan(begin, std::min(real_lanes / 2, knots.size() - begin));
    if (budget.spend_pass(asks)) {
      done = false;
      break;
    }
    put_in_cells(column, part);
    sum_up(part.size());
    stump_ = table_.goal == Goal::squares ? std::vector<double>(lanes_, 0.0) : std::vector<double>(lanes_, -far);
    done = pass_reals(true, budget, asks);
    if (done) set_sides(part, true);
  }
  lanes_ = lanes;
  return done;
}

}  // namespace arboretum::optimal
