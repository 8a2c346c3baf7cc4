// Shapley: what each column contributes to one prediction, and each pair of columns, for any Game.
//
// If every column is known with probability t, independently, a leaf is reached with probability P(t), the product of
// its columns' factors f = known * t + unknown * (1 - t). The Shapley value of a column is the integral over t from 0 to
// 1 of what knowing it adds, value * (known - unknown) * P(t) / f(t) (Owen 1972). That is a polynomial of a degree below
// the number of columns on the way, so Gauss and Legendre's rule is exact: no factorials, no differences of large
// numbers, as accurate for a thousand columns as for three. On the way down products are carried, on the way up sums:
// each move costs a few operations for each point (the idea of Linear TreeSHAP, Yu and others 2022).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/explain/game.hpp"
#include "core/explain/quadrature.hpp"

namespace arboretum {

// What nodes predict, and where contributions are added to: one number for each target.
struct Targeted {
  std::span<const double> values;  // node after node
  std::size_t n_targets;
};

struct Found {
  std::span<double> values;        // column after column
  std::span<double> interactions;  // pair after pair, above the diagonal and below; empty: not wanted
};

// Questions about very many columns at once multiply the ways of a row.
struct TooManyWays : std::runtime_error {
  TooManyWays() : std::runtime_error("a row has too many ways down the tree") {}
};

class Shapley {
 public:
  // At most so many columns lie on one way down, and one row, or one pair of rows, takes at most so many steps.
  Shapley(const Router& router, const Targeted& nodes, std::size_t n_columns, std::size_t most_on_a_way,
          std::size_t most_steps)
      : router_{&router},
        nodes_{nodes},
        rule_{gauss_legendre(n_points_for(most_on_a_way))},
        parts_(n_columns),
        n_touched_(n_columns),
        most_steps_{most_steps},
        slopes_(rule_.size()) {}

  // Adds to what was found; contributions count `scale` times. `poll` is called from time to time, and may throw.
  template <class Game, class Poll>
  void add(Game& game, double scale, const Found& found, Poll&& poll) {
    scale_ = scale, found_ = found;
    std::size_t n_steps = 0;
    open(0);
    std::fill_n(product(0), rule_.size(), 1.0);
    if (!begin(game, 0)) return;  // the row goes the same way, whatever is known of it
    while (!frames_.empty()) {
      if (++n_steps_ % (1u << 14) == 0) poll();
      if (++n_steps > most_steps_) throw TooManyWays{};
      Frame& frame = frames_.back();
      if (frame.next == frame.end) {
        close();
        continue;
      }
      const std::size_t level = frames_.size();
      const Move move = moves_.list[frame.next++];
      open(level);
      if (!make(move, level) || (!move.stays && begin(game, move.to))) continue;
      rest(move.stays ? move.to : resting_, level);
      settle(move, level);
    }
  }

 private:
  struct Frame {
    std::size_t node, next, end, first_move, first_change;
  };

  // Goes down as long as nothing depends on what is known; false if that ends at a leaf, `resting_`.
  template <class Game>
  bool begin(Game& game, std::size_t node) {
    const std::size_t first_move = moves_.list.size(), first_change = moves_.changes.size();
    for (;;) {
      if (router_->n_children(node) == 0) break;
      game.list_moves(node, parts_, moves_);
      if (moves_.list.size() != first_move + 1 || moves_.changes.size() != first_change) {
        frames_.push_back({node, first_move, moves_.list.size(), first_move, first_change});
        return true;
      }
      const Move move = moves_.list.back();
      moves_.list.pop_back();
      if (move.stays) break;
      node = move.to;
    }
    resting_ = node;
    return false;
  }

  double* product(std::size_t level) { return products_.data() + level * rule_.size(); }
  double* sum(std::size_t level) { return sums_.data() + level * rule_.size() * nodes_.n_targets; }

  void open(std::size_t level);
  bool make(const Move& move, std::size_t level);
  void rest(std::size_t node, std::size_t level);
  void add_interactions(std::size_t node, const double* product);
  void settle(const Move& move, std::size_t level);
  void close();
  void undo(std::size_t first_change, std::size_t end);
  double factor(Parts parts, std::size_t k) const {
    return parts.known * rule_.point[k] + parts.unknown * (1.0 - rule_.point[k]);
  }
  // What knowing the column adds to a product, as a share of it.
  double slope(Parts parts, std::size_t k) const {
    return parts.depend() ? (parts.known - parts.unknown) / factor(parts, k) : 0.0;
  }

  const Router* router_;
  Targeted nodes_;
  Quadrature rule_;
  std::vector<Parts> parts_;              // of each column, on the way to here
  std::vector<std::uint32_t> n_touched_;  // of each column: by how many moves
  std::size_t most_steps_;
  std::vector<std::uint32_t> on_way_{};  // the columns that were touched
  std::vector<double> slopes_, pair_slopes_{};
  std::vector<double> products_{}, sums_{};  // level after level, point after point
  Moves moves_{};
  std::vector<Frame> frames_{};
  std::size_t resting_ = 0, n_steps_ = 0;
  double scale_ = 1.0;
  Found found_{};
};

}  // namespace arboretum
