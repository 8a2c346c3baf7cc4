// Climb: from a direction to better ones nearby, one coefficient after the other, after OC1 (Murthy, Kasif and
// Salzberg 1994). A move makes points change sides, each at its critical step; a push is a random move. The steps are
// exact: all critical steps are sorted, and every gap between two of them is tried. Spots are compared by squares, not
// yet by the criterion.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "core/keys.hpp"
#include "core/search/cloud.hpp"
#include "core/search/pushes.hpp"

namespace arboretum {

// A side whose weight is no more than what rounding leaves of the others'.
inline bool is_empty(double product_of_weights, double all) { return product_of_weights < 1e-12 * all * all; }

// Sum over both sides of (sum of squared class weights) / weight, which grows as gini falls.
class ClassTally {
 public:
  explicit ClassTally(const Responses& responses)
      : labels_{responses.labels.data()},
        weights_{responses.weights.data()},
        all_{std::vector<double>(responses.n_classes)} {
    for (std::size_t i = 0; i < responses.size(); ++i) all_.add(labels_[i], weights_[i]);
    left_ = right_ = all_;
    clear();
  }
  void clear() {
    std::ranges::fill(left_.counts, 0.0);
    left_.weight = left_.squares = 0.0;
    right_ = all_;
  }
  void to_left(std::size_t i) { left_.add(labels_[i], weights_[i]), right_.add(labels_[i], -weights_[i]); }
  void to_right(std::size_t i) { left_.add(labels_[i], -weights_[i]), right_.add(labels_[i], weights_[i]); }
  double score() const {
    if (is_empty(left_.weight * right_.weight, all_.weight)) return 0.0;
    return (left_.squares * right_.weight + right_.squares * left_.weight) / (left_.weight * right_.weight) -
           all_.squares / all_.weight;
  }
  // Of a cut that leaves one class on each side.
  double whole() const { return all_.weight - all_.squares / all_.weight; }

 private:
  struct Side {
    std::vector<double> counts;
    double weight = 0.0, squares = 0.0;
    // (c + w)^2 - c^2 = w (2 c + w)
    void add(std::uint32_t label, double w) {
      squares += w * (2 * counts[label] + w);
      counts[label] += w, weight += w;
    }
  };
  const std::uint32_t* labels_;
  const double* weights_;
  Side all_, left_, right_;
};

// The same for numbers: sum over both sides of (weighted sum)^2 / weight.
class NumberTally {
 public:
  explicit NumberTally(const Responses& responses)
      : numbers_{responses.numbers.data()}, weights_{responses.weights.data()} {
    for (std::size_t i = 0; i < responses.size(); ++i) all_.add(numbers_[i], weights_[i]);
    clear();
  }
  void clear() { left_ = {}, right_ = all_; }
  void to_left(std::size_t i) { left_.add(numbers_[i], weights_[i]), right_.add(numbers_[i], -weights_[i]); }
  void to_right(std::size_t i) { left_.add(numbers_[i], -weights_[i]), right_.add(numbers_[i], weights_[i]); }
  double score() const {
    if (is_empty(left_.weight * right_.weight, all_.weight)) return 0.0;
    return (left_.sum * left_.sum * right_.weight + right_.sum * right_.sum * left_.weight) /
               (left_.weight * right_.weight) -
           all_.sum * all_.sum / all_.weight;
  }
  double whole() const { return all_.weight; }

 private:
  struct Side {
    double sum = 0.0, weight = 0.0;
    void add(double y, double w) { sum += w * y, weight += w; }
  };
  const double* numbers_;
  const double* weights_;
  Side all_, left_, right_;
};

// A number and the point it belongs to, in one integer: a float is near enough, and half the work to sort.
class Crossing {
 public:
  Crossing() = default;
  Crossing(double number, std::size_t point) : packed_{key_of(static_cast<float>(number)) << 32 | point} {}
  Key key() const { return packed_ >> 32; }
  double number() const { return value_of<float>(key()); }
  std::size_t point() const { return packed_ & 0xffffffff; }
  auto operator<=>(const Crossing&) const = default;

 private:
  std::uint64_t packed_ = 0;
};
inline Key sort_key(const Crossing& crossing) { return crossing.key(); }

// A slope, a bound and what they are worth.
struct Spot {
  Slope slope{};
  double bound = 0.0;
  double score = 0.0;
};

inline constexpr double no_entry = std::numeric_limits<double>::infinity();

struct ClimbPlan {
  std::uint32_t sweeps = 1;  // over all axes, at most, and again after each push that helps
  std::uint32_t pushes = 0;
  double price = 0.0;  // what an axis must gain to enter the slope, which it may do in the first sweep
};

template <class Tally>
class Climb {
 public:
  // Both sides of a cut hold at least this share of the points.
  Climb(const Cloud& cloud, double least_share, Interrupt& interrupt)
      : cloud_{cloud},
        least_{std::max<std::size_t>(static_cast<std::size_t>(least_share * static_cast<double>(cloud.n_points())), 1)},
        interrupt_{interrupt},
        tally_{cloud.responses},
        moved_{tally_},
        up_(cloud.n_points(), -1.0) {}

  std::size_t n_points() const { return cloud_.n_points(); }
  double whole() const { return tally_.whole(); }

