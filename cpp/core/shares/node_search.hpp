// NodeSearch: the best split of a node whose rows lie in many shares, from what these report of it. It is the search of
// the fast source (CutSearch), with the rows at a distance: buckets that may hold the best cut become intervals, of
// which finer counts are asked, and so on down to single values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/dataset.hpp"
#include "core/grow/limits.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/shares/share.hpp"
#include "core/shares/target_scale.hpp"
#include "core/sources/coarse_codes.hpp"
#include "core/sources/histogram.hpp"

namespace arboretum {

// What the search knows of the columns: views without values, codes without rows.
struct SharedColumns {
  Dataset data;
  std::vector<CoarseColumn> coded;
};

// A node before it is searched.
struct SharedNode {
  std::span<const std::byte> total;
  std::uint32_t depth = 0;
  double root_weight = 0.0;  // 0: this is the root
  FastScale scale{};
  bool same_targets = false;  // numbers: all equal
};

// What a node asks, with what is known of its children.
struct SharedSplit {
  SharedQuestion question;
  double gain = 0.0, corrected = 0.0, improvement = 0.0;
  std::vector<std::byte> left{}, right{};  // totals
};

class NodeSearch {
 public:
  virtual ~NodeSearch() = default;

  virtual bool is_leaf() const = 0;  // homogeneous, or stopped by a limit
  virtual Row n_rows() const = 0;
  virtual double weight() const = 0;
  virtual double impurity() const = 0;             // of classes
  virtual std::vector<double> counts() const = 0;  // of each class, where rows count 1

  // Takes what is known of chance, where gains are corrected for levels.
  virtual void set_chance(const ChanceSums& sums) = 0;
  // Takes the buckets of all columns, as Share::count returns them, and scores what they tell.
  virtual void sweep(std::span<const View> views, std::span<const std::byte> buckets, Interrupt& interrupt) = 0;
  // Views for the children: the buckets of this node that hold any rows, for so many rows.
  virtual std::vector<View> views_for(Row n_rows) const = 0;
  // What has to be counted of a child, by these of the views above, when its sibling has been counted by all of them.
  virtual std::vector<View> views_beside_sibling(std::span<const View> views) const = 0;
  // The buckets of that child, by all of the views: this node's less the sibling's, or as they were counted.
  virtual std::vector<std::byte> beside_sibling(std::span<const View> views, std::span<const std::byte> sibling,
                                                std::span<const std::byte> counted) const = 0;
  // The intervals that may hold something as good as the best so far. None: the search is over.
  virtual std::vector<Interval> hopeful() = 0;
  // Takes the cells of all intervals that were asked for last, sorted by interval and cell.
  virtual void refine(const Cells& cells) = 0;
  virtual std::optional<SharedSplit> best() const = 0;
};

// As many codes as a table of so many rows deserves.
std::size_t n_shared_codes(const TargetForm& form, Row n_rows);

// The views that the root is counted by.
std::vector<View> root_views(const SharedColumns& columns, std::size_t n_codes);

// Null if no summary holds such targets.
std::unique_ptr<NodeSearch> search_node(const TargetForm& form, const GrowOptions& options,
                                        const SharedColumns& columns, const SharedNode& node);

}  // namespace arboretum
