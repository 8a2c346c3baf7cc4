#include "core/sources/coarse_rows.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace arboretum {
namespace {

// Where each of n rows, which row_of(i) names, goes when they are sorted by class.
template <class RowOf>
std::vector<Row> places_by_class(const Targets& targets, Row n_rows, RowOf&& row_of) {
  std::vector<Row> next(targets.n_classes + 1), places(n_rows);
  auto label = [&](Row i) { return static_cast<std::size_t>(targets.classes[row_of(i)]); };
  for (Row i = 0; i < n_rows; ++i) ++next[label(i) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (Row i = 0; i < n_rows; ++i) places[i] = next[label(i)]++;
  return places;
}

}  // namespace

// Where key and row fit into one word, words are sorted.
void sort_items(Workplace& place) {
  Key low = ~Key{0}, high = 0;
  for (const KeyedRow& item : place.items) low = std::min(low, item.key), high = std::max(high, item.key);
  if (high - low > 0xffffffffu) {
    std::sort(place.items.begin(), place.items.end(),
              [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; });
    return;
  }
  place.words.clear();
  for (const KeyedRow& item : place.items) place.words.push_back((item.key - low) << 32 | item.row);
  std::sort(place.words.begin(), place.words.end());
  for (std::size_t i = 0; i < place.items.size(); ++i)
    place.items[i] = {low + (place.words[i] >> 32), static_cast<Row>(place.words[i])};
}

CoarseRows::CoarseRows(const Dataset& data, const Targets& targets, std::span<const Row> sample,
                       const CoarseLayout& layout, unsigned n_threads, Interrupt& interrupt)
    : data_{data} {
  const Row n_rows = sample.empty() ? data.n_rows : static_cast<Row>(sample.size());
  auto row_of = [&](Row i) { return sample.empty() ? i : sample[i]; };
  std::vector<Row> places;
  if (layout.by_class) places = places_by_class(targets, n_rows, row_of);
  ids.resize(n_rows + padding);
  for (Row i = 0; i < n_rows; ++i) ids[places.empty() ? i : places[i]] = row_of(i);
  if (layout.n_codes == 0) return;
  table_ = data.taken_from.table;
  if (table_ == nullptr && sample.empty() && !layout.lazy) {
    columns = encode_coarsely(data, layout.n_codes, places, n_threads, interrupt);
    return;
  }
  if (table_ == nullptr) own_.columns = encode_coarsely(data, layout.n_codes, {}, n_threads, interrupt), table_ = &own_;
  for (const CoarseColumn& column : table_->columns) columns.push_back(same_codes(column, n_rows));
  if (layout.lazy) return;
  for (std::uint32_t column = 0; column < columns.size(); ++column) fetch_codes(column, {0, n_rows});
}

void CoarseRows::fetch_codes(std::uint32_t column, Range range) {
  columns[column].with_codes([&]<class Width>(Width* to) {
    table_->columns[column].with_codes([&]<class From>(const From* from) {
      if constexpr (std::is_same_v<Width, From>) {
        const Row* rows = data_.taken_from.rows.data();  // ids are numbers of these, or of the rows of the table
        if (rows == nullptr)
          for (Row i = range.begin; i < range.end; ++i) to[i] = from[ids[i]];
        else
          for (Row i = range.begin; i < range.end; ++i) to[i] = from[rows[ids[i]]];
      }
    });
  });
}

void CoarseRows::read_keys(std::uint32_t column, Row begin, std::vector<KeyedRow>& items) const {
  const ColumnView& view = data_.columns[column];
  with_type(view.type, [&]<class T>(std::type_identity<T>) {
    for (KeyedRow& item : items) item.key = key_in(view.kind, view.value<T>(ids[begin + item.row]));
  });
}

void CoarseRows::find_values(Range range, FastCut& split, Workplace& place, bool simd) const {
  const CoarseColumn& column = columns[split.column];
  column.with_codes([&](const auto* all) {
    const auto* codes = all + range.begin;
    Code below = 0, above = column.n_codes;
    for (Row i = 0; i < range.size(); ++i) {
      const Code code = codes[i];
      below = std::max(below, code <= split.cut ? code : 0u);
      above = std::min(above, code > split.cut ? code : column.n_codes);
    }
    split.low = value_beside(range, codes, split.column, below, true, place, simd);
    split.high = value_beside(range, codes, split.column, above, false, place, simd);
    split.has_values = true;
  });
}

template <class Width>
Key CoarseRows::value_beside(Range range, const Width* codes, std::uint32_t f, Code code, bool largest,
                             Workplace& place, bool simd) const {
  const CoarseColumn& column = columns[f];
  if (column.kind != Kind::numeric) return code;
  if (column.single[code]) return column.edges[code];
  place.items.clear();
  mask_within(codes, range.size(), code, 0, place.hits.data(), simd);
  each_set(place.hits.data(), range.size(), [&](Row i) { place.items.push_back({0, i}); });
  read_keys(f, range.begin, place.items);
  auto less = [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; };
  return (largest ? std::max_element(place.items.begin(), place.items.end(), less)
                  : std::min_element(place.items.begin(), place.items.end(), less))
      ->key;
}

ThresholdValue CoarseRows::threshold(const FastCut& split, const CutRule& rule) const {
  if (split.kind != QuestionKind::threshold) return {};
  const ColumnView& column = data_.columns[split.column];
  auto key = [&](Key k) { return split.by_code && column.kind == Kind::numeric ? columns[split.column].edges[k] : k; };
  return threshold_between_keys(column, key(split.low), key(split.high), rule);
}

// The rule of grow/row_to_child.hpp, for many codes at a time.
void CoarseRows::mark_left(Range range, const FastCut& split, std::uint8_t* mask, LevelChildren& levels,
                           Workplace& place, bool simd) const {
  const CoarseColumn& column = columns[split.column];
  const Row n = range.size();
  auto send_left = [&](Row i) { mask[i >> 3] |= static_cast<std::uint8_t>(1u << (i & 7)); };
  column.with_codes([&](const auto* all) {
    const auto* codes = all + range.begin;
    if (split.kind == QuestionKind::levels) {
      levels.set(split, column.n_codes + 1);
      levels.set_one(column.n_codes, child_of(split.missing_left));
      std::memset(mask, 0, n / 8 + 1);
      for (Row i = 0; i < n; ++i)
        if (levels[codes[i]] == 0) send_left(i);
      return;
    }
    const Code limit = split.kind == QuestionKind::missing ? 0
                       : split.inside                      ? split.cut
                                                           : split.cut + 1;  // codes below go left
    if (limit == 0) std::memset(mask, 0, n / 8 + 1);
    else mask_within(codes, n, 0, limit - 1, mask, simd);
    if (split.missing_left) {
      mask_within(codes, n, column.n_codes, 0, place.hits.data(), simd);
      each_set(place.hits.data(), n, send_left);
    }
    if (split.inside) {
      mask_within(codes, n, split.cut, 0, place.hits.data(), simd);
      place.items.clear();
      each_set(place.hits.data(), n, [&](Row i) { place.items.push_back({0, i}); });
      read_keys(split.column, range.begin, place.items);
      for (const KeyedRow& item : place.items)
        if (item.key <= split.low) send_left(item.row);
    }
  });
}

void CoarseRows::divide_codes(std::uint32_t column, Range range, const std::uint8_t* mask, Workplace& place,
                              bool simd) {
  columns[column].with_codes([&](auto* codes) { divide_values(codes, range, mask, place.spill, simd); });
}

Row CoarseRows::divide_ids(Range range, const std::uint8_t* mask, Workplace& place, bool simd) {
  return divide_values(ids.data(), range, mask, place.spill, simd);
}

}  // namespace arboretum