  // The best bound of a slope, which is brought to length 1.
  Spot start(Slope slope) {
    const double length = std::sqrt(dot(slope.data(), slope.data(), slope.size()));
    if (length > 0.0)
      for (double& b : slope) b /= length;
    Spot spot{std::move(slope)};
    interrupt_.poll();
    heights_ = cloud_.project(spot.slope);
    tally_.clear();
    critical_.resize(cloud_.n_points());
    for (std::size_t i = 0; i < cloud_.n_points(); ++i) critical_[i] = {heights_[i], i};
    sort_critical();
    for (std::size_t c = 0; c + 1 < critical_.size(); ++c) {
      tally_.to_left(critical_[c].point());
      if (gap_behind(c) && allows(c + 1) && tally_.score() > spot.score)
        spot.score = tally_.score(), spot.bound = middle_of_gap(c);
    }
    return spot;
  }

  void climb(Spot& spot, const ClimbPlan& plan, Pushes& pushes) {
    stand_at(spot);
    sweep(spot, plan);
    for (std::uint32_t push = 0; push < plan.pushes; ++push)
      if (improve_anyhow(spot, pushes)) sweep(spot, plan);
  }

 private:
  // Of a coefficient at a time; at first the slope has length 1.
  static constexpr double longest_step = 1.0, any_step = std::numeric_limits<double>::infinity();

  void stand_at(const Spot& spot) {
    heights_ = cloud_.project(spot.slope);
    for (double& height : heights_) height -= spot.bound;
    count();
  }
  void count() {
    tally_.clear(), n_left_ = 0;
    for (std::size_t i = 0; i < cloud_.n_points(); ++i)
      if (heights_[i] <= 0.0) tally_.to_left(i), ++n_left_;
  }

  void sweep(Spot& spot, const ClimbPlan& plan) {
    for (std::uint32_t n = 0; n < plan.sweeps; ++n) {
      bool improved = false;
      for (std::size_t axis = 0; axis < cloud_.n_axes(); ++axis) {
        const bool enters = spot.slope[axis] == 0.0;
        if (enters && (n > 0 || plan.price == no_entry)) continue;
        const double step = best_step(cloud_.axes[axis], longest_step, spot.score, enters ? plan.price : 0.0);
        if (step == 0.0) continue;
        spot.slope[axis] += step, improved = true;
        move(step, cloud_.axes[axis]);
      }
      improved |= improve_bound(spot);
      if (!improved) return;
    }
  }

  bool improve_bound(Spot& spot) {
    const double step = best_step(up_, any_step, spot.score, 0.0);
    if (step == 0.0) return false;
    spot.bound += step;
    move(step, up_);
    return true;
  }

  bool improve_anyhow(Spot& spot, Pushes& pushes) {
    Slope push(cloud_.n_axes());
    for (std::size_t axis = 0; axis < push.size(); ++axis)
      if (spot.slope[axis] != 0.0) push[axis] = pushes.next();
    const double bound = pushes.next();
    std::vector<double> along = cloud_.project(push);
    for (double& x : along) x -= bound;
    const double step = best_step(along, longest_step, spot.score, 0.0);
    if (step == 0.0) return false;
    add_times(step, push, spot.slope), move(step, along);
    spot.bound += step * bound;
    return true;
  }

  void move(double step, std::span<const double> along) {
    add_times(step, along, heights_);
    count();
  }

  // Where height + step * along <= 0 a point lies left. Raises `score` to that of the best step of at most `reach`; 0
  // if none gains at least `price`.
  double best_step(std::span<const double> along, double reach, double& score, double price) {
    constexpr double clearly = 1 + 1e-9;
    interrupt_.poll();
    critical_.resize(cloud_.n_points());
    std::size_t n_critical = 0;
    for (std::size_t i = 0; i < cloud_.n_points(); ++i) {
      critical_[n_critical] = {-heights_[i] / along[i], i};  // is written over if it is none
      n_critical += std::abs(heights_[i]) <= reach * std::abs(along[i]) && along[i] != 0.0;
    }
    critical_.resize(n_critical);
    sort_critical();
    // A point that rises comes from the left: before all steps it is there.
    moved_ = tally_;
    std::size_t n_left = n_left_;
    for (const Crossing& crossing : critical_) {
      const std::size_t i = crossing.point();
      if (along[i] > 0.0 && heights_[i] > 0.0) moved_.to_left(i), ++n_left;
      if (along[i] < 0.0 && heights_[i] <= 0.0) moved_.to_right(i), --n_left;
    }
    double best = score * clearly + price, step = 0.0;
    for (std::size_t c = 0; c + 1 < critical_.size(); ++c) {
      const std::size_t i = critical_[c].point();
      if (along[i] > 0.0) moved_.to_right(i), --n_left;
      else moved_.to_left(i), ++n_left;
      if (!gap_behind(c) || !allows(n_left)) continue;
      const double here = moved_.score();
      if (here > best) best = score = here, step = middle_of_gap(c);
    }
    return step;
  }

  bool gap_behind(std::size_t c) const { return critical_[c].key() != critical_[c + 1].key(); }
  double middle_of_gap(std::size_t c) const { return critical_[c].number() / 2 + critical_[c + 1].number() / 2; }
  void sort_critical() {
    if (critical_.size() < 512) std::ranges::sort(critical_);
    else sort_by_key(critical_, scratch_);
  }
  bool allows(std::size_t n_left) const { return n_left >= least_ && cloud_.n_points() - n_left >= least_; }

  const Cloud& cloud_;
  std::size_t least_;
  Interrupt& interrupt_;
  Tally tally_, moved_;  // of the spot at hand; of the steps that are tried
  std::size_t n_left_ = 0;
  std::vector<double> heights_, up_;  // of the points above the cut; the move that raises the bound
  std::vector<Crossing> critical_, scratch_;
};

}  // namespace arboretum
