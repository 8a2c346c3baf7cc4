// Buckets: the rows of one node grouped by their code in one column, groups in the order of the codes, missing rows
// apart. Every kind of question works on buckets; which codes share a bucket is all that distinguishes columns.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/codes.hpp"
#include "core/sources/sorted_column.hpp"

namespace arboretum {

template <class Target>
class Buckets {
 public:
  std::size_t size() const { return codes_.size(); }
  Code code(std::size_t bucket) const { return codes_[bucket]; }
  std::span<const Target> operator[](std::size_t bucket) const {
    return {targets_.data() + begins_[bucket], targets_.data() + begins_[bucket + 1]};
  }
  std::span<const Target> missing() const {
    return {targets_.data() + begins_.back(), targets_.data() + targets_.size()};
  }
  std::span<const Target> all() const { return targets_; }
  std::span<const Target> known() const { return {targets_.data(), targets_.data() + begins_.back()}; }
  void forget_missing() { targets_.resize(begins_.back()); }
  bool constant() const { return codes_.size() + (missing().empty() ? 0 : 1) < 2; }

  template <class Width>
  void fill(const Width* codes, std::span<const Target> targets, Code missing_code) {
    const auto n = static_cast<std::uint32_t>(targets.size());
    Code low = missing_code, high = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (codes[i] == missing_code) continue;
      low = std::min<Code>(low, codes[i]), high = std::max<Code>(high, codes[i]);
    }
    targets_.resize(n), begins_.clear(), codes_.clear();
    if (low == missing_code) {  // nothing but missing values
      begins_.push_back(0);
      std::copy(targets.begin(), targets.end(), targets_.begin());
    } else if (high - low < 4 * n + 64) {
      count(codes, targets, missing_code, low, high);
    } else {
      sort(codes, targets, missing_code);
    }
  }

  // From rows that are sorted already.
  void fill(std::span<const SortedRow> rows, std::span<const Target> targets, Code missing_code) {
    targets_.resize(rows.size()), begins_.clear(), codes_.clear();
    std::uint32_t n_present = 0;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      targets_[i] = targets[rows[i].position];
      if (rows[i].code == missing_code) continue;
      if (codes_.empty() || rows[i].code != codes_.back()) codes_.push_back(rows[i].code), begins_.push_back(i);
      n_present = i + 1;
    }
    begins_.push_back(n_present);
  }

 private:
  template <class Width>
  void count(const Width* codes, std::span<const Target> targets, Code missing_code, Code low, Code high) {
    const std::size_t n_cells = high - low + 2;  // the last cell is for missing values
    auto cell = [&](Code code) { return code == missing_code ? n_cells - 1 : code - low; };
    places_.assign(n_cells + 1, 0);
    for (std::size_t i = 0; i < targets.size(); ++i) ++places_[cell(codes[i]) + 1];
    for (std::size_t c = 0; c < n_cells; ++c) {
      if (c + 1 < n_cells && places_[c + 1] > 0)
        codes_.push_back(low + static_cast<Code>(c)), begins_.push_back(places_[c]);
      places_[c + 1] += places_[c];
    }
    begins_.push_back(places_[n_cells - 1]);
    for (std::size_t i = 0; i < targets.size(); ++i) targets_[places_[cell(codes[i])]++] = targets[i];
  }

  template <class Width>
  void sort(const Width* codes, std::span<const Target> targets, Code missing_code) {
    items_.resize(targets.size());
    for (std::size_t i = 0; i < items_.size(); ++i) items_[i] = std::uint64_t{codes[i]} << 32 | i;
    std::sort(items_.begin(), items_.end());  // the missing code is the largest, so missing rows come last
    bool missing = false;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const auto code = static_cast<Code>(items_[i] >> 32);
      if (code == missing_code && !missing) missing = true, begins_.push_back(static_cast<std::uint32_t>(i));
      if (!missing && (i == 0 || code != codes_.back()))
        codes_.push_back(code), begins_.push_back(static_cast<std::uint32_t>(i));
      targets_[i] = targets[static_cast<std::uint32_t>(items_[i])];
    }
    if (!missing) begins_.push_back(static_cast<std::uint32_t>(items_.size()));
  }

  std::vector<Target> targets_;
  std::vector<std::uint32_t> begins_;  // of each bucket; then that of the missing rows
  std::vector<Code> codes_;
  std::vector<std::uint32_t> places_;  // scratch
  std::vector<std::uint64_t> items_;   // scratch
};

}  // namespace arboretum
