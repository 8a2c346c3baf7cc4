#include "core/sources/small_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace arboretum {
namespace {

// Reads the keys of some rows, and which are missing.
void read_keys(const ColumnView& column, const Row* rows, std::uint32_t n, Key* keys, std::uint8_t* missing) {
  with_type(column.type, [&]<class T>(std::type_identity<T>) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const T value = column.value<T>(rows[i]);
      missing[i] = column.missing(rows[i], value);
      keys[i] = missing[i] ? 0 : key_in(column.kind, value);
      if (column.kind != Kind::numeric && !missing[i] && keys[i] >= column.n_levels)
        throw std::out_of_range("a level is out of range");
    }
  });
}

// Sorts the places of the present rows by key; missing ones follow. `hints` roughly tell the order and spare most of
// the work.
class PlaceSorter {
 public:
  explicit PlaceSorter(std::array<std::uint64_t, most_places>& items) : items_{items} {}

  template <class Hint>
  void sort(const Key* keys, const std::uint8_t* missing, std::uint32_t n, const Hint* hints, Place* list) {
    Key low = ~Key{0}, high = 0;
    Code first = ~Code{0}, last = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (missing[i]) continue;
      low = std::min(low, keys[i]), high = std::max(high, keys[i]);
      if (hints) first = std::min<Code>(first, hints[i]), last = std::max<Code>(last, hints[i]);
    }
    const unsigned lost =
        std::max(0, static_cast<int>(std::bit_width(high - low)) - 56);  // bits that leave no room for the place
    auto item = [&](std::uint32_t i) { return ((keys[i] - low) >> lost) << 8 | i; };
    std::uint32_t n_present = 0;
    if (hints && first <= last) {
      n_present = scatter(missing, n, hints, first, last, item);
    } else {
      for (std::uint32_t i = 0; i < n; ++i)
        if (!missing[i]) items_[n_present++] = item(i);
      std::sort(items_.begin(), items_.begin() + n_present);
    }
    for (std::uint32_t i = 0; i < n_present; ++i) list[i] = static_cast<Place>(items_[i]);
    if (lost > 0) insert(keys, list, n_present);
    for (std::uint32_t i = 0, k = n_present; i < n; ++i)
      if (missing[i]) list[k++] = static_cast<Place>(i);
  }

 private:
  // A bucket by hint, then insertion; where too many share a bucket, a full sort.
  template <class Hint, class Item>
  std::uint32_t scatter(const std::uint8_t* missing, std::uint32_t n, const Hint* hints, Code first, Code last,
                        Item&& item) {
    std::array<std::uint16_t, most_places + 1> begin{};
    std::array<Place, most_places> bucket;
    const std::uint64_t scale = (std::uint64_t{most_places} << 32) / (std::uint64_t{last} - first + 1);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (missing[i]) continue;
      bucket[i] = static_cast<Place>(((hints[i] - first) * scale) >> 32);
      ++begin[bucket[i] + 1u];
    }
    std::uint32_t fullest = 0;
    for (std::uint32_t b = 0; b < most_places; ++b) {
      fullest = std::max<std::uint32_t>(fullest, begin[b + 1]);
      begin[b + 1] = static_cast<std::uint16_t>(begin[b + 1] + begin[b]);
    }
    const std::uint32_t n_present = begin[most_places];
    for (std::uint32_t i = 0; i < n; ++i)
      if (!missing[i]) items_[begin[bucket[i]]++] = item(i);
    if (fullest > 24) {
      std::sort(items_.begin(), items_.begin() + n_present);
    } else {
      for (std::uint32_t i = 1; i < n_present; ++i) {
        const std::uint64_t moving = items_[i];
        std::uint32_t j = i;
        for (; j > 0 && items_[j - 1] > moving; --j) items_[j] = items_[j - 1];
        items_[j] = moving;
      }
    }
    return n_present;
  }

  // Keys that agree in the bits kept so far may still differ: neighbours are put right by the whole key.
  static void insert(const Key* keys, Place* list, std::uint32_t n) {
    for (std::uint32_t i = 1; i < n; ++i) {
      const Place moving = list[i];
      std::uint32_t j = i;
      for (; j > 0 && keys[list[j - 1]] > keys[moving]; --j) list[j] = list[j - 1];
      list[j] = moving;
    }
  }

  std::array<std::uint64_t, most_places>& items_;
};

void divide_list(Place* list, Row n, const std::uint8_t* left) {
  std::array<Place, most_places + 8> spill;
  Place *to_left = list, *to_right = spill.data();
  for (Row i = 0; i < n; ++i) {
    const Place p = list[i];
    const bool l = left[p] != 0;
    *to_left = p, *to_right = p;
    to_left += l, to_right += !l;
  }
  std::memcpy(to_left, spill.data(), static_cast<std::size_t>(to_right - spill.data()));
}

}  // namespace

