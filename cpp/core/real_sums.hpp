// Real sums: what is reported of the real targets of a node, summed in doubled precision from the targets themselves.
// They add, so inner nodes are the sum of their leaves. Not used in the search for splits.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/divergence.hpp"
#include "core/twofold.hpp"

namespace arboretum {

// Doubled precision hides the order in which rows are added, unless some weigh very much more than others.
enum class RowOrder : std::uint8_t { any, sorted };

// Logarithms take longer than all the rest, and only Poisson deviance wants them.
template <bool with_logs>
struct RealSums {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  double centre = 0.0;  // half-way between the two: distances from there stay small, whatever other nodes hold
  Twofold weight{}, sum{}, squares{}, logs{};
  double deviance = 0.0;  // Poisson's; it does not add, but comes out of both parts

  // The sums of some rows; `visit` calls its argument with the weight and target of each, every time it is asked.
  template <class Visit>
  static RealSums of(Visit&& visit, RowOrder order) {
    RealSums sums;
    visit([&](double, double y) { sums.lowest = std::min(sums.lowest, y), sums.highest = std::max(sums.highest, y); });
    sums.centre = sums.middle();
    if (order == RowOrder::any) sums.add_rows(visit);
    else sums.add_sorted(visit);
    return sums;
  }

  // The same for a part of the rows, whose targets lie between `lowest` and `highest` like those of all others. Parts
  // are added by add_part; once all are there, the deviance is found by close().
  template <class Visit>
  static RealSums of_part(Visit&& visit, double lowest, double highest) {
    RealSums sums{.lowest = lowest, .highest = highest};
    sums.centre = sums.middle();
    sums.add_terms(visit);
    return sums;
  }
  RealSums& add_part(const RealSums& other) {
    weight += other.weight, sum += other.sum, squares += other.squares, logs += other.logs;
    return *this;
  }
  // False if close_with() must be told how far all rows diverge from the mean.
  bool close() { return !with_logs || same_targets() || find_deviance(); }

  // How far the targets of some rows diverge from a mean, added up.
  template <class Visit>
  static Twofold divergences(Visit&& visit, double mean) {
    Twofold total;
    visit([&](double w, double y) { total += product(w, mean * divergence(difference(y, mean).value() / mean)); });
    return total;
  }
  // The deviance is the mean divergence of the targets from their mean. Of the mean as it is rounded, they exceed that
  // by the divergence of the true mean.
  void close_with(Twofold total) {
    const double m = mean();
    Twofold rest = sum;
    rest += product(weight, centre), rest += product(weight, -m);
    total += product(weight, -m * divergence(rest.value() / weight.value() / m));
    deviance = std::max(0.0, total.value() / weight.value());
  }

  // Sums that were made elsewhere, of w, w y, and w y^2 (with logs: w y log y).
  static RealSums of_sums(double weight, double sum, double last) {
    constexpr double far = std::numeric_limits<double>::infinity();
    RealSums sums{.lowest = -far, .highest = far, .weight = {weight}, .sum = {sum}};
    (with_logs ? sums.logs : sums.squares) = {last};
    if (with_logs) sums.find_deviance();
    return sums;
  }

  RealSums& operator+=(RealSums other) {
    if (other.lowest > other.highest) return *this;
    if (lowest > highest) return *this = other;
    lowest = std::min(lowest, other.lowest), highest = std::max(highest, other.highest);
    const double to = middle();
    move_centre(to), other.move_centre(to);
    const Part own = part(), its = other.part();
    weight += other.weight, sum += other.sum, squares += other.squares, logs += other.logs;
    if (with_logs && !same_targets() && !find_deviance()) join_deviances(own, its);
    return *this;
  }

  // Where all targets are equal nothing may be rounded: their mean is the target, their variance zero.
  bool same_targets() const { return !(lowest < highest); }
  double mean() const {
    if (same_targets()) return lowest;
    return std::clamp(plain_mean(), lowest, highest);
  }
  double variance() const {
    if (same_targets()) return 0.0;
    const double m = from_centre();
    Twofold total = squares;  // sum w (d - m)^2 = squares - 2 m sum + m^2 weight
    total += product(sum, -2.0 * m);
    total += product(product(weight, m), m);
    return std::max(0.0, total.value() / weight.value());
  }

 private:
  struct Part {
    double weight, from_centre, deviance;
  };
  Part part() const { return {weight.value(), from_centre(), deviance}; }

  double middle() const { return lowest / 2 + highest / 2; }
  double from_centre() const { return sum.value() / weight.value(); }

  // Where the mean lies much nearer to zero than the centre, it is added up anew: the difference has lost its digits.
  double plain_mean() const {
    const double mean = centre + from_centre();
    if (std::abs(mean) >= 0x1p-24 * std::abs(centre)) return mean;
    Twofold total = sum;
    return (total += product(weight, centre)).value() / weight.value();
  }

  template <class Visit>
  void add_terms(Visit&& visit) {
    visit([&](double w, double y) {
      add(w, y);
      if (with_logs && y > 0.0) logs += product(w, y * std::log(y));
    });
  }

  template <class Visit>
  void add_rows(Visit&& visit) {
    add_terms(visit);
    if (!close()) close_with(divergences(visit, mean()));
  }

  template <class Visit>
  void add_sorted(Visit&& visit) {
    std::vector<std::pair<double, double>> rows;
    visit([&](double w, double y) { rows.emplace_back(w, y); });
    std::ranges::sort(rows);
    add_rows([&](auto&& read) {
      for (const auto& [w, y] : rows) read(w, y);
    });
  }

  void add(double w, double y) {
    weight += w;
    if (same_targets()) return;
    const Twofold distance = difference(y, centre);
    sum += product(distance, w);
    squares += product(square(distance), w);
  }

  // False if the terms cancel so far that fewer than six digits are left.
  bool find_deviance() {
    const double y = mean(), term = y * std::log(y);
    if (y == 0.0) return true;  // too small for a double
    deviance = logs.value() / weight.value() - term;
    return deviance >= 0x1p-31 * (y + std::abs(term));
  }

  // Of two parts, whose rows diverge from the mean of both as from their own mean, and as that does.
  void join_deviances(const Part& own, const Part& its) {
    const double m = mean(), apart = (own.from_centre - its.from_centre) / m, both = own.weight + its.weight;
    deviance = own.weight / both * (own.deviance + m * divergence(apart * (its.weight / both))) +
               its.weight / both * (its.deviance + m * divergence(-apart * (own.weight / both)));
  }

  // With distances d + s instead of d: sum w (d + s)^2 = squares + 2 s sum + s^2 weight.
  void move_centre(double to) {
    const Twofold step = difference(centre, to);
    const Twofold moved = product(weight, step);
    squares += product(sum, step), squares += product(sum, step), squares += product(moved, step);
    sum += moved;
    centre = to;
  }
};

}  // namespace arboretum
