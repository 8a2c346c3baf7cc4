#include "core/explain/shared_leaves.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace arboretum {
namespace {

// The integral of t^a (1 - t)^b from 0 to 1: a! b! / (a + b + 1)!
double euler(int a, int b) {
  static constexpr auto table = [] {
    std::array<std::array<double, most_bits>, most_bits> found{};
    for (std::size_t i = 0; i < most_bits; ++i)
      for (std::size_t j = 0; j < most_bits; ++j)
        found[i][j] = j == 0 ? 1.0 / static_cast<double>(i + 1)
                             : found[i][j - 1] * static_cast<double>(j) / static_cast<double>(i + j + 1);
    return found;
  }();
  return table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

}  // namespace

std::uint32_t PatternNumbers::number_of(Pattern pattern) {
  std::uint32_t& number = pattern < n_direct ? direct_[static_cast<std::size_t>(pattern)]
                                             : others_.try_emplace(pattern, none).first->second;
  if (number == none) {
    number = static_cast<std::uint32_t>(patterns_.size());
    patterns_.push_back(pattern);
  }
  return number;
}

void PatternNumbers::clear() {
  for (Pattern pattern : patterns_)
    if (pattern < n_direct) direct_[static_cast<std::size_t>(pattern)] = none;
  others_.clear();
  patterns_.clear();
}

std::vector<bool> rows_apart(const Router& router, const Dataset& data, const std::function<void()>& poll) {
  std::vector<bool> apart(data.n_rows);
  std::vector<std::int32_t> children(data.n_rows);
  for (std::size_t node = 0; node < router.n_nodes(); ++node) {
    if (router.n_children(node) == 0 || router.always_sends(node)) continue;
    poll();
    router.own_children(node, data, 0, children);
    for (Row row = 0; row < data.n_rows; ++row)
      if (children[row] < 0) apart[row] = true;
  }
  return apart;
}

SharedLeaves::SharedLeaves(const Router& router, const std::vector<double>& shares, const Targeted& nodes,
                           const Dataset& data, const Behind& behind, bool interactions)
    : router_{&router},
      shares_{&shares},
      nodes_{nodes},
      data_{&data},
      behind_{behind},
      interactions_{interactions},
      place_(data.columns.size()),
      n_below_(router.n_nodes(), 1) {
  std::vector<bool> asked(data.columns.size());
  for (std::size_t node = router.n_nodes(); node-- > 0;) {
    if (router.n_children(node) == 0) continue;
    asked[router.column(node)] = true;
    for (std::size_t k = 0; k < router.n_children(node); ++k) n_below_[node] += n_below_[router.first_child(node) + k];
  }
  for (std::uint32_t column = 0; column < asked.size(); ++column)
    if (asked[column]) place_[column] = columns_.size(), columns_.push_back(column);
}

std::size_t SharedLeaves::most_rows() const {
  constexpr std::size_t most_numbers = std::size_t{1} << 23;  // 64 MB
  const std::size_t each = n_targets() * std::max<std::size_t>(1, n_places() + n_pairs(n_places()));
  return std::clamp<std::size_t>(most_numbers / each, 64, std::size_t{1} << 14);
}

void SharedLeaves::write(Row first, std::size_t n_rows, const Found& found, const std::function<void()>& poll) {
  first_ = first, n_rows_ = n_rows, poll_ = &poll;
  sums_.assign((n_places() + n_pairs(n_places())) * n_targets() * n_rows, 0.0);
  number_.resize(n_rows);
  if (router_->n_children(0) > 0) enter(std::make_shared<Inner>(Inner{0, std::vector<Pattern>(n_all()), {}, {}}));
  while (!open_.empty()) {
    poll();
    const Open next = std::move(open_.back());
    open_.pop_back();
    visit(next);
  }
  copy_to(found);
}

// The largest subtree comes last: then few patterns wait at a time, however deep the tree is.
void SharedLeaves::enter(const std::shared_ptr<Inner>& here) {
  here->children.resize(n_all());
  const std::span<std::int32_t> children = here->children;
  router_->own_children(here->node, *data_, first_, children.first(n_rows_));
  if (behind_.data) router_->own_children(here->node, *behind_.data, 0, children.subspan(n_rows_));
  const std::size_t begin = open_.size(), first = router_->first_child(here->node);
  for (std::size_t k = 0; k < router_->n_children(here->node); ++k) open_.push_back({here, k});
  std::stable_sort(open_.begin() + static_cast<std::ptrdiff_t>(begin), open_.end(),
                   [&](const Open& a, const Open& b) { return n_below_[first + a.child] > n_below_[first + b.child]; });
}

void SharedLeaves::visit(const Open& open) {
  const Inner& parent = *open.parent;
  const std::size_t node = router_->first_child(parent.node) + open.child;
  const std::uint32_t column = router_->column(parent.node);
  auto here = std::make_shared<Inner>(Inner{node, std::vector<Pattern>(n_all()), {}, parent.slots});
  std::size_t slot = 0;
  while (slot < here->slots.size() && here->slots[slot].column != column) ++slot;
  const bool is_new = slot == here->slots.size();
  if (is_new) here->slots.push_back({column, 1.0});
  here->slots[slot].unknown *= (*shares_)[node];
  const auto child = static_cast<std::int32_t>(open.child);
  for (std::size_t i = 0; i < n_all(); ++i) {
    const Pattern agrees = parent.children[i] == child ? 1 : 0;
    here->patterns[i] = is_new ? parent.patterns[i] | agrees << slot : parent.patterns[i] & ~((agrees ^ 1) << slot);
  }
  if (router_->n_children(node) > 0) enter(here);
  else add_leaf(node, here->patterns, here->slots);
}

const Quadrature& SharedLeaves::rule_for(std::size_t n_columns) {
  while (rules_.size() <= n_columns) rules_.push_back(gauss_legendre(n_points_for(rules_.size())));
  return rules_[n_columns];
}

void SharedLeaves::add_leaf(std::size_t leaf, const std::vector<Pattern>& patterns, const std::vector<Slot>& slots) {
  numbers_.clear();
  for (std::size_t i = 0; i < n_rows_; ++i) number_[i] = numbers_.number_of(patterns[i]);
  if (behind_.data) compare(patterns, slots.size());
  else {
    const Quadrature& rule = rule_for(slots.size());
    find_slopes(slots, rule);
    integrate(slots.size(), rule);
  }
  const double* integrals = integrals_.data();
  const std::size_t n = numbers_.patterns().size();
  for (const Slot& slot : slots) spread(leaf, integrals, sums_of(slot.column)), integrals += n;
  if (!interactions_) return;
  for (std::size_t i = 0; i < slots.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      spread(leaf, integrals, sums_of(slots[i].column, slots[j].column)), integrals += n;
}

// The factors of the leaf's product, and what knowing a column adds to it, as a share of it; see shapley.hpp.
void SharedLeaves::find_slopes(const std::vector<Slot>& slots, const Quadrature& rule) {
  const std::size_t n = rule.size();
  factors_.resize(slots.size() * 2 * n), slopes_.resize(slots.size() * 2 * n);
  for (std::size_t i = 0; i < slots.size(); ++i)
    for (std::size_t agrees = 0; agrees < 2; ++agrees) {
      const double known = static_cast<double>(agrees), unknown = slots[i].unknown;
      for (std::size_t k = 0; k < n; ++k) {
        const double factor = known * rule.point[k] + unknown * (1.0 - rule.point[k]);
        factors_[(2 * i + agrees) * n + k] = factor;
        slopes_[(2 * i + agrees) * n + k] = factor > 0.0 ? (known - unknown) / factor : 0.0;
      }
    }
}

void SharedLeaves::integrate(std::size_t n_slots, const Quadrature& rule) {
  const std::vector<Pattern>& patterns = numbers_.patterns();
  const std::size_t n = rule.size(), n_patterns = patterns.size();
  integrals_.resize((n_slots + n_pairs(n_slots)) * n_patterns);
  product_.resize(2 * n);
  double* const product = product_.data();
  double* const part = product_.data() + n;
  for (std::size_t p = 0; p < n_patterns; ++p) {
    auto at = [&](const std::vector<double>& of, std::size_t slot) {
      return of.data() + (2 * slot + (patterns[p] >> slot & 1)) * n;
    };
    std::copy_n(rule.weight.data(), n, product);
    for (std::size_t i = 0; i < n_slots; ++i) {
      const double* const factor = at(factors_, i);
      for (std::size_t k = 0; k < n; ++k) product[k] *= factor[k];
    }
    double* to = integrals_.data() + p;
    auto add = [&](const double* slope, const double* of, double scale) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += of[k] * slope[k];
      *to = scale * sum, to += n_patterns;
    };
    for (std::size_t i = 0; i < n_slots; ++i) add(at(slopes_, i), product, 1.0);
    for (std::size_t i = 0; interactions_ && i < n_slots; ++i) {
      const double* const slope = at(slopes_, i);
      for (std::size_t k = 0; k < n; ++k) part[k] = product[k] * slope[k];
      for (std::size_t j = 0; j < i; ++j) add(at(slopes_, j), part, 0.5);
    }
  }
}

// Against a row behind, the leaf is reached if the columns on which only the row agrees are known, and those on which
// only the other agrees are not. The integrals then are Euler's: of t^a (1 - t)^b.
void SharedLeaves::compare(const std::vector<Pattern>& patterns, std::size_t n_slots) {
  number_behind(patterns);
  const std::vector<Pattern>&rows = numbers_.patterns(), &others = numbers_behind_.patterns();
  const std::size_t n = rows.size();
  integrals_.assign((n_slots + n_pairs(n_slots)) * n, 0.0);
  const Pattern all = n_slots == most_bits ? ~Pattern{0} : (Pattern{1} << n_slots) - 1;
  for (std::size_t p = 0; p < n; ++p) {
    if (p % 64 == 0) (*poll_)();
    for (std::size_t q = 0; q < others.size(); ++q) {
      const Pattern own = rows[p] & ~others[q], theirs = others[q] & ~rows[p], differ = own | theirs;
      if ((rows[p] | others[q]) != all || differ == 0) continue;
      const int n_own = std::popcount(own), n_theirs = std::popcount(theirs);
      const double count = counts_behind_[q];
      double* const to = integrals_.data() + p;
      for (Pattern rest = differ; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(rest));
        const int a = static_cast<int>(own >> i & 1), b = 1 - a;
        to[i * n] += (a ? count : -count) * euler(n_own - a, n_theirs - b);
        for (Pattern before = interactions_ ? differ & ((Pattern{1} << i) - 1) : 0; before != 0; before &= before - 1) {
          const auto j = static_cast<std::size_t>(std::countr_zero(before));
          const int c = static_cast<int>(own >> j & 1), d = 1 - c;
          to[(n_slots + i * (i - 1) / 2 + j) * n] +=
              (a == c ? 0.5 : -0.5) * count * euler(n_own - a - c, n_theirs - b - d);
        }
      }
    }
  }
}

