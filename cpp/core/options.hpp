// Options: everything that steers growth, filled in by the caller. No option has a hidden default elsewhere.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/dataset.hpp"
#include "core/grow/column_choice.hpp"
#include "core/questions/rounding.hpp"

namespace arboretum {

// Where `x <= t` cuts: midway, at the lower neighbour, at the largest value of the whole table that is not above the
// middle, or at the number between them that is shortest to write.
enum class Thresholds : std::uint8_t { midpoint, observed, table, round };

// The same for one column; `round` says what is short there, if that needs to be said.
struct CutRule {
  Thresholds thresholds = Thresholds::midpoint;
  const RoundSteps* round = nullptr;
};
enum class Nominal : std::uint8_t { subset, one_vs_rest, multiway };
// Rows without a value: take part in the search on either side; are left aside and sent by other questions; or are
// divided among all children.
enum class Missing : std::uint8_t { category, surrogate, fractional };
enum class Order : std::uint8_t { depth_first, best_first };

// How columns compete where the gain ratio decides. `c45` guards as C4.5 does: a little below the average is enough,
// and columns with very many levels do not raise it.
enum class Guard : std::uint8_t { none, average, c45 };

struct GainRatio {
  bool decides = false;
  Guard guard = Guard::average;
  bool numeric_penalty = false;  // choosing among many cuts has a price
};

// What happens to rows that a question cannot send for lack of a value, and what agreement is measured by.
enum class Send : std::uint8_t { always, surrogates, never };
enum class Agreement : std::uint8_t { node, known };

struct SurrogateOptions {
  std::uint32_t most = 5;  // of each node
  Send send = Send::always;
  Agreement agreement = Agreement::node;
};

// What questions may be about: one column, or several. The options of each are told by its search.
enum class Questions : std::uint8_t { axis, m_of_n, oblique };

struct MofNOptions {
  std::uint32_t max_n = 12;  // literals in a question, at most
  std::uint32_t beam = 1;    // how many questions climb side by side
  bool deletion = false;     // may literals be taken out again?
  bool dips = true;          // may a step lead down, if the next leads higher than ever?
};

struct ObliqueOptions {
  std::uint32_t max_terms = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t restarts = 3;  // how often a random push is tried where the climb has ended
  std::uint32_t sweeps = 4;    // over all coefficients, at most, in each climb
  std::uint64_t seed = 0;
  std::vector<std::uint8_t> usable{};  // by column: may it stand in a sum? Empty: all may
};

// Before a question is asked, see what could be asked below it.
struct LookaheadOptions {
  std::uint32_t depth = 0;                                        // levels; 0: none
  std::uint32_t top = std::numeric_limits<std::uint32_t>::max();  // questions that are looked behind in a node, at most
  double seconds = std::numeric_limits<double>::infinity();       // for the whole tree; then greedily
};

// A tree that was found as a whole, to be grown as it is: see grow/planned.hpp.
struct Planned;
using PlannedTree = std::vector<Planned>;

// Shares of a row are rounded: so far may they be from adding up to a whole.
inline constexpr double share_tolerance = 1e-9;

struct GrowOptions {
  Thresholds thresholds = Thresholds::midpoint;
  std::vector<RoundSteps> round_steps{};  // by column, for Thresholds::round
  Nominal nominal = Nominal::subset;
  Order order = Order::depth_first;
  Missing missing = Missing::category;
  GainRatio ratio{};
  SurrogateOptions surrogates{};
  Questions questions = Questions::axis;
  MofNOptions m_of_n{};
  ObliqueOptions oblique{};
  LookaheadOptions lookahead{};
  std::shared_ptr<const PlannedTree> plan{};  // null: questions are chosen
  std::uint32_t competitors = 0;              // how many runners-up each node remembers
  std::uint32_t max_depth = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t max_leaves = std::numeric_limits<std::uint32_t>::max();
  Row min_split_rows = 2;
  Row min_leaf_rows = 1;
  double min_leaf_weight = 0.0;
  double row_weight = 1.0;    // what counts as one row, where limits and prices count weight
  double min_decrease = 0.0;  // impurity decrease times the node's share of the weight
  double root_weight = 0.0;   // of the tree that this one will be part of; 0: it is a tree of its own
  std::uint32_t max_bins = std::numeric_limits<std::uint32_t>::max();
  bool correct_levels = false;               // take off what questions about levels gain by chance, see chance.hpp
  std::uint32_t max_exhaustive_levels = 10;  // where no order of levels is sure to hold the best subset
  std::vector<std::int8_t> monotone;         // -1, 0, 1 per column; empty: no constraint
  std::vector<double> costs;                 // by column: what its gains are divided by to compete; empty: 1
  double smoothing_m = 0.0;                  // leaves of classes: (count + m * prior) / (weight + m)
  double smoothing_prior = 0.0;              // the prior of the last of two classes
  std::uint32_t n_threads = 1;
  ChooseColumns choose_columns{};  // empty: the columns compete by their gains
  // How many columns a node may ask about, drawn anew for each node; all: none are drawn.
  std::uint32_t drawn_columns = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t draw_seed = 0;

  CutRule cut_rule(std::uint32_t column) const {
    return {thresholds, column < round_steps.size() ? &round_steps[column] : nullptr};
  }

  double cost(std::uint32_t column) const { return costs.empty() ? 1.0 : costs[column]; }

  // Are rows without a value left aside while questions about their column are judged?
  bool leaves_aside() const { return missing != Missing::category; }

  // Does a row without a value go to every child, in shares?
  bool divides_rows() const { return missing == Missing::fractional; }

  // Is more looked for than the best question of each column?
  bool searches() const { return questions != Questions::axis || lookahead.depth > 0 || plan != nullptr; }

  // Ways to the same tree, each of which can be switched off to see that the tree does not change.
  bool fast = true;                 // coarse codes and bounds; false: every cut of every node is scored
  bool bounds = true;               // look only into buckets that may hold something better
  bool subtraction = true;          // the larger child's histogram is the parent's less the smaller child's
  bool simd = true;                 // vector instructions where the processor has them
  std::uint32_t small_limit = 256;  // nodes of up to so many rows work on sorted lists
};

}  // namespace arboretum
