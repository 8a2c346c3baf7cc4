#include "core/sources/coded_rows.hpp"

#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>

namespace arboretum {

CodedRows::CodedRows(const Dataset& data, const GrowOptions& options)
    : ids(data.n_rows), columns(data.columns.size()), sorted(data.columns.size()), data_{data}, options_{options} {
  std::iota(ids.begin(), ids.end(), Row{0});
}

void CodedRows::read_column(std::size_t column, bool arrange,
                            const std::function<bool(const CodedColumn&)>& keeps_sorted, Interrupt& interrupt) {
  CodedColumn& coded = columns[column];
  coded = encode_column(data_.columns[column], data_.n_rows, options_.max_bins, interrupt);
  if (arrange) coded.arrange(ids);
  if (coded.few() || !keeps_sorted(coded)) return;
  sorted[column] = SortedColumn{coded};
  coded.codes = {};  // from here on the sorted rows carry them
}

void CodedRows::note_sorted() {
  any_sorted_ = std::ranges::any_of(sorted, [](const SortedColumn& column) { return !column.empty(); });
}

ThresholdValue CodedRows::threshold(Range range, const Split& split) const {
  if (split.kind != QuestionKind::threshold) return {};
  const auto [low, high] = rows_beside(range, split);
  return threshold_between_rows(data_.columns[split.column], low, high, options_.cut_rule(split.column));
}

// A row with the largest value left of the cut, and one with the smallest value right of it. Buckets of several values
// have fixed borders, the same in every node.
std::pair<Row, Row> CodedRows::rows_beside(Range range, const Split& split) const {
  const CodedColumn& coded = columns[split.column];
  if (coded.binned()) return {coded.highest_row[split.cut], coded.lowest_row[split.cut + 1]};
  if (!sorted[split.column].empty()) {
    const auto rows = sorted[split.column].rows_of(range);
    const auto next = std::ranges::upper_bound(rows, split.cut, {}, &SortedRow::code);
    return {ids[range.begin + std::prev(next)->position], ids[range.begin + next->position]};
  }
  return coded.with_codes([&](const auto* codes) {
    auto row_with = [&](Code code) {
      Row i = range.begin;
      while (codes[i] != code) ++i;
      return ids[i];
    };
    return std::pair{row_with(split.cut), row_with(split.next)};
  });
}

void CodedRows::mark_children(Range range, const Split& split) {
  child.resize(range.size());
  tell_children(range, split, child_of_missing(split, options_), [&](Row i, std::uint32_t to) { child[i] = to; });
}

// `part_begins_` tells where each child begins, and then where those begin that go to no child. Most questions have
// just two children, and nothing stays.
void CodedRows::divide(Range range, std::uint32_t n_children) {
  part_begins_.assign(n_children + 2, 0);
  for (const std::uint32_t to : child) ++part_begins_[to + 1];
  if (*std::ranges::max_element(part_begins_) == range.size())
    throw std::logic_error("a split of " + std::to_string(range.size()) + " rows divides nothing");
  std::partial_sum(part_begins_.begin(), part_begins_.end(), part_begins_.begin());
  two_way_ = n_children == 2 && part_begins_[2] == range.size();
  if (two_way_) {
    is_left_.resize(child.size());
    for (std::size_t i = 0; i < child.size(); ++i) is_left_[i] = child[i] == 0;
  }
  if (!two_way_ || any_sorted_) note_moves();
  move(ids.data() + range.begin, id_spill_);
}

// Where in the range of its node each row goes.
void CodedRows::note_moves() {
  moved_.resize(child.size());
  std::vector<Row> places(part_begins_.begin(), part_begins_.end());
  for (std::size_t i = 0; i < child.size(); ++i) moved_[i] = places[child[i]]++;
}

void CodedRows::divide_columns(Range range, std::span<const std::uint32_t> which, Interrupt& interrupt) {
  for (const std::uint32_t column : which) {
    interrupt.poll();
    if (!sorted[column].empty()) {
      if (two_way_) sorted[column].divide(range, moved_, part_begins_[1], sorted_spill_);
      else sorted[column].divide(range, moved_, child, part_begins_, sorted_spill_);
      continue;
    }
    columns[column].with_codes(
        [&]<class Width>(Width* codes) { move(codes + range.begin, std::get<std::vector<Width>>(code_spill_)); });
  }
}

Row CodedRows::largest_part() const {
  Row most = 0;
  for (std::size_t part = 0; part + 2 < part_begins_.size(); ++part)
    most = std::max(most, part_begins_[part + 1] - part_begins_[part]);
  return most;
}

}  // namespace arboretum