void SharedLeaves::number_behind(const std::vector<Pattern>& patterns) {
  numbers_behind_.clear();
  counts_behind_.clear();
  for (std::size_t i = 0; i < behind_.n_rows(); ++i) {
    if (behind_.counts[i] == 0.0) continue;
    const std::uint32_t number = numbers_behind_.number_of(patterns[n_rows_ + i]);
    if (number == counts_behind_.size()) counts_behind_.push_back(0.0);
    counts_behind_[number] += behind_.counts[i];
  }
}

// Every row adds what its pattern contributes.
void SharedLeaves::spread(std::size_t leaf, const double* integrals, double* sums) {
  const std::size_t n = numbers_.patterns().size();
  scaled_.resize(n);
  for (std::size_t target = 0; target < n_targets(); ++target, sums += n_rows_) {
    const double value = nodes_.values[leaf * n_targets() + target];
    if (value == 0.0) continue;
    for (std::size_t p = 0; p < n; ++p) scaled_[p] = value * integrals[p];
    const double* const scaled = scaled_.data();
    const std::uint32_t* const number = number_.data();
    for (std::size_t i = 0; i < n_rows_; ++i) sums[i] += scaled[number[i]];
  }
}

double* SharedLeaves::sums_of(std::uint32_t a, std::uint32_t b) {
  const std::size_t i = std::max(place_[a], place_[b]), j = std::min(place_[a], place_[b]);
  return sums_.data() + (n_places() + i * (i - 1) / 2 + j) * n_targets() * n_rows_;
}

void SharedLeaves::copy_to(const Found& found) const {
  const std::size_t n_columns = data_->columns.size();
  auto copy = [&](const double* from, double* to, std::size_t stride) {
    for (std::size_t target = 0; target < n_targets(); ++target)
      for (std::size_t i = 0; i < n_rows_; ++i) to[i * stride + target] = *from++;
  };
  const double* from = sums_.data();
  const std::size_t width = n_targets() * n_rows_;
  for (std::size_t i = 0; i < n_places(); ++i, from += width)
    copy(from, found.values.data() + columns_[i] * n_targets(), n_columns * n_targets());
  for (std::size_t i = 0; interactions_ && i < n_places(); ++i)
    for (std::size_t j = 0; j < i; ++j, from += width)
      for (const auto& [a, b] : {std::pair{columns_[i], columns_[j]}, std::pair{columns_[j], columns_[i]}})
        copy(from, found.interactions.data() + (a * n_columns + b) * n_targets(), n_columns * n_columns * n_targets());
}

}  // namespace arboretum
