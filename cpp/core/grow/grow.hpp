// Growing a tree, as the outside sees it. Sources that can grow the same tree grow it alike.
#pragma once
#include <optional>
#include <span>

#include "core/dataset.hpp"
#include "core/grow/report.hpp"
#include "core/interrupt.hpp"
#include "core/options.hpp"
#include "core/tree.hpp"

namespace arboretum {

// What every source is given.
struct GrowInput {
  const Dataset& data;
  const Targets& targets;
  const GrowOptions& options;
  const ReportedImpurity& impurity;
  Interrupt& interrupt;
  std::span<const Row> sample{};  // the rows to grow from, some of them several times; empty: each row once
};

// Compiled for every criterion of the registry, in grow.cpp. A tree of a sample is that of a table with these rows;
// where the source can do without such a table, there is none.
template <class C>
Tree grow(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
          Interrupt& interrupt, std::span<const Row> sample = {});

}  // namespace arboretum
