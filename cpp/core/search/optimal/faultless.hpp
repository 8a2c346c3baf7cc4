// Faultless: the smallest tree of at most two levels that makes no mistake, where one mistake would cost too much. The
// rows before a cut can be told apart by a stump only if those before every lower cut can, so that one walk along a
// column ends where no stump can do it any more, and says it of all cuts.
#pragma once
#include <array>
#include <vector>

#include "core/search/optimal/bounds.hpp"
#include "core/search/optimal/budget.hpp"
#include "core/search/optimal/plan.hpp"
#include "core/search/optimal/stump.hpp"
#include "core/search/optimal/task.hpp"

namespace arboretum::optimal {

class Faultless {
 public:
  explicit Faultless(const OptimalTable& table) : table_{table} {}

  // The first in turn of the trees below the limit; raises bounds, as every search does.
  void solve(const Task& task, Plan& plan);

 private:
  // How many rows from one end of a column a leaf, or a stump, can have without a mistake.
  struct Ends {
    std::size_t leaf = 0, stump = 0;
  };
  // A way to divide the questions, and the cuts at which it makes no mistake.
  struct Way {
    Cost cost = far;
    std::size_t first = 0, last = 0;
    bool left = false, right = false;  // is there a stump on this side?
  };

  bool has_stump(const Node& node, std::int32_t about) const;
  Ends ends(const Node& node, std::size_t column, bool from_right) const;
  std::size_t stump_end(const Node& node, std::size_t column, std::size_t second, bool from_right) const;
  std::array<Way, 3> ways(const Task& task, std::size_t column) const;
  bool is_row(Row row) const { return table_.weight.empty() || table_.weight[row] > 0.0; }

  const OptimalTable& table_;
};

}  // namespace arboretum::optimal
