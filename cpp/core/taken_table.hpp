// TakenTable: some rows of a table, copied to a table of their own. A row may be taken several times.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dataset.hpp"

namespace arboretum {

// The columns of these rows, and the memory they lie in. Views stay valid when it is moved.
struct TakenColumns {
  TakenColumns() = default;
  TakenColumns(const Dataset& data, std::span<const Row> rows);

  std::vector<ColumnView> columns;

 private:
  std::vector<std::vector<std::byte>> held_;
};

// With their targets.
class TakenTable {
 public:
  TakenTable(const Dataset& data, const Targets& targets, std::span<const Row> rows);
  TakenTable(const TakenTable&) = delete;

  const Dataset& data() const { return data_; }
  const Targets& targets() const { return targets_; }

 private:
  TakenColumns columns_;
  std::vector<std::int32_t> classes_;
  std::vector<double> numbers_, weights_, case_weights_;
  Dataset data_;
  Targets targets_;
};

}  // namespace arboretum
