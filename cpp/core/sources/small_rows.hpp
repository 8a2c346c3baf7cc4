// SmallRows: the rows of a small node and of all nodes below it. Rows are read once, and every column is sorted once
// into a list of byte-sized places; then lists are only divided. One subtree is loaded at a time, so growth below it
// must be depth-first.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/criteria/bound.hpp"
#include "core/grow/row_to_child.hpp"
#include "core/sources/coarse_codes.hpp"
#include "core/sources/fast_split.hpp"

namespace arboretum {

class SmallRows {
 public:
  explicit SmallRows(const Dataset& data);

  // Reads rows and sorts `columns` from position `from` on; keeps there those that vary. `begin` is the place of the
  // first row among all rows; `coded` may be empty.
  void load(std::span<const Row> ids, const std::vector<CoarseColumn>& coded, Row begin,
            std::vector<std::uint32_t>& columns, std::size_t from);

  // The places of a node, which begins at `begin`, in the order of its rows, and in the order of a column.
  const Place* order(Row begin) const { return &order_[begin - begin_]; }
  const Place* list(std::uint32_t column, Row begin) const { return &lists_[column * width] + (begin - begin_); }
  // By place; of a missing value, any.
  const Key* keys(std::uint32_t column) const { return &keys_[column * width]; }

  bool repeats(std::uint32_t column) const { return flags_[column].repeats; }
  bool by_code(std::uint32_t column) const { return flags_[column].by_code; }

  // How many of a list of n rows have a value; missing ones come last.
  Row count_present(std::uint32_t column, const Place* list, Row n) const;
  // How many rows have the lower value, if there are just two values; else 0.
  Row count_lowest(std::uint32_t column, const Place* list, Row n) const;

  // Divides the rows of the node: `ids`, and their order here. Lists follow if the children need them.
  Row divide_rows(const FastCut& split, Row begin, Row n, Row* ids);
  // The same of all rows that are loaded, as one bit each.
  void mark_left(Row n, std::uint8_t* mask) const;
  void divide_lists(Row begin, Row n, std::span<const std::uint32_t> columns);

 private:
  static constexpr std::size_t width = most_places + padding;
  struct Flags {
    bool repeats = false;  // some value occurs twice, or is missing
    bool by_code = false;  // keys are codes
  };

  Place* list_of(std::uint32_t f, Row begin) { return &lists_[f * width] + (begin - begin_); }
  Key* keys_of(std::uint32_t f) { return &keys_[f * width]; }
  std::uint8_t* missing_of(std::uint32_t f) { return &missing_[f * width]; }
  const Key* keys_of(std::uint32_t f) const { return &keys_[f * width]; }
  const std::uint8_t* missing_of(std::uint32_t f) const { return &missing_[f * width]; }
  bool load_column(std::uint32_t f, std::span<const Row> ids, const std::vector<CoarseColumn>& coded);
  template <class Hint>
  bool sort_column(std::uint32_t f, std::uint32_t n, const Hint* hints);

  const Dataset& data_;
  std::vector<Key> keys_;
  std::vector<std::uint8_t> missing_;
  std::vector<Place> lists_;
  std::vector<Flags> flags_;
  LevelChildren levels_;
  std::array<std::uint64_t, most_places> items_;  // scratch
  std::array<Place, most_places> order_;          // the loaded rows in the order of `ids`
  std::array<std::uint8_t, most_places> left_;    // where the last division sent each place
  Row begin_ = 0;
};

}  // namespace arboretum
