#include "core/explain/shapley.hpp"

namespace arboretum {

// Makes room for a level, with nothing in its sums.
void Shapley::open(std::size_t level) {
  const std::size_t n = rule_.size();
  if (products_.size() < (level + 1) * n) {
    products_.resize((level + 1) * n * 2);
    sums_.resize((level + 1) * n * nodes_.n_targets * 2);
  }
  std::fill_n(sum(level), n * nodes_.n_targets, 0.0);
}

// Changes the columns' parts; false, and nothing is changed, if no part of the row goes this way.
bool Shapley::make(const Move& move, std::size_t level) {
  const std::size_t n = rule_.size();
  double* const here = product(level);
  std::copy_n(product(level - 1), n, here);
  for (std::size_t i = move.begin; i < move.end; ++i) {
    Change& change = moves_.changes[i];
    change.before = parts_[change.column];
    const Parts after = change.before * change.factor;
    if (after.none()) {
      undo(move.begin, i);
      return false;
    }
    for (std::size_t k = 0; k < n; ++k) here[k] *= factor(after, k) / factor(change.before, k);
    parts_[change.column] = after;
    if (n_touched_[change.column]++ == 0) on_way_.push_back(change.column);
  }
  return true;
}

void Shapley::undo(std::size_t first_change, std::size_t end) {
  for (std::size_t i = end; i-- > first_change;) {
    const Change& change = moves_.changes[i];
    parts_[change.column] = change.before;
    if (--n_touched_[change.column] == 0) on_way_.pop_back();
  }
}

void Shapley::rest(std::size_t node, std::size_t level) {
  const double* const values = nodes_.values.data() + node * nodes_.n_targets;
  double* to = sum(level);
  for (std::size_t k = 0; k < rule_.size(); ++k)
    for (std::size_t target = 0; target < nodes_.n_targets; ++target) *to++ = product(level)[k] * values[target];
  if (!found_.interactions.empty()) add_interactions(node, product(level));
}

// A pair's value is what knowing both adds beyond what each adds alone; each of the two columns gets a half.
void Shapley::add_interactions(std::size_t node, const double* product) {
  const std::size_t n = rule_.size(), n_targets = nodes_.n_targets, n_columns = parts_.size();
  const double* const values = nodes_.values.data() + node * n_targets;
  pair_slopes_.resize(on_way_.size() * n);
  for (std::size_t i = 0; i < on_way_.size(); ++i)
    for (std::size_t k = 0; k < n; ++k) pair_slopes_[i * n + k] = slope(parts_[on_way_[i]], k);
  for (std::size_t i = 0; i < on_way_.size(); ++i) {
    for (std::size_t k = 0; k < n; ++k)
      slopes_[k] = 0.5 * scale_ * rule_.weight[k] * product[k] * pair_slopes_[i * n + k];
    for (std::size_t j = 0; j < i; ++j) {
      double both = 0.0;
      for (std::size_t k = 0; k < n; ++k) both += slopes_[k] * pair_slopes_[j * n + k];
      double* const above = found_.interactions.data() + (on_way_[i] * n_columns + on_way_[j]) * n_targets;
      double* const below = found_.interactions.data() + (on_way_[j] * n_columns + on_way_[i]) * n_targets;
      for (std::size_t target = 0; target < n_targets; ++target) {
        above[target] += both * values[target];
        below[target] += both * values[target];
      }
    }
  }
}

// All leaves below a move have been summed up. Its columns get what their changes add: a column that changes again
// further down got the difference there, so that in the end each leaf counts with the column's last parts.
void Shapley::settle(const Move& move, std::size_t level) {
  const std::size_t n = rule_.size(), n_targets = nodes_.n_targets;
  const double* const below = sum(level);
  for (std::size_t i = move.begin; i < move.end; ++i) {
    const Change& change = moves_.changes[i];
    const Parts after = change.before * change.factor;
    double* const to = found_.values.data() + change.column * n_targets;
    for (std::size_t k = 0; k < n; ++k)
      slopes_[k] = scale_ * rule_.weight[k] * (slope(after, k) - slope(change.before, k));
    for (std::size_t target = 0; target < n_targets; ++target) {
      double value = 0.0;
      for (std::size_t k = 0; k < n; ++k) value += slopes_[k] * below[k * n_targets + target];
      to[target] += value;
    }
  }
  double* const above = sum(level - 1);
  for (std::size_t i = 0; i < n * n_targets; ++i) above[i] += below[i];
  undo(move.begin, move.end);
}

// All moves from the last frame's node have been made, so the move that led to it can be settled.
void Shapley::close() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  moves_.list.resize(frame.first_move);
  moves_.changes.resize(frame.first_change);
  if (!frames_.empty()) settle(moves_.list[frames_.back().next - 1], frames_.size());
}

}  // namespace arboretum
