// Codes: each column as small integers that keep its order, one array per column, moved with the rows of the nodes.
// There is one code per distinct value or, with max_bins, per bucket of neighbouring values. The levels of a nominal
// column are their own codes. A missing value has the code `n_codes`.
#pragma once
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/dataset.hpp"
#include "core/interrupt.hpp"

namespace arboretum {

using Code = std::uint32_t;

struct CodedColumn {
  Kind kind = Kind::numeric;
  Code n_codes = 0;
  bool has_missing = false;
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> codes{};
  // Only when several values share a code (max_bins): a row that holds the smallest and one that holds the largest
  // value.
  std::vector<Row> lowest_row{}, highest_row{};

  bool few() const { return n_codes < 0xff; }
  bool binned() const { return !lowest_row.empty(); }

  template <class F>
  decltype(auto) with_codes(F&& f) {
    return std::visit([&](auto& codes) -> decltype(auto) { return f(codes.data()); }, codes);
  }
  template <class F>
  decltype(auto) with_codes(F&& f) const {
    return std::visit([&](const auto& codes) -> decltype(auto) { return f(codes.data()); }, codes);
  }

  // Puts the codes of these rows into the order in which the rows are named.
  void arrange(std::span<const Row> rows) {
    std::visit(
        [&](auto& codes) {
          std::remove_reference_t<decltype(codes)> arranged(rows.size());
          for (std::size_t i = 0; i < rows.size(); ++i) arranged[i] = codes[rows[i]];
          codes = std::move(arranged);
        },
        codes);
  }

  // The narrowest width that holds n_codes and the missing code.
  void allocate(Row n_rows) {
    if (few()) codes = std::vector<std::uint8_t>(n_rows);
    else if (n_codes < 0xffff) codes = std::vector<std::uint16_t>(n_rows);
    else codes = std::vector<std::uint32_t>(n_rows);
  }
};

CodedColumn encode_column(const ColumnView& column, Row n_rows, std::size_t max_bins, Interrupt& interrupt);

}  // namespace arboretum
