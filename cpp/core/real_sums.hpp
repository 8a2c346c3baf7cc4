// Real sums: what is reported of the real targets of a node, summed in doubled precision from the targets themselves.
// Words: RealSums. They add, so inner nodes are the sum of their leaves. Not used in the search for splits.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/twofold.hpp"

namespace arboretum {

struct RealSums {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
  double centre = 0.0;  // half-way between the two: distances from there stay small, whatever other nodes hold
  Twofold weight{}, sum{}, squares{}, logs{};

  // The sums of some rows; `visit` calls its argument with the weight and target of each, every time it is asked.
  // Logarithms take longer than all the rest, and only Poisson deviance wants them.
  template <bool with_logs, class Visit>
  static RealSums of(Visit&& visit) {
    RealSums sums;
    visit([&](double, double y) { sums.lowest = std::min(sums.lowest, y), sums.highest = std::max(sums.highest, y); });
    sums.centre = sums.middle();
    visit([&](double w, double y) {
      sums.add(w, y);
      if (with_logs && y > 0.0) sums.logs += product(w, y * std::log(y));
    });
    return sums;
  }

  RealSums& operator+=(RealSums other) {
    if (other.lowest > other.highest) return *this;
    if (lowest > highest) return *this = other;
    lowest = std::min(lowest, other.lowest), highest = std::max(highest, other.highest);
    const double to = middle();
    move_centre(to), other.move_centre(to);
    weight += other.weight, sum += other.sum, squares += other.squares, logs += other.logs;
    return *this;
  }

  // Where all targets are equal nothing may be rounded: their mean is the target, their variance zero.
  bool same_targets() const { return !(lowest < highest); }
  double mean() const {
    if (same_targets()) return lowest;
    return std::clamp(centre + sum.value() / weight.value(), lowest, highest);
  }
  double variance() const {
    if (same_targets()) return 0.0;
    const double m = sum.value() / weight.value();
    Twofold total = squares;  // sum w (d - m)^2 = squares - 2 m sum + m^2 weight
    total += product(sum, -2.0 * m);
    total += product(product(weight, m), m);
    return std::max(0.0, total.value() / weight.value());
  }
  double poisson_deviance() const {
    if (same_targets()) return 0.0;
    const double y = mean();
    return std::max(0.0, logs.value() / weight.value() - y * std::log(y));
  }

 private:
  double middle() const { return lowest / 2 + highest / 2; }

  void add(double w, double y) {
    weight += w;
    if (same_targets()) return;
    const Twofold distance = difference(y, centre);
    sum += product(distance, w);
    squares += product(square(distance), w);
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
