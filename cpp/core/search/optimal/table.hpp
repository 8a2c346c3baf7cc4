// OptimalTable: the data as the search for optimal trees sees them. Costs are whole numbers of steps held in doubles, so
// that sums are exact: what a mistake costs, and on top of it one step for every leaf, which makes the tree with the
// fewest leaves the cheapest of equals. Squared errors are real numbers, and equal if they differ by 1e-9 of the whole.
//
// A column with missing values is there twice: as its lowest value and as its highest. A threshold then sends them to
// either side, and "is it missing?" is one more threshold.
#pragma once
#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/codes.hpp"
#include "core/dataset.hpp"
#include "core/grow/split.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"

namespace arboretum::optimal {

using Cost = double;
inline constexpr Cost far = 1e300;  // more than any tree costs

using Rank = std::uint32_t;

// What is summed up to find the best leaf. `counts`: every row counts 1 and so does every mistake; `credits`: weights
// and losses; `squares`: real targets.
enum class Goal : std::uint8_t { counts, credits, squares };

// A question about a nominal column: which ranks of levels go left.
struct LevelQuestion {
  std::uint64_t left = 0;  // a subset, one bit a rank
  Rank level = 0;          // or, if that is 0, one level against the rest
  bool with_missing = false;

  bool sends_left(Rank rank, Rank missing) const {
    if (left != 0) return (left >> rank & 1) != 0;
    return rank == level || (with_missing && rank == missing);
  }
};

// A column as the search sees it.
struct Asked {
  std::uint32_t column = 0;    // of the dataset
  bool ordered = true;         // cut by thresholds; else asked by `questions`
  bool missing_first = false;  // rank 0 is "missing", and codes are ranks less one
  bool has_missing = false;
  Rank n_ranks = 0;
  Rank missing = 0;            // the rank of missing values, where there are any
  std::vector<Rank> rank{};    // by row
  std::vector<Code> levels{};  // of a nominal column: those that occur, by rank
  std::vector<LevelQuestion> questions{};
};

// What the caller asks for.
struct OptimalOptions {
  std::uint32_t max_depth = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t max_leaves = std::numeric_limits<std::uint32_t>::max();
  Row min_leaf_rows = 1, min_split_rows = 2;
  double leaf_penalty = 0.0;  // the price of a leaf, in units of the average loss of a row
  Nominal nominal = Nominal::subset;
  std::uint32_t most_levels = 8;  // of a nominal column, all of whose subsets are tried
  double seconds = std::numeric_limits<double>::infinity();
  double passes = std::numeric_limits<double>::infinity();
  double bytes = std::numeric_limits<double>::infinity();
  double gap = 0.0;
  bool keep_when_interrupted = false;
  bool alternatives = false;
  bool simd = true;
  std::uint32_t n_threads = 1;
  std::uint32_t n_cuts = 16;   // tried in one pass; fewer in tests
  std::vector<double> loss{};  // loss[true * n_classes + predicted]; empty: 1 for each mistake
};

// A column has more levels than those whose subsets are tried.
class TooManyLevels : public std::exception {
 public:
  TooManyLevels(std::uint32_t column, std::size_t n) : text_{std::to_string(column) + " " + std::to_string(n)} {}
  const char* what() const noexcept override { return text_.c_str(); }  // the column, and its number of levels

 private:
  std::string text_;
};

class OptimalTable {
 public:
  OptimalTable(const Dataset& data, const Targets& targets, const OptimalOptions& options, Interrupt& interrupt);

  Row n_rows = 0;
  std::vector<Asked> columns;
  Goal goal = Goal::counts;
  std::uint32_t n_labels = 0;
  bool has_loss = false;
  bool even = false;                 // numbers: every row weighs 1
  std::vector<std::uint16_t> label;  // by row, of classes
  std::vector<double> weight;        // by row, in steps (classes) or as given (numbers); empty for Goal::counts
  std::vector<double> number;        // by row: the centred target
  std::vector<double> credit;        // label × label: what a row of weight 1 earns if it is given a label
  std::vector<double> full;          // by label: what a row of weight 1 costs before it earns anything
  Cost unit = 1.0;                   // of one step
  Cost penalty = 0.0;                // of a split
  Cost slack = 0.0;                  // smaller differences are rounding
  Cost tie = 1.0;                    // costs that differ by less are equal, of trees with as many leaves
  double steps_per_weight = 1.0;     // costs are reported / (unit * steps_per_weight)
  Row min_leaf_rows = 1, min_split_rows = 2;

  bool limits_leaves() const { return min_leaf_rows > 1 || min_split_rows > 2; }
  bool may_split(std::size_t rows) const { return rows >= min_split_rows && rows >= 2 * std::size_t{min_leaf_rows}; }
  // The most that one more row can add to the cost of a tree; infinite for numbers.
  Cost influence(Row row) const {
    if (goal == Goal::squares) return far;
    return goal == Goal::counts ? unit : unit * weight[row] * full[label[row]];
  }
  // Do all rows count 1, and are all cuts thresholds?
  bool only_counts() const {
    return goal == Goal::counts && std::ranges::all_of(columns, [](const Asked& column) { return column.ordered; });
  }
  // Are all mistakes alike, all cuts thresholds, and all ranks short?
  bool has_simple_mistakes() const {
    return goal != Goal::squares && !has_loss && !limits_leaves() &&
           std::ranges::all_of(columns, [](const Asked& column) { return column.ordered && column.n_ranks < 65'535; });
  }
  // A cost without the price of leaves, in the caller's units.
  double reported(Cost cost) const { return cost / (unit * steps_per_weight); }

 private:
  void read_column(std::uint32_t number, const ColumnView& view, const OptimalOptions& options, Interrupt& interrupt);
  void read_levels(Asked column, const OptimalOptions& options);
  void read_classes(const Targets& targets, const OptimalOptions& options);
  void read_numbers(const Targets& targets, const OptimalOptions& options);
};

}  // namespace arboretum::optimal
