// Faultless: the smallest tree of at most two levels that makes no mistake, where one mistake would cost too much. The
// rows before a cut can be told apart by a stump only if those before every lower cut can, so that one walk along a
// column ends where no stump can do it any more, and says it of all cuts.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/search/optimal/bounds.hpp"
#include "core/search/optimal/budget.hpp"
#include "core/search/optimal/pass.hpp"
#include "core/search/optimal/plan.hpp"
#include "core/search/optimal/stump.hpp"
#include "core/search/optimal/task.hpp"

namespace arboretum::optimal {

class Faultless {
 public:
  // Without memory for its ranks it settles nothing.
  Faultless(const OptimalTable& table, const OptimalOptions& options, Budget& budget);

  // Does a tree with a question cost too much if it makes a mistake?
  bool settles(Cost limit) const { return limit <= table_.penalty + table_.unit && !ranks_.empty(); }

  // The first in turn of the trees below the limit; raises bounds, as every search does.
  void solve(const Task& task, Plan& plan);

 private:
  // The last cuts, from one end of a column on, before which a leaf, or a stump, makes no mistake.
  struct Ends {
    std::size_t leaf = 0, stump = 0;
  };
  // A way to divide the questions, and the cuts at which it makes no mistake.
  struct Way {
    Cost cost = far;
    std::size_t first = 0, last = 0;
    bool left = false, right = false;  // is there a stump on this side?
  };

  bool has_stump(const Task& task) const;
  bool may_divide(const Node& node, std::size_t column) const;
  std::size_t reach(const Row* row, std::ptrdiff_t step, std::size_t n) const;
  std::size_t pure_end(const Node& node, std::size_t column, bool from_right) const;
  Ends ends(const Node& node, std::size_t column, bool from_right) const;
  std::array<Way, 3> ways(const Task& task, std::size_t column) const;
  bool is_row(Row row) const { return table_.weight.empty() || table_.weight[row] > 0.0; }

  const OptimalTable& table_;
  const Passes& passes_;
  std::size_t width_;
  std::vector<std::int16_t> ranks_;        // row after row, of all columns
  std::vector<std::size_t> left_, right_;  // by column: how many rows from its ends are of one class
};

}  // namespace arboretum::optimal
