// NodeTable: the rows of one node, for searches that look at several columns at once. A position is the number of a
// row among those of the node. Nothing is owned: it is a view of what the source has laid out.
#pragma once
#include <span>
#include <vector>

#include "core/codes.hpp"
#include "core/criteria/criterion.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/questions/contest.hpp"

namespace arboretum {

template <Criterion C>
struct NodeTable {
  const Dataset& data;
  const C& criterion;
  const GrowOptions& options;
  const Limits& limits;  // what each side must hold
  const typename C::NodeTargets& node;
  std::span<const typename C::Target> targets;  // by position
  std::span<const Row> rows;                    // of the table, by position
  std::span<const std::uint32_t> columns;       // those that vary here
  std::span<const CodedColumn> coded;           // all columns of the table; codes by row of the table
  Interrupt& interrupt;

  // The codes of one column by position; `n_codes` of it stands for a missing value.
  void gather(std::uint32_t column, std::vector<Code>& codes) const {
    codes.resize(rows.size());
    coded[column].with_codes([&](const auto* all) {
      for (std::size_t i = 0; i < rows.size(); ++i) codes[i] = all[rows[i]];
    });
  }
};

}  // namespace arboretum
