// Share: the rows of a table that lie in one place, while others lie elsewhere. It answers what the search for a split
// asks of the rows: counts of coarse buckets, finer counts of some of them, values beside a cut; and it divides rows
// among children. Answers are whole numbers that add up over the shares, in any order.
// A share itself never changes. Where the tree has got to is told by the rows of its open nodes, which the caller holds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/dataset.hpp"
#include "core/grow/chance.hpp"
#include "core/grow/split.hpp"
#include "core/keys.hpp"
#include "core/moments.hpp"
#include "core/real_sums.hpp"
#include "core/shares/target_scale.hpp"
#include "core/sources/coarse_codes.hpp"
#include "core/sources/fast_criterion.hpp"
#include "core/sources/histogram.hpp"

namespace arboretum {

// The rows of the open nodes, those of a node next to each other and in ascending order.
struct NodeRows {
  std::span<const Row> rows;
  std::span<const std::int64_t> begins;  // of each node; then the end

  std::size_t n_nodes() const { return begins.size() - 1; }
  std::span<const Row> of(std::size_t node) const {
    return rows.subspan(static_cast<std::size_t>(begins[node]),
                        static_cast<std::size_t>(begins[node + 1] - begins[node]));
  }
};

// Rows of a node whose values of a column have keys from `low` to `high`. They are told apart by `n_cells` steps of
// equal width; 0: by every key.
struct Interval {
  std::uint32_t node = 0, column = 0;
  Key low = 0, high = 0;
  std::uint64_t n_cells = 0;
  Row n_rows = 0;

  std::uint64_t cell_of(Key key) const { return n_cells == 0 ? key : (key - low) / ((high - low) / n_cells + 1); }
};

// What lies in intervals: those cells that hold any rows, with the least and the largest key in each.
struct Cells {
  std::vector<std::uint32_t> interval;
  std::vector<std::uint64_t> cell;
  std::vector<Key> low, high;
  std::vector<std::byte> summaries;
};

// The cut between a code and the next one, in a node.
struct CutAfter {
  std::uint32_t node = 0, column = 0;
  Code code = 0;
};

// A question as shares are asked it: inside a code, keys decide.
struct SharedQuestion : Split {
  bool inside = false;
  Key low = 0, high = 0;  // the values beside a threshold, where they are known
  bool has_values = false;
};

class Share {
 public:
  virtual ~Share() = default;

  // Where targets lie, node by node.
  std::vector<TargetExtents> extents(const NodeRows& open) const;
  // The summaries of all rows of the nodes, each on its scale. `reach` becomes the largest target that bounds must
  // reckon with.
  virtual std::vector<std::byte> totals(const NodeRows& open, std::span<const FastScale> scales,
                                        std::vector<double>& reach) const = 0;
  // The buckets of these nodes, one column after another; `views` holds one view a column of each node. No buckets: the
  // column is of no interest.
  virtual std::vector<std::byte> count(const NodeRows& open, std::span<const std::uint32_t> nodes,
                                       std::span<const View> views, std::span<const FastScale> scales) const = 0;
  virtual Cells refine(const NodeRows& open, std::span<const Interval> intervals,
                       std::span<const FastScale> scales) const = 0;

  // What is known of chance in these nodes, which have these totals.
  virtual std::vector<ChanceSums> chance_sums(const NodeRows& open, std::span<const std::uint32_t> nodes,
                                              std::span<const std::byte> totals,
                                              std::span<const FastScale> scales) const = 0;

  // What is reported of nodes: weights of classes, or sums of numbers between the lowest and the highest of the node.
  std::vector<Twofold> class_weights(const NodeRows& open, std::span<const std::uint32_t> nodes) const;
  template <bool with_logs>
  std::vector<RealSums<with_logs>> real_sums(const NodeRows& open, std::span<const std::uint32_t> nodes,
                                             std::span<const double> lowest, std::span<const double> highest) const;
  // How far the targets of nodes diverge from their means: see RealSums.
  std::vector<Twofold> divergences(const NodeRows& open, std::span<const std::uint32_t> nodes,
                                   std::span<const double> means) const;

  // The largest key at or below each cut, and the smallest above it; 0 and the largest key of all where there is none.
  std::pair<std::vector<Key>, std::vector<Key>> keys_beside(const NodeRows& open, std::span<const CutAfter> cuts) const;

  // The rows of the children: two for each node that has a question, none for the others.
  std::vector<Row> divide(const NodeRows& open, std::span<const SharedQuestion* const> questions,
                          std::vector<std::int64_t>& begins) const;

  Row n_rows() const { return data_.n_rows; }
  const std::vector<CoarseColumn>& columns() const { return columns_; }

 protected:
  Share(const Dataset& data, const Targets& targets, std::span<const std::vector<Key>> edges, Interrupt& interrupt)
      : data_{data}, targets_{targets}, columns_{encode_by_edges(data, edges, 1, interrupt)} {}

  // Calls read(weight, number) for each of these rows.
  auto each_number(std::span<const Row> rows) const {
    return [this, rows](auto&& read) {
      for (const Row row : rows) read(targets_.case_weight(row), targets_.numbers[row]);
    };
  }

  Dataset data_;
  Targets targets_;
  std::vector<CoarseColumn> columns_;
};

// The code that covers a key.
Code code_of(const CoarseColumn& column, Key key);

// For the targets of a criterion; null if no summary holds them.
std::unique_ptr<Share> make_share(const Dataset& data, const Targets& targets, const TargetForm& form,
                                  std::span<const std::vector<Key>> edges, Interrupt& interrupt);

}  // namespace arboretum
