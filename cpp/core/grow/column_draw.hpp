// ColumnDraw: the columns that a node may ask about, drawn anew for each node. What a node draws depends on the seed
// and on its place in the tree alone, so neither the order of growth nor the number of threads makes a difference, and
// sources that can grow the same tree draw the same columns.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/options.hpp"

namespace arboretum {

// The key of a node: what its draw depends on. That of the root is the seed.
using DrawKey = std::uint64_t;

// One step of splitmix64: numbers that follow each other become as good as random.  (Steele, Lea & Flood 2014)
inline std::uint64_t scrambled(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

inline DrawKey child_key(DrawKey parent, std::uint32_t child) { return scrambled(scrambled(parent) + child); }

class ColumnDraw {
 public:
  ColumnDraw(const GrowOptions& options, std::size_t n_columns) : most_{options.drawn_columns}, order_(n_columns) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  // Whether there is anything to draw. All columns together are no draw.
  bool draws() const { return most_ < order_.size(); }

  // The columns of a node, in ascending order, as ties want it.
  std::span<const std::uint32_t> first(DrawKey key) {
    put_back();
    state_ = key;
    while (chosen_.size() < most_) draw();
    drawn_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(most_));
    std::ranges::sort(drawn_);
    return drawn_;
  }

  // Where none of them has a question, the others follow one by one; empty when all have been drawn.
  std::span<const std::uint32_t> next() {
    if (chosen_.size() == order_.size()) return {};
    draw();
    return std::span{order_}.subspan(chosen_.size() - 1, 1);
  }

  // What best_of(columns) finds among the drawn columns.
  template <class BestOf>
  auto best(DrawKey key, BestOf&& best_of) {
    auto found = best_of(first(key));
    while (!found) {
      const std::span<const std::uint32_t> more = next();
      if (more.empty()) break;
      found = best_of(more);
    }
    return found;
  }

 private:
  // One step of the Fisher-Yates shuffle.
  void draw() {
    state_ = scrambled(state_);
    const std::size_t place = chosen_.size();
    chosen_.push_back(place + static_cast<std::size_t>((state_ >> 32) * (order_.size() - place) >> 32));
    std::swap(order_[place], order_[chosen_.back()]);
  }

  // Back to the order of the columns: a draw must not depend on those before it.
  void put_back() {
    for (; !chosen_.empty(); chosen_.pop_back()) std::swap(order_[chosen_.size() - 1], order_[chosen_.back()]);
  }

  std::size_t most_;
  DrawKey state_ = 0;
  std::vector<std::uint32_t> order_, drawn_;
  std::vector<std::size_t> chosen_;  // by step: the place that the column came from
};

}  // namespace arboretum
