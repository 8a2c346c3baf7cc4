// The columns that may still vary in a node, shared by siblings.
#pragma once
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace arboretum {

using ColumnList = std::shared_ptr<const std::vector<std::uint32_t>>;

inline ColumnList all_columns(std::size_t n_columns) {
  std::vector<std::uint32_t> columns(n_columns);
  std::iota(columns.begin(), columns.end(), 0u);
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(columns));
}

// What is constant in a node is so in all nodes below it.
inline void drop_constant(ColumnList& columns, const std::vector<std::uint8_t>& varies) {
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < varies.size(); ++i)
    if (varies[i]) kept.push_back((*columns)[i]);
  if (kept.size() < varies.size()) columns = std::make_shared<const std::vector<std::uint32_t>>(std::move(kept));
}

}  // namespace arboretum
