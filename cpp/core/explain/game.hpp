// Game: what a prediction would be if only some of a row's columns were known. Column by column a row goes down the
// tree along every way that some set of known columns leaves open. A Move is one step; for each column that it depends
// on, a Change says which part of the row goes along if the column is known, and which part if not. So every leaf is
// reached by a product with one factor for each column, which is all that Shapley values need (shapley.hpp).
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/dataset.hpp"
#include "core/route.hpp"

namespace arboretum {

// The parts of a row that come along if a column is known, and if it is not.
struct Parts {
  double known = 1.0, unknown = 1.0;

  bool none() const { return known == 0.0 && unknown == 0.0; }
  bool depend() const { return known != unknown; }
  friend Parts operator*(Parts a, Parts b) { return {a.known * b.known, a.unknown * b.unknown}; }
};

struct Change {
  std::uint32_t column;
  Parts factor;
  Parts before{};  // the column's parts above this move, while it is made
};

struct Move {
  std::size_t to;  // a child; or the node itself, if the row stays there, or if its question has more to find out
  bool stays;      // the row goes no further
  std::size_t begin, end;
};

// The moves of the nodes on a way down, one node's after the other's.
struct Moves {
  std::vector<Move> list;
  std::vector<Change> changes;

  void add(std::size_t to, bool stays = false) { list.push_back({to, stays, changes.size(), changes.size()}); }
  void add(std::size_t to, std::uint32_t column, Parts factor, bool stays = false) {
    if (factor.none()) return;
    add(to, stays);
    changes.push_back({column, factor});
    list.back().end = changes.size();
  }
  void add(std::size_t to, bool stays, std::span<const Change> made) {
    add(to, stays);
    changes.insert(changes.end(), made.begin(), made.end());
    list.back().end = changes.size();
  }
};

// Each node's share of its parent's weight. Children that have no weight at all share alike.
std::vector<double> shares_of_parents(const Router& router);

// The distinct columns of a question about several, in the order of its terms.
std::vector<std::uint32_t> columns_of(std::span<const Term> terms);

// A question is answered if all its columns are known; else the row is divided by the weights of the children. Where
// its value is missing, the column that is asked is that of the surrogate which answers.
class WeightGame {
 public:
  WeightGame(const Router& router, const std::vector<double>& shares, const Dataset& data)
      : router_{&router}, shares_{&shares}, data_{&data} {}

  void look_at(Row row) { row_ = row; }
  void list_moves(std::size_t node, std::span<const Parts> parts, Moves& to);

 private:
  void list_composite(std::size_t node, std::span<const Parts> parts, Moves& to);
  double share(std::size_t node) const { return (*shares_)[node]; }

  const Router* router_;
  const std::vector<double>* shares_;
  const Dataset* data_;
  Row row_ = 0;
  std::vector<Change> made_{};
};

// Columns that are not known have the values of another row.
class RowGame {
 public:
  RowGame(const Router& router, const std::vector<double>& shares, const Dataset& data, const Dataset& background)
      : router_{&router}, shares_{&shares}, data_{&data}, background_{&background} {}

  void look_at(Row row, Row other) {
    row_ = row, other_ = other;
    sums_.clear(), addends_.clear();
  }
  void list_moves(std::size_t node, std::span<const Parts> parts, Moves& to);

 private:
  struct Answers {  // about the row, and about the other one; -1: the question cannot tell
    std::int32_t known, unknown;
  };
  struct Asked {  // the question itself, or a surrogate
    std::uint32_t column;
    Answers answers;
  };
  struct Addends {  // what the terms about a column come to, in the row and in the other one
    std::uint32_t column;
    double known, unknown;
    bool differ;  // whether one of the terms is another number in the other row

    double size() const {
      const double difference = std::abs(known - unknown);
      return difference == difference ? difference : std::numeric_limits<double>::infinity();
    }
  };
  struct Sum {               // a question about several columns, for the two rows
    std::size_t first, end;  // of its addends, those that weigh most first
    double slack;            // by how much rounding may change it
  };
  void list_answers(std::size_t node, Moves& to) const;
  void list_surrogates(std::size_t node, std::span<const Parts> parts, Moves& to);
  void list_composite(std::size_t node, std::span<const Parts> parts, Moves& to);
  // Goes through the surrogates, one by one, and adds a move where the answer is clear.
  void ask(std::size_t place, std::size_t node, std::span<const Parts> parts, Moves& to);
  const Sum& sum_of(std::size_t node);
  double number(const Term& term, bool of_the_row, bool is_sum) const;
  std::optional<std::int32_t> clear_answer(const Sum& sum, double low, double high, std::size_t node) const;
  std::int32_t exact_answer(std::size_t node, std::span<const Parts> parts) const;
  void send(std::size_t node, std::int32_t child, Moves& to) const;
  double part_of(std::size_t child, std::int32_t place, std::int32_t answer) const;

  const Router* router_;
  const std::vector<double>* shares_;
  const Dataset* data_;
  const Dataset* background_;
  Row row_ = 0, other_ = 0;
  std::vector<Change> made_{};                   // on the way to the move that is looked for
  std::vector<Asked> asked_{};                   // of the node
  std::unordered_map<std::size_t, Sum> sums_{};  // node -> its question; made when the two rows first come there
  std::vector<Addends> addends_{};               // one question's after the other's
};

}  // namespace arboretum
