// Summaries of the fast source: what its histograms hold. Compact twins of ClassCounts and Moments, as exact as they
// are. In unit summaries every row counts 1. Where rows are sorted by class, the counts of a node tell the class of
// every row.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "core/class_counts.hpp"
#include "core/moments.hpp"

namespace arboretum {

// Two classes, every row counts 1: both counts share one word, so that adding a row is one addition.
struct TwoCounts {
  static constexpr std::size_t most_classes = 2;
  using Target = std::uint8_t;
  std::uint64_t packed = 0;  // rows below, rows of class 1 above

  static constexpr bool sorted_by_class = true;
  void add_rows(std::size_t label, Row n) { packed += n + (std::uint64_t{label * n} << 32); }
  static TwoCounts of(Target label) { return {1 + (std::uint64_t{label} << 32)}; }
  TwoCounts& operator+=(const TwoCounts& other) { return packed += other.packed, *this; }
  TwoCounts& operator-=(const TwoCounts& other) { return packed -= other.packed, *this; }
  static constexpr std::size_t n_classes() { return 2; }
  Row n_rows() const { return static_cast<Row>(packed); }
  Fixed total() const { return static_cast<Fixed>(packed & 0xffffffffu); }
  Fixed ones() const { return static_cast<Fixed>(packed >> 32); }
  Fixed count(std::size_t k) const { return k == 1 ? ones() : total() - ones(); }
};

// Up to K classes, every row counts 1. K is a power of two, so that += is a few aligned vector additions.
template <std::size_t K>
struct UnitCounts {
  static constexpr std::size_t most_classes = K;
  using Target = std::uint8_t;
  alignas(16) std::array<std::uint32_t, K> counts{};

  static constexpr bool sorted_by_class = true;
  void add_rows(std::size_t label, Row n) { counts[label] += n; }
  static UnitCounts of(Target label) {
    UnitCounts one;
    one.counts[label] = 1;
    return one;
  }
  UnitCounts& operator+=(const UnitCounts& other) {
    for (std::size_t k = 0; k < K; ++k) counts[k] += other.counts[k];
    return *this;
  }
  UnitCounts& operator-=(const UnitCounts& other) {
    for (std::size_t k = 0; k < K; ++k) counts[k] -= other.counts[k];
    return *this;
  }
  static constexpr std::size_t n_classes() { return K; }
  Row n_rows() const {
    Row n = 0;
    for (std::uint32_t count : counts) n += count;
    return n;
  }
  Fixed total() const { return n_rows(); }
  Fixed count(std::size_t k) const { return counts[k]; }
};

// Up to K classes with weights; rows are counted apart, because limits count rows and scores count weight.
template <std::size_t K>
struct WeightCounts {
  static constexpr std::size_t most_classes = K;
  using Target = ClassTarget;
  static constexpr bool sorted_by_class = false;
  std::array<Fixed, K> counts{};
  std::int64_t rows = 0;

  static WeightCounts of(const Target& target) {
    WeightCounts one;
    one.add(target);
    return one;
  }
  void add(const Target& target, int = 0) { counts[target.label] += target.weight, ++rows; }
  WeightCounts& operator+=(const WeightCounts& other) {
    for (std::size_t k = 0; k < K; ++k) counts[k] += other.counts[k];
    return rows += other.rows, *this;
  }
  WeightCounts& operator-=(const WeightCounts& other) {
    for (std::size_t k = 0; k < K; ++k) counts[k] -= other.counts[k];
    return rows -= other.rows, *this;
  }
  static constexpr std::size_t n_classes() { return K; }
  Row n_rows() const { return static_cast<Row>(rows); }
  Fixed total() const {
    Fixed sum = 0;
    for (Fixed count : counts) sum += count;
    return sum;
  }
  Fixed count(std::size_t k) const { return counts[k]; }
};

// Sums of real targets where every row counts 1. A target is y - centre on its scale; `squares` serves only the
// bounds: in units of 4^shift, rounded up, so that it may never be too small.
struct UnitSums {
  using Target = Fixed;
  static constexpr bool sorted_by_class = false;
  Fixed sum = 0, squares = 0, rows = 0;

  static UnitSums of(Target target) { return {target, 0, 1}; }  // not for buckets: it has no squares
  void add(Target target, int shift) {
    const Fixed size = (std::abs(target) >> shift) + 1;
    sum += target, squares += size * size, ++rows;
  }
  UnitSums& operator+=(const UnitSums& other) {
    sum += other.sum, squares += other.squares, rows += other.rows;
    return *this;
  }
  UnitSums& operator-=(const UnitSums& other) {
    sum -= other.sum, squares -= other.squares, rows -= other.rows;
    return *this;
  }
  Row n_rows() const { return static_cast<Row>(rows); }
  Fixed total() const { return rows; }
};

// Sums of real targets with weights. `squares` serves only the bounds: coarse, rounded up, so that it may never be too
// small.
struct SumTarget {
  Fixed sum;      // weight * (y - centre)
  Fixed squares;  // about sum^2 / weight, in coarse units
  Fixed weight;
};

struct Sums {
  using Target = SumTarget;
  static constexpr bool sorted_by_class = false;
  Fixed sum = 0, squares = 0, weight = 0, rows = 0;

  static Sums of(const Target& target) { return {target.sum, target.squares, target.weight, 1}; }
  void add(const Target& target, int) { *this += of(target); }
  Sums& operator+=(const Sums& other) {
    sum += other.sum, squares += other.squares, weight += other.weight, rows += other.rows;
    return *this;
  }
  Sums& operator-=(const Sums& other) {
    sum -= other.sum, squares -= other.squares, weight -= other.weight, rows -= other.rows;
    return *this;
  }
  Row n_rows() const { return static_cast<Row>(rows); }
  Fixed total() const { return weight; }
};

}  // namespace arboretum
