// ColumnChoice: which columns a node is asked about, decided outside. The first of them that has an admissible question
// is asked; without a column the node is a leaf.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/dataset.hpp"

namespace arboretum {

struct ColumnChoice {
  std::vector<std::uint32_t> columns;  // the best first
  double p_value = 1.0;
};

// Rows of a node, and how much of each is there; no shares: all of it.
using ChooseColumns = std::function<ColumnChoice(std::span<const Row> rows, std::span<const double> shares)>;

}  // namespace arboretum
