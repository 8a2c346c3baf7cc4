// Forest: many trees that predict together. Rows are read once for all trees, a block at a time; where all questions
// are about numbers, several rows, or of few rows several trees, are walked at once, as in walk.hpp: in floats where
// these can stand for all values that are asked about. Other trees are asked row by row, by their routers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/block.hpp"
#include "core/interrupt.hpp"
#include "core/route.hpp"
#include "core/walk.hpp"

namespace arboretum {

class Forest {
 public:
  // `width` numbers are predicted for each row.
  explicit Forest(std::size_t width) : width_{width} {}

  // Adds a tree, with what each of its nodes predicts. False if the router will be asked: then it must outlive this.
  bool add(const Router& router, std::vector<double> values);

  std::size_t size() const { return trees_.size(); }
  std::size_t width() const { return width_; }
  std::size_t n_columns() const { return n_columns_; }

  // For each row the sum of what the trees predict, in their order.
  void sum(const Dataset& data, std::span<double> sums, unsigned n_threads, Interrupt& interrupt) const;
  // For each row the leaf of every tree.
  void leaves_of(const Dataset& data, std::span<NodeId> leaves, unsigned n_threads, Interrupt& interrupt) const;

 private:
  struct Member {
    std::vector<Step<double>> steps;  // empty: the router is asked
    std::vector<Step<float>> floats;  // the same, unless a tree is too large for them
    int n_at_once = 0;
    const Router* router = nullptr;  // of a tree without steps
    std::vector<double> values;

    template <class T>
    const Step<T>* first_step() const {
      if constexpr (std::is_same_v<T, float>) return floats.data();
      else return steps.data();
    }
  };
  // Some trees, and the rows of a block; leaves[tree * n_rows + row] is where a row comes to rest.
  struct Crowd {
    std::span<const Member> trees;
    std::size_t n_rows;
    std::span<NodeId> leaves;

    std::span<NodeId> leaves_of(std::size_t tree) const { return leaves.subspan(tree * n_rows, n_rows); }
  };

  template <class T>
  std::vector<Step<T>> steps_of(const Router& router);
  std::uint32_t place_of(std::uint32_t column);
  bool walks_in_floats(const Dataset& data) const;

  // Calls visit(first tree, crowd, first row) for blocks of rows and parts of the forest, in the order of the trees.
  template <class Visit>
  void each_part(const Dataset& data, unsigned n_threads, Interrupt& interrupt, Visit&& visit) const;
  template <class T, class Visit>
  void each_part_as(const Dataset& data, unsigned n_threads, Interrupt& interrupt, Visit&& visit) const;
  template <class T>
  void rest(const Crowd& crowd, const Dataset& data, Row begin, const Block<T>& block) const;
  template <class T>
  struct TreesOfRow;
  template <class T>
  static void walk(const Crowd& crowd, const Block<T>& block);
  template <class Width>
  static void add_values(const Member& tree, std::span<const NodeId> leaves, Width width, double* out);
  void add_shares(const Member& tree, const Dataset& data, Row begin, std::size_t n_rows, double* out) const;

  std::size_t width_, n_columns_ = 0;
  bool small_ = true;  // no tree is too large for floats
  std::vector<Member> trees_;
  std::vector<std::uint32_t> columns_;  // that are asked about by trees that are walked; a place in a block for each
  std::vector<std::int32_t> places_;    // column -> place; -1: none yet
};

}  // namespace arboretum
