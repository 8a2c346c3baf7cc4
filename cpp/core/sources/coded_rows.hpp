// CodedRows: the row numbers and the coded columns of the plain source, kept so that each node is one contiguous
// range. Columns that are read more than once in a node are kept sorted instead.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/codes.hpp"
#include "core/grow/partition.hpp"
#include "core/grow/row_to_child.hpp"
#include "core/interrupt.hpp"
#include "core/questions/threshold_value.hpp"
#include "core/sources/sorted_column.hpp"

namespace arboretum {

class CodedRows {
 public:
  CodedRows(const Dataset& data, const GrowOptions& options);

  std::vector<Row> ids;  // set before the columns are read: some criteria want an order of their own
  std::vector<CodedColumn> columns;
  std::vector<SortedColumn> sorted;  // by column; empty where its codes are kept in `columns`

  void read_column(std::size_t column, bool arrange, const std::function<bool(const CodedColumn&)>& keeps_sorted,
                   Interrupt& interrupt);
  void note_sorted();
  bool any_sorted() const { return any_sorted_; }

  std::span<const Row> ids_of(Range range) const { return {ids.data() + range.begin, range.size()}; }

  ThresholdValue threshold(Range range, const Split& split) const;

  // Which child each row of the node at hand goes to, by its position in the range.
  std::vector<std::uint32_t> child;
  void mark_children(Range range, const Split& split);

  // Calls tell(i, child) for every row of the range; rows whose value is missing go to `of_missing`.
  template <class Tell>
  void tell_children(Range range, const Split& split, std::uint32_t of_missing, Tell&& tell) {
    const CodedColumn& coded = columns[split.column];
    if (split.kind == QuestionKind::levels) levels_.set(split, coded.n_codes, of_missing);
    with_child_of(split, split.cut, levels_, [&](auto&& child_of_code) {
      auto side = [&](Code code) { return code == coded.n_codes ? of_missing : child_of_code(code); };
      if (!sorted[split.column].empty()) {
        for (const SortedRow& row : sorted[split.column].rows_of(range)) tell(row.position, side(row.code));
      } else {
        coded.with_codes([&](const auto* codes) {
          for (Row i = 0; i < range.size(); ++i) tell(i, side(codes[range.begin + i]));
        });
      }
    });
  }

  // Moves the row numbers to the children that `child` names; `move` does the same for another array of the rows, and
  // `divide_columns` for some columns.
  void divide(Range range, std::uint32_t n_children);
  void divide_columns(Range range, std::span<const std::uint32_t> which, Interrupt& interrupt);
  template <class T>
  void move(T* data, std::vector<T>& spill) const {
    if (two_way_) return divide_array(data, is_left_, spill);
    spill.assign(data, data + moved_.size());
    for (std::size_t i = 0; i < moved_.size(); ++i) data[moved_[i]] = spill[i];
  }
  // Of the last division.
  Range part(Range range, std::uint32_t number) const {
    return {range.begin + part_begins_[number], range.begin + part_begins_[number + 1]};
  }
  Row largest_part() const;

 private:
  std::pair<Row, Row> rows_beside(Range range, const Split& split) const;
  void note_moves();

  const Dataset& data_;
  const GrowOptions& options_;
  bool any_sorted_ = false, two_way_ = false;
  LevelChildren levels_;
  std::vector<std::uint8_t> is_left_;
  std::vector<Row> id_spill_, moved_, part_begins_;
  std::vector<SortedRow> sorted_spill_;
  std::tuple<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> code_spill_;
};

}  // namespace arboretum
