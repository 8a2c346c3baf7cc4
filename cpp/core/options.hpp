// Options: everything that steers growth, filled in by the caller. No option has a hidden default elsewhere.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "core/dataset.hpp"

namespace arboretum {

enum class Thresholds : std::uint8_t { midpoint, observed };
enum class Nominal : std::uint8_t { subset, one_vs_rest };
enum class Order : std::uint8_t { depth_first, best_first };

struct GrowOptions {
  Thresholds thresholds = Thresholds::midpoint;
  Nominal nominal = Nominal::subset;
  Order order = Order::depth_first;
  std::uint32_t max_depth = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t max_leaves = std::numeric_limits<std::uint32_t>::max();
  Row min_split_rows = 2;
  Row min_leaf_rows = 1;
  double min_leaf_weight = 0.0;
  double min_decrease = 0.0;  // impurity decrease times the node's share of the weight
  std::uint32_t max_bins = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t max_exhaustive_levels = 10;  // where no order of levels is exact, all subsets are tried up to here
  std::vector<std::int8_t> monotone;         // -1, 0, 1 per column; empty: no constraint
  double smoothing_m = 0.0;                  // leaves of classes: (count + m * prior) / (weight + m)
  double smoothing_prior = 0.0;              // the prior of the last of two classes
  std::uint32_t n_threads = 1;

  // Ways to the same tree, each of which can be switched off to see that the tree does not change.
  bool fast = true;                 // coarse codes and bounds; false: every cut of every node is scored
  bool bounds = true;               // look only into buckets that may hold something better
  bool subtraction = true;          // the larger child's histogram is the parent's less the smaller child's
  bool simd = true;                 // vector instructions where the processor has them
  std::uint32_t small_limit = 256;  // nodes of up to so many rows work on sorted lists
};

}  // namespace arboretum
