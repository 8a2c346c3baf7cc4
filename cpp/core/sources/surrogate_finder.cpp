#include "core/sources/surrogate_finder.hpp"

#include <algorithm>
#include <functional>

#include "core/fixed_point.hpp"
#include "core/grow/chance.hpp"
#include "core/parallel.hpp"

namespace arboretum {

SurrogateFinder::SurrogateFinder(const Dataset& data, const Targets& targets, const GrowOptions& options,
                                 CodedRows& rows, Interrupt& interrupt)
    : data_{data}, options_{options}, rows_{rows}, interrupt_{interrupt}, scratch_(std::max(1u, options.n_threads)) {
  if (targets.weights.empty() && targets.case_weights.empty()) return;
  Extent extent;
  auto each = [&](auto&& read) {
    for (Row row = 0; row < data.n_rows; ++row) read(targets.case_weight(row));
  };
  each([&](double weight) { extent.add(weight); });
  const WeightScale scale = choose_weight_scale(extent, data.n_rows, each);
  case_weights_.resize(data.n_rows);
  for (Row row = 0; row < data.n_rows; ++row) case_weights_[row] = scale.fixed(targets.case_weight(row));
}

void SurrogateFinder::prepare(Range range, std::span<const std::uint32_t> columns, unsigned n_workers,
                              ChosenSplit& split) {
  rows_.mark_children(range, split);
  split.missing_seen = std::ranges::find(rows_.child, split.n_children) != rows_.child.end();
  split.missing_stays = options_.surrogates.send != Send::always;
  if (case_weights_.empty()) find(range, columns, n_workers, split, unit_leanings_, [](Row) { return std::int8_t{1}; });
  else find(range, columns, n_workers, split, leanings_, [&](Row row) { return case_weights_[row]; });
  if (split.missing_seen) send_missing(range, split);
}

template <class Leaning, class WeightOf>
void SurrogateFinder::find(Range range, std::span<const std::uint32_t> columns, unsigned n_workers, ChosenSplit& split,
                           std::vector<Leaning>& leanings, WeightOf&& weight_of) {
  leanings.resize(range.size());
  Lean primary;
  for (Row i = 0; i < range.size(); ++i) {
    const Leaning weight = weight_of(rows_.ids[range.begin + i]);
    leanings[i] = rows_.child[i] == 0 ? weight : rows_.child[i] == 1 ? static_cast<Leaning>(-weight) : Leaning{0};
    primary += lean_of(leanings[i]);
  }
  split.missing_left = primary.left >= primary.right;
  if (options_.surrogates.most == 0) return;
  std::vector<std::optional<SurrogateSplit>> found(columns.size());
  const SurrogateSearch search{primary, options_.surrogates.agreement};
  share(n_workers, columns.size(), [&](std::size_t i, unsigned worker) {
    (worker == 0 ? interrupt_ : never_).poll();
    if (columns[i] == split.column) return;
    found[i] = best_of_column<Leaning>(search, columns[i], range, primary, std::span<const Leaning>{leanings},
                                       scratch_[worker]);
    if (found[i]) found[i]->column = columns[i];
  });
  for (auto& surrogate : found)
    if (surrogate) split.surrogates.push_back(std::move(*surrogate));
  std::ranges::stable_sort(split.surrogates, std::ranges::greater{}, &SurrogateSplit::agreement);
  if (split.surrogates.size() > options_.surrogates.most) split.surrogates.resize(options_.surrogates.most);
}

template <class Leaning>
std::optional<SurrogateSplit> SurrogateFinder::best_of_column(const SurrogateSearch& search, std::uint32_t column,
                                                              Range range, const Lean& primary,
                                                              std::span<const Leaning> leanings,
                                                              Scratch& scratch) const {
  const CodedColumn& coded = rows_.columns[column];
  Lean known = primary;
  if (!rows_.sorted[column].empty()) {
    std::span<const SortedRow> rows = rows_.sorted[column].rows_of(range);
    for (; !rows.empty() && rows.back().code == coded.n_codes; rows = rows.first(rows.size() - 1))
      known -= lean_of(leanings[rows.back().position]);
    return search.best_threshold(known, rows, leanings);
  }
  scratch.leans.assign(std::size_t{coded.n_codes} + 1, {});
  scratch.seen.assign(scratch.leans.size(), 0);
  coded.with_codes([&](const auto* codes) {
    for (Row i = 0; i < range.size(); ++i) {
      const Code code = codes[range.begin + i];
      scratch.leans[code] += lean_of(leanings[i]), scratch.seen[code] = 1;
    }
  });
  known -= scratch.leans[coded.n_codes];
  auto groups = [&](auto&& group) {
    for (Code code = 0; code < coded.n_codes; ++code)
      if (scratch.seen[code]) group(code, scratch.leans[code]);
  };
  if (coded.kind != Kind::nominal) return search.best_threshold(known, groups);
  // A level with a single row agrees with itself alone: a column of such levels would seem to be the best surrogate.
  return search.best_levels(known, corrects(options_, data_.columns[column]) ? 2 : 1, groups);
}

// Rows that the primary cannot send go where the first surrogate that can tell sends them.
void SurrogateFinder::send_missing(Range range, ChosenSplit& split) {
  constexpr std::uint32_t stays = 2;
  if (options_.surrogates.send == Send::never) return;
  for (SurrogateSplit& surrogate : split.surrogates)
    rows_.tell_children(range, surrogate, stays, [&](Row i, std::uint32_t child) {
      if (rows_.child[i] != stays || child == stays) return;
      rows_.child[i] = surrogate.flipped ? 1 - child : child;
      ++surrogate.n_sent;
    });
  if (options_.surrogates.send == Send::surrogates) return;
  for (std::uint32_t& child : rows_.child)
    if (child == stays) child = child_of(split.missing_left);
}

}  // namespace arboretum