SmallRows::SmallRows(const Dataset& data)
    : data_{data},
      keys_(data.columns.size() * width),
      missing_(data.columns.size() * width),
      lists_(data.columns.size() * width),
      flags_(data.columns.size()) {}

void SmallRows::load(std::span<const Row> ids, const std::vector<CoarseColumn>& coded, Row begin,
                     std::vector<std::uint32_t>& columns, std::size_t from) {
  begin_ = begin;
  for (std::size_t i = 0; i < ids.size(); ++i) order_[i] = static_cast<Place>(i);
  std::size_t kept = from;
  for (std::size_t c = from; c < columns.size(); ++c) {
    const std::uint32_t f = columns[c];
    if (load_column(f, ids, coded)) columns[kept++] = f;
  }
  columns.resize(kept);
}

bool SmallRows::load_column(std::uint32_t f, std::span<const Row> ids, const std::vector<CoarseColumn>& coded) {
  const auto n = static_cast<std::uint32_t>(ids.size());
  Key* keys = keys_of(f);
  std::uint8_t* missing = missing_of(f);
  if (coded.empty()) {
    flags_[f].by_code = false;
    read_keys(data_.columns[f], ids.data(), n, keys, missing);
    return sort_column<std::uint8_t>(f, n, nullptr);
  }
  const CoarseColumn& column = coded[f];
  return column.with_codes([&](const auto* all) {
    const auto* codes = all + begin_;
    flags_[f].by_code = column.all_single;
    if (column.all_single) {
      for (std::uint32_t i = 0; i < n; ++i) keys[i] = codes[i], missing[i] = codes[i] == column.n_codes;
    } else {
      read_keys(data_.columns[f], ids.data(), n, keys, missing);
    }
    return sort_column(f, n, codes);
  });
}

template <class Hint>
bool SmallRows::sort_column(std::uint32_t f, std::uint32_t n, const Hint* hints) {
  const Key* keys = keys_of(f);
  const std::uint8_t* missing = missing_of(f);
  bool varies = false;
  for (std::uint32_t i = 1; i < n; ++i) varies |= missing[i] != missing[0] || (!missing[i] && keys[i] != keys[0]);
  if (!varies) return false;
  Place* list = &lists_[f * width];
  PlaceSorter{items_}.sort(keys, missing, n, hints, list);
  bool repeats = missing[list[n - 1]] != 0;
  for (std::uint32_t i = 1; i < n; ++i) repeats |= keys[list[i]] == keys[list[i - 1]];
  flags_[f].repeats = repeats;
  return true;
}

Row SmallRows::count_present(std::uint32_t f, const Place* list, Row n) const {
  if (!flags_[f].repeats) return n;
  const std::uint8_t* missing = missing_of(f);
  while (n > 0 && missing[list[n - 1]]) --n;
  return n;
}

Row SmallRows::count_lowest(std::uint32_t f, const Place* list, Row n) const {
  if (!flags_[f].repeats) return 0;
  const Key *keys = keys_of(f), low = keys[list[0]], middle = keys[list[n / 2]];
  if (middle != low && middle != keys[list[n - 1]]) return 0;
  const Place* above = std::partition_point(list, list + n, [&](Place p) { return keys[p] == low; });
  return keys[*above] == keys[list[n - 1]] ? static_cast<Row>(above - list) : 0;
}

Row SmallRows::divide_rows(const FastCut& split, Row begin, Row n, Row* ids) {
  const Key* keys = keys_of(split.column);
  const std::uint8_t* missing = missing_of(split.column);
  if (split.kind == QuestionKind::levels) levels_.set(split, data_.columns[split.column].n_levels);
  Place* order = &order_[begin - begin_];
  std::array<Row, most_places> right_ids;
  Row l = 0, r = 0;
  with_child_of(split, split.low, levels_, [&](auto&& child_of_key) {
    for (Row i = 0; i < n; ++i) {
      const Place p = order[i];
      left_[p] = missing[p] ? split.missing_left : child_of_key(keys[p]) == 0;
      const Row id = ids[i];
      ids[l] = id, right_ids[r] = id;
      l += left_[p] != 0, r += left_[p] == 0;
    }
  });
  std::copy_n(right_ids.begin(), r, ids + l);
  divide_list(order, n, left_.data());
  return l;
}

void SmallRows::mark_left(Row n, std::uint8_t* mask) const {
  std::memset(mask, 0, n / 8 + 1);
  for (Row i = 0; i < n; ++i) mask[i >> 3] |= static_cast<std::uint8_t>((left_[i] != 0) << (i & 7));
}

void SmallRows::divide_lists(Row begin, Row n, std::span<const std::uint32_t> columns) {
  for (std::uint32_t f : columns) divide_list(list_of(f, begin), n, left_.data());
}

}  // namespace arboretum
