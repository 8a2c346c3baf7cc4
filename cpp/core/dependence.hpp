// Dependence: what a tree predicts where some columns are set to the values of a grid. A set of rows and a set of the
// grid's cells go down the tree together and stand for all their pairs: questions about the columns of the grid divide
// the cells, all others divide the rows. So no cell is predicted row by row. Without rows, each child gets the share
// that it has of its parent's weight.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/dataset.hpp"
#include "core/grow/partition.hpp"
#include "core/questions/term.hpp"
#include "core/route.hpp"

namespace arboretum {

// A row of `cells` for each cell, with all columns of the tree; only those that are `set` are looked at.
struct GridCells {
  const Dataset& cells;
  std::vector<bool> set;
};

class Descent {
 public:
  // Takes the pairs of these rows and cells that end at a node, and which share of each of them does. Without rows
  // there is one, row 0, for all of them.
  using Take =
      std::function<void(std::size_t node, std::span<const Row> rows, std::span<const Row> cells, double share)>;

  Descent(const Router& router, const Dataset* rows, const GridCells& grid);

  void run(const Take& take, const Router::Poll& poll);

 private:
  // All pairs of a range of rows and a range of cells, on their way. The ranges of those that wait are equal, disjoint
  // or contain each other, the inner ones on top: so the members of a range may change places while the others wait.
  struct Pairs {
    std::size_t node;
    Range rows, cells;
    double share;
    std::size_t top;  // how many of `cells_` are in use

    bool empty() const { return rows.size() == 0 || cells.size() == 0; }
  };

  // The members of a range that give the same answer.
  struct Part {
    std::int32_t answer;
    Range range;
  };

  void keep(const Pairs& pairs, const Take& take) const;
  void send(const Pairs& pairs, const Take& take);
  template <class Answer>
  bool ask(Pairs& left, std::uint32_t column, Answer&& answer);
  void count_literals(const Pairs& pairs);
  void add_up(const Pairs& pairs);
  void cut_sums(const Pairs& pairs);
  void share_out(const Pairs& pairs);
  void push(const Pairs& from, std::int32_t child, Range rows, Range cells);

  bool is_set(const Term& term) const { return grid_.set[term.column]; }
  bool lacks_rows(std::span<const Term> terms) const;
  std::vector<Term> own_terms(std::span<const Term> terms) const;
  double sum_of_pair(std::span<const Term> terms, Row row, Row cell) const;

  template <class Answer>
  void divide(std::vector<Row>& members, Range range, std::size_t n_answers, Answer&& answer);

  const Router& router_;
  const Dataset* data_;  // null: there are no rows
  const GridCells& grid_;
  std::vector<double> shares_;  // of its parent's weight that each node has
  std::vector<Row> rows_, cells_;
  std::vector<Pairs> open_;
  // Scratch.
  std::vector<std::int32_t> answers_;
  std::vector<Row> counts_, spill_, order_, first_of_value_;
  std::vector<Part> parts_;
  std::vector<double> addends_;
};

// For each cell the sum of `values` (`width` numbers a node) over the rows, by their weights; without rows, the mean.
void sum_over_rows(const Router& router, const Dataset* rows, std::span<const double> weights, const GridCells& grid,
                   std::span<const double> values, std::size_t width, std::span<double> sums, const Router::Poll& poll);

// The same for each row by itself: `width` numbers for each cell of each row.
void each_row(const Router& router, const Dataset& rows, const GridCells& grid, std::span<const double> values,
              std::size_t width, std::span<double> found, const Router::Poll& poll);

}  // namespace arboretum
