// ForeseenCuts: what every cut of a column is worth in terms of medians, found in two walks through the rows in the
// order of their values. Taking rows away from the highest value down leaves the left side of every cut, from the
// lowest up the right one.
#pragma once
#include <span>
#include <vector>

#include "core/criteria/medians.hpp"
#include "core/criteria/ordered_node.hpp"
#include "core/sources/sorted_column.hpp"

namespace arboretum {

// One cut, as a contest wants to see it.
struct ForeseenCut {
  Row left_rows;
  Fixed left_weight;
  Wide gain;
  double left_median, right_median;

  Row n_rows() const { return left_rows; }
  Fixed weight() const { return left_weight; }
  bool admissible() const { return true; }
  double score() const { return static_cast<double>(gain); }
  double left_value() const { return left_median; }
  double right_value() const { return right_median; }
};

class ForeseenCuts {
 public:
  enum class Missing : bool { right, left };

  // `rows` are those of the node in the order of their values, the last `n_missing` of them without one. Medians are
  // found only if wanted. False if the weights differ so much that searching is better than walking.
  bool foresee(const OrderedNode& node, std::span<const SortedRow> rows, Row n_missing, Missing missing,
               bool want_medians) {
    const std::size_t n_cuts = rows.size() - n_missing + 1;
    always_left_ = missing == Missing::left ? n_missing : 0;
    gains_.resize(n_cuts), left_weights_.resize(n_cuts);
    left_medians_.resize(want_medians ? n_cuts : 0), right_medians_.resize(want_medians ? n_cuts : 0);
    const Walk walk{node, rows.first(n_cuts - 1), rows.last(n_missing), missing};
    auto fresh_links = [&] { return link_all(links_, node.n_rows()), links_.data(); };
    if (node.unit_weights()) return walk_both(walk, [&] { return UnitRemainder{fresh_links(), node}; });
    return walk_both(walk, [&] { return WeightedRemainder{fresh_links(), node}; });
  }

  // By how much the sum of distances falls when the first `n` rows with a value go left.
  Wide gain(Row n) const { return gains_[n]; }

  ForeseenCut cut(Row n) const {
    const bool medians = !left_medians_.empty();
    return {n + always_left_, left_weights_[n], gains_[n], medians ? left_medians_[n] : 0.0,
            medians ? right_medians_[n] : 0.0};
  }

 private:
  struct Walk {
    const OrderedNode& node;
    std::span<const SortedRow> present, absent;
    Missing missing;
  };
  // So many steps for each row of the node cost about what searching does. A walk takes O(n) steps, come what may.
  static constexpr std::uint64_t max_steps = 8;

  template <class Whole>
  bool walk_both(const Walk& walk, Whole&& whole) {
    // Plain pointers: the compiler need not fear that a note moves the arrays.
    const Wide total = walk.node.deviation;
    Wide* const gains = gains_.data();
    Fixed* const left_weights = left_weights_.data();
    auto note_left = [=](std::size_t n, const auto& left) {
      gains[n] = total - left.deviation(), left_weights[n] = left.weight();
    };
    auto note_right = [=](std::size_t n, const auto& right) { gains[n] -= right.deviation(); };
    if (left_medians_.empty()) return walk_down(walk, whole(), note_left) && walk_up(walk, whole(), note_right);
    auto note_left_median = [&](std::size_t n, const auto& left) {
      note_left(n, left);
      left_medians_[n] = median_of(walk.node, left);
    };
    auto note_right_median = [&](std::size_t n, const auto& right) {
      note_right(n, right);
      right_medians_[n] = median_of(walk.node, right);
    };
    return walk_down(walk, whole(), note_left_median) && walk_up(walk, whole(), note_right_median);
  }

  template <class Remainder, class Note>
  static bool walk_down(const Walk& walk, Remainder left, Note&& note) {
    if (walk.missing == Missing::right && !remove_all(left, walk)) return false;
    for (std::size_t n = walk.present.size(); n > 0; --n) {
      note(n, left);
      if (!remove(left, walk.present[n - 1], walk)) return false;
    }
    note(0, left);
    return true;
  }

  template <class Remainder, class Note>
  static bool walk_up(const Walk& walk, Remainder right, Note&& note) {
    if (walk.missing == Missing::left && !remove_all(right, walk)) return false;
    for (std::size_t n = 0; n < walk.present.size(); ++n) {
      note(n, right);
      if (!remove(right, walk.present[n], walk)) return false;
    }
    note(walk.present.size(), right);
    return true;
  }

  // False if the median has wandered too far.
  template <class Remainder>
  [[gnu::always_inline]] static bool remove(Remainder& rest, SortedRow row, const Walk& walk) {
    rest.remove(row.position + 1);
    return rest.n_steps() <= max_steps * walk.node.n_rows();
  }

  template <class Remainder>
  static bool remove_all(Remainder& rest, const Walk& walk) {
    for (const SortedRow& row : walk.absent)
      if (!remove(rest, row, walk)) return false;
    return true;
  }

  template <class Remainder>
  static double median_of(const OrderedNode& node, const Remainder& rest) {
    if (rest.weight() == 0) return 0.0;
    return node.mean_of(node.rows[rest.low() - 1].rank, node.rows[rest.high() - 1].rank);
  }

  Row always_left_ = 0;
  std::vector<Wide> gains_;
  std::vector<Fixed> left_weights_;
  std::vector<double> left_medians_, right_medians_;  // empty if nobody wants them
  std::vector<Link> links_;                           // scratch
};

}  // namespace arboretum
