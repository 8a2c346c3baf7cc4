// Coarse codes: each column as at most a few thousand codes that keep its order; several values may share one. A code
// is single if it covers one value only: there is nothing to refine. The codes steer the search; the tree does not
// depend on them.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/codes.hpp"
#include "core/dataset.hpp"
#include "core/interrupt.hpp"
#include "core/keys.hpp"

namespace arboretum {

inline constexpr std::size_t padding = 64;  // vector code may read and write this far beyond the last row

struct CoarseColumn {
  Kind kind = Kind::numeric;
  Code n_codes = 0;  // a missing value has this code
  bool has_missing = false;
  bool all_single = false;
  std::vector<std::uint8_t> codes8;
  std::vector<std::uint16_t> codes16;
  std::vector<std::uint32_t> codes32;  // nominal columns with very many levels
  std::vector<Key> edges;              // numeric columns
  std::vector<std::uint8_t> single;

  template <class F>
  decltype(auto) with_codes(F&& f) {
    if (!codes8.empty()) return f(codes8.data());
    if (!codes16.empty()) return f(codes16.data());
    return f(codes32.data());
  }
  template <class F>
  decltype(auto) with_codes(F&& f) const {
    if (!codes8.empty()) return f(codes8.data());
    if (!codes16.empty()) return f(codes16.data());
    return f(codes32.data());
  }
  void allocate(Row n_rows) {
    if (n_codes < 0xff) codes8.resize(n_rows + padding);
    else if (n_codes < 0xffff) codes16.resize(n_rows + padding);
    else codes32.resize(n_rows + padding);
  }
};

// The columns of a table, coded in the order of its rows.
struct CodedTable {
  std::vector<CoarseColumn> columns;
};

// Codes all columns. The code of row r goes to places[r]; no places: to r.
std::vector<CoarseColumn> encode_coarsely(const Dataset& data, std::size_t max_codes, std::span<const Row> places,
                                          unsigned n_threads, Interrupt& interrupt);

// The edges of at most so many codes, for a column of which these sorted keys are a sample.
std::vector<Key> choose_edges(const std::vector<Key>& sample, std::size_t max_codes);

// Codes all columns by edges that were chosen before: one list a column, which only numeric columns read.
std::vector<CoarseColumn> encode_by_edges(const Dataset& data, std::span<const std::vector<Key>> edges,
                                          unsigned n_threads, Interrupt& interrupt);

// The same codes for other rows, not yet filled in. A code that covers one value only does so among fewer rows as well.
CoarseColumn same_codes(const CoarseColumn& column, Row n_rows);

}  // namespace arboretum
