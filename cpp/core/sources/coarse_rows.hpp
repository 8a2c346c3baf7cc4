// CoarseRows: the row numbers and coarse codes of the fast source, kept so that each node is one contiguous range; and
// what is done with them that does not depend on the targets.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/grow/partition.hpp"
#include "core/grow/row_to_child.hpp"
#include "core/keys.hpp"
#include "core/questions/threshold_value.hpp"
#include "core/sources/coarse_codes.hpp"
#include "core/sources/fast_split.hpp"
#include "core/sources/stable_division.hpp"

namespace arboretum {

// Scratch of one thread.
struct Workplace {
  std::vector<std::uint8_t> hits{}, hopeful{}, spill{};
  std::vector<KeyedRow> items{};
  std::vector<std::uint64_t> words{};
};

// Sorts the items by key; the order of equal ones does not matter.
void sort_items(Workplace& place);

// How the rows are laid out.
struct CoarseLayout {
  bool by_class = false;    // rows of one class lie next to each other; dividing keeps them so
  std::size_t n_codes = 0;  // 0: no codes
  bool lazy = false;        // codes are fetched where they are asked for, see `fetch_codes`
};

class CoarseRows {
 public:
  CoarseRows(const Dataset& data, const Targets& targets, std::span<const Row> sample, const CoarseLayout& layout,
             unsigned n_threads, Interrupt& interrupt);
  CoarseRows(const CoarseRows&) = delete;

  Row n_rows() const { return static_cast<Row>(ids.size() - padding); }
  bool coded() const { return !columns.empty(); }

  std::vector<Row> ids;
  std::vector<CoarseColumn> columns;

  std::span<const Row> ids_of(Range range) const { return {ids.data() + range.begin, range.size()}; }

  // The keys of the items' rows, which are positions after `begin`.
  void read_keys(std::uint32_t column, Row begin, std::vector<KeyedRow>& items) const;

  // A border was found by its codes only; the question needs the two values beside it.
  void find_values(Range range, FastCut& split, Workplace& place, bool simd) const;
  ThresholdValue threshold(const FastCut& split, const CutRule& rule) const;

  // Reads the codes of a node's rows from the table, where they are not moved along with the rows.
  void fetch_codes(std::uint32_t column, Range range);

  // One bit a row: does it go left?
  void mark_left(Range range, const FastCut& split, std::uint8_t* mask, LevelChildren& levels, Workplace& place,
                 bool simd) const;
  // Divides the codes of a column, or the row numbers, by such a mask.
  void divide_codes(std::uint32_t column, Range range, const std::uint8_t* mask, Workplace& place, bool simd);
  Row divide_ids(Range range, const std::uint8_t* mask, Workplace& place, bool simd);

 private:
  template <class Width>
  Key value_beside(Range range, const Width* codes, std::uint32_t column, Code code, bool largest, Workplace& place,
                   bool simd) const;

  const Dataset& data_;
  CodedTable own_;                     // if nobody coded the table before, and codes are fetched from it
  const CodedTable* table_ = nullptr;  // the codes of all rows, in their order
};

// Divides an array of the rows by a mask; returns how many went left.
template <class T>
Row divide_values(T* values, Range range, const std::uint8_t* mask, std::vector<std::uint8_t>& spill, bool simd) {
  const std::size_t room = (range.size() + padding) * sizeof(T);
  if (spill.size() < room) spill.resize(room);
  return divide_stably(values + range.begin, range.size(), mask, reinterpret_cast<T*>(spill.data()), simd);
}

}  // namespace arboretum
