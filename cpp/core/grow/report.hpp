// Report: the numbers that nodes show, summed from the targets themselves once the tree stands: leaves first, inner
// nodes as sums of their children. Kept apart from the search, which works on rounded integers.
#pragma once
#include <span>

#include "core/criteria/criterion.hpp"
#include "core/options.hpp"
#include "core/real_sums.hpp"
#include "core/tree.hpp"

namespace arboretum {

// A row and how much of it is here.
struct Part {
  Row row;
  double share;
};

// Rows of a node: whole ones, or parts.
struct OwnRows {
  std::span<const Row> whole{};
  std::span<const Part> parts{};
};

// A source, as seen by the report.
class RowsOfNodes {
 public:
  virtual ~RowsOfNodes() = default;
  // The rows that belong to this node and no child: all those of a leaf, and of an inner node those that went to no
  // child. A node is given by its range, and an inner node also by that of its last child.
  virtual OwnRows own_rows(Range range, const Range* last_child) const = 0;
};

// How a criterion reports its nodes. Where no function is given, the impurity and the value were set while the tree
// grew.
struct ReportedImpurity {
  TargetKind target = TargetKind::classes;
  double (*of_squares)(const RealSums<false>& sums) = nullptr;
  double (*of_logs)(const RealSums<true>& sums) = nullptr;
};

template <class C>
constexpr ReportedImpurity reported_impurity() {
  ReportedImpurity reported{.target = C::target};
  if constexpr (requires(const RealSums<false>& sums) { C::impurity(sums); }) reported.of_squares = &C::impurity;
  else if constexpr (requires(const RealSums<true>& sums) { C::impurity(sums); }) reported.of_logs = &C::impurity;
  return reported;
}

// The finished tree. The numbers come from the targets of the rows that lie in each leaf.
Tree report(TreeBuilder grown, const Dataset& data, const Targets& targets, const ReportedImpurity& impurity,
            const GrowOptions& options, const RowsOfNodes& rows);

}  // namespace arboretum
