// Shared leaves: the contributions of many rows at once. What a leaf contributes depends on the row only by which of the
// columns on its way agree with the leaf; so it is with rows of a background. Among thousands of rows there are but a
// few hundred such patterns, and what a pattern contributes is computed once (the idea of Fast TreeSHAP, Yang 2021);
// every row only adds up. The plain twin, Shapley, goes row by row and knows every tree.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/explain/game.hpp"
#include "core/explain/quadrature.hpp"
#include "core/explain/shapley.hpp"

namespace arboretum {

// Which columns agree, one bit each, in the order in which they come on the way.
using Pattern = std::uint64_t;
inline constexpr std::size_t most_bits = 64;

// Numbers patterns in the order in which they come.
class PatternNumbers {
 public:
  std::uint32_t number_of(Pattern pattern);
  const std::vector<Pattern>& patterns() const { return patterns_; }
  void clear();

 private:
  static constexpr std::size_t n_direct = std::size_t{1} << 14;  // smaller patterns need no search
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::vector<std::uint32_t> direct_ = std::vector<std::uint32_t>(n_direct, none);
  std::unordered_map<Pattern, std::uint32_t> others_{};
  std::vector<Pattern> patterns_{};
};

// Rows that columns which are not known take their values from, and how much each counts; null: none, the weights of
// children count instead.
struct Behind {
  const Dataset* data = nullptr;
  std::span<const double> counts{};

  std::size_t n_rows() const { return counts.size(); }
};

// The rows that take more than the questions' own columns: surrogates, shares, a stay at an inner node.
std::vector<bool> rows_apart(const Router& router, const Dataset& data, const std::function<void()>& poll);

class SharedLeaves {
 public:
  SharedLeaves(const Router& router, const std::vector<double>& shares, const Targeted& nodes, const Dataset& data,
               const Behind& behind, bool interactions);

  // How many rows at a time keep the memory small.
  std::size_t most_rows() const;

  // Writes what is found for the rows from `first` on, row after row. For rows that go apart it is worth nothing.
  void write(Row first, std::size_t n_rows, const Found& found, const std::function<void()>& poll);

 private:
  struct Slot {
    std::uint32_t column;
    double unknown;  // the part of the row that comes here if the column is not known
  };
  struct Inner {
    std::size_t node;
    std::vector<Pattern> patterns;  // of the rows, and of those behind
    std::vector<std::int32_t> children;
    std::vector<Slot> slots;
  };
  struct Open {
    std::shared_ptr<Inner> parent;
    std::size_t child;
  };

  void enter(const std::shared_ptr<Inner>& here);
  void visit(const Open& open);
  void add_leaf(std::size_t leaf, const std::vector<Pattern>& patterns, const std::vector<Slot>& slots);
  void find_slopes(const std::vector<Slot>& slots, const Quadrature& rule);
  void integrate(std::size_t n_slots, const Quadrature& rule);
  void compare(const std::vector<Pattern>& patterns, std::size_t n_slots);
  void number_behind(const std::vector<Pattern>& patterns);
  void spread(std::size_t leaf, const double* integrals, double* sums);
  double* sums_of(std::uint32_t column) { return sums_.data() + place_[column] * n_targets() * n_rows_; }
  double* sums_of(std::uint32_t a, std::uint32_t b);
  std::size_t n_places() const { return columns_.size(); }
  std::size_t n_targets() const { return nodes_.n_targets; }
  const Quadrature& rule_for(std::size_t n_columns);
  void copy_to(const Found& found) const;
  std::size_t n_all() const { return n_rows_ + behind_.n_rows(); }
  std::size_t n_pairs(std::size_t n) const { return interactions_ && n > 0 ? n * (n - 1) / 2 : 0; }

  const Router* router_;
  const std::vector<double>* shares_;
  Targeted nodes_;
  const Dataset* data_;
  Behind behind_;
  bool interactions_;
  std::vector<std::uint32_t> columns_{};  // that are asked about
  std::vector<std::size_t> place_;        // column -> where it is among them
  std::vector<std::size_t> n_below_;      // nodes of the subtree
  std::vector<Quadrature> rules_{};       // by the number of columns

  // Of the rows at hand.
  Row first_ = 0;
  std::size_t n_rows_ = 0;
  std::vector<double> sums_{};  // place after place, then pair after pair; target after target; row after row
  std::vector<Open> open_{};
  const std::function<void()>* poll_ = nullptr;

  // Of a leaf.
  PatternNumbers numbers_{}, numbers_behind_{};
  std::vector<double> counts_behind_{};         // of each pattern
  std::vector<std::uint32_t> number_{};         // of each row's pattern
  std::vector<double> factors_{}, slopes_{};    // slot after slot: does not agree, agrees; point after point
  std::vector<double> integrals_{}, scaled_{};  // slot after slot, then pair after pair; pattern after pattern
  std::vector<double> product_{};
};

}  // namespace arboretum
