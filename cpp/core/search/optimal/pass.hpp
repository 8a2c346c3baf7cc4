// The pass: one walk over the rows of a node in the order of a second column, while up to 16 questions about a first
// column are tried at once. Each question has two sides, and each side has a lane of a vector that keeps running sums.
// What is wanted of a side is the best question below it, a stump, about the second column.
//
// The vector passes and their plain twins are one text (pass_kernels.hpp), compiled for vectors of the processor and
// for plain arrays; they agree bit for bit.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/search/optimal/table.hpp"

namespace arboretum::optimal {

inline constexpr std::size_t most_cuts = 16;  // tried at once where rows are counted; else half of them
inline constexpr std::size_t count_lanes = 2 * most_cuts;
inline constexpr std::size_t real_lanes = most_cuts;
inline constexpr std::size_t real_group = 4;    // walked with at once: what a vector of doubles holds
inline constexpr std::size_t rank_group = 16;   // columns that are compared at once
inline constexpr std::uint32_t byte_run = 127;  // so many rows fit into a sum of bytes

// Rows next to each other in the order of a column, ending with a cut. Within bytes: at most 127 rows, unless all of
// them have one value.
struct Block {
  std::uint32_t end = 0;
  enum class Kind : std::uint8_t { distinct, tied, one_value } kind = Kind::distinct;
};

// Rows of one class next to each other; is there a cut after them?
struct Run {
  std::uint32_t end = 0;
  std::uint16_t label = 0;  // among those present in the node
  bool can_cut = false;
};

// A second column of a node.
struct Walk {
  const Row* order = nullptr;
  const std::int8_t* edge = nullptr;  // -1 where a cut follows the row, else 0
  std::uint32_t rows = 0;
  const Block* blocks = nullptr;
  std::size_t n_blocks = 0;
  const Run* runs = nullptr;
  std::size_t n_runs = 0;
};

// Rows that count 1. A code is a cell × n_labels + label; `step` has the lanes of each code.
struct CountSides {
  const std::uint16_t* code = nullptr;  // by row
  const std::int8_t* step = nullptr;
  std::size_t n_labels = 0;
};

// Of two labels, +1 and -1: the highest, the lowest and the last sum of every lane, empty sides included.
struct TwoCounts {
  std::array<std::int32_t, count_lanes> high, low, last;
};

// Of many labels: for every pair, how far the first leads the second at most.
struct Leads {
  std::vector<std::int32_t> lead;  // [first][second][lane]
};

// Rows with weights, losses or real targets; a cell knows which lanes its rows are in.
struct RealSides {
  const std::uint16_t* cell = nullptr;   // by row
  const double* member = nullptr;        // [cell][lane]: 1 or 0
  const double* value = nullptr;         // by row
  const double* weight = nullptr;        // by row
  const std::uint16_t* label = nullptr;  // by row
  const double* credit = nullptr;        // label × label
  std::size_t n_labels = 0, n_cells = 0;
  bool one_credit = true;                                      // a row earns only for its own label
  bool even = false;                                           // every row weighs 1
  std::array<double, real_lanes> rows{}, weights{}, centre{};  // of each side
  double min_leaf_rows = 1.0;

  // Lanes without rows are not in use; what a pass says of them means nothing.
  bool uses_group(std::size_t first) const {
    for (std::size_t lane = first; lane < first + real_group; ++lane)
      if (rows[lane] > 0.0) return true;
    return false;
  }
};

using Lane = std::array<double, real_lanes>;
struct TwoReals {
  Lane high, low;  // at cuts that leave enough rows on both sides
};
struct RealLeads {
  std::vector<double> lead;  // [first][second][lane]
};

// Rows one after the other, and what several columns say of them; a row without weight is not there.
struct Ranked {
  const Row* row = nullptr;  // the first; the next one is a step away
  std::ptrdiff_t step = 1;
  std::size_t n = 0;
  const std::uint16_t* label = nullptr;  // by row
  const double* weight = nullptr;        // by row; null: they all weigh something
  const std::int16_t* ranks = nullptr;   // [row][width], above the least number there is
  std::size_t width = 0;                 // whole groups
};

// One function for each kind of pass, for vectors or for plain arrays.
struct Passes {
  void (*two_counts)(const Walk&, const CountSides&, bool wide, TwoCounts&);
  void (*many_counts)(const Walk&, const CountSides&, bool wide, Leads&);
  void (*two_credits)(const Walk&, const RealSides&, bool limited, TwoReals&);
  void (*many_credits)(const Walk&, const RealSides&, bool limited, RealLeads&);
  void (*squares)(const Walk&, const RealSides&, bool limited, Lane& most);  // the most that a stump gains
  std::size_t (*apart)(const Ranked&);  // how many rows one question about any of the columns tells apart
};

// Those on vectors where they are wanted and the processor has them, else the plain ones.
const Passes& passes_for(bool simd);

}  // namespace arboretum::optimal
