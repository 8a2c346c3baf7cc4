// SortedColumn: the rows of every node in the order of one column's values, sorted once and then divided with the
// nodes, so that no node sorts anything. A position is the number of a row among the rows of its node.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <variant>
#include <vector>

#include "core/codes.hpp"
#include "core/grow/partition.hpp"

namespace arboretum {

struct SortedRow {
  Code code;
  Row position;
};

// Counting sort; missing rows, whose code is `n_codes`, come last. `begins` is scratch.
template <class Width>
void sort_by_code(std::span<const Width> codes, Code n_codes, std::vector<SortedRow>& sorted,
                  std::vector<Row>& begins) {
  begins.assign(std::size_t{n_codes} + 2, 0);
  for (const Width code : codes) ++begins[code + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  sorted.resize(codes.size());
  for (Row i = 0; i < codes.size(); ++i) sorted[begins[codes[i]]++] = {codes[i], i};
}

class SortedColumn {
 public:
  SortedColumn() = default;
  explicit SortedColumn(const CodedColumn& coded) {
    std::vector<Row> begins;
    std::visit([&](const auto& codes) { sort_by_code(std::span{codes}, coded.n_codes, rows_, begins); }, coded.codes);
  }

  bool empty() const { return rows_.empty(); }
  std::span<const SortedRow> rows_of(Range range) const { return {rows_.data() + range.begin, range.size()}; }

  // `moved` tells where in the range each row goes; the first `n_left` of it are those of the left child.
  void divide(Range range, std::span<const Row> moved, Row n_left, std::vector<SortedRow>& spill) {
    spill.resize(range.size());
    SortedRow *left = rows_.data() + range.begin, *right = spill.data();
    for (const SortedRow row : std::span<SortedRow>{left, range.size()}) {
      // Both sides are written and one of them advances: which one is a coin toss that no processor foresees.
      const Row to = moved[row.position];
      const bool goes_left = to < n_left;
      *left = {row.code, to};
      *right = {row.code, to - n_left};
      left += goes_left, right += !goes_left;
    }
    std::copy(spill.data(), right, left);
  }

  // The same for any number of children: `child` of each row, and where the rows of each begin.
  void divide(Range range, std::span<const Row> moved, std::span<const std::uint32_t> child,
              const std::vector<Row>& begins, std::vector<SortedRow>& spill) {
    std::vector<Row> places = begins;
    SortedRow* rows = rows_.data() + range.begin;
    spill.assign(rows, rows + range.size());
    for (const SortedRow row : spill) {
      const std::uint32_t part = child[row.position];
      rows[places[part]++] = {row.code, moved[row.position] - begins[part]};
    }
  }

 private:
  std::vector<SortedRow> rows_;
};

}  // namespace arboretum
