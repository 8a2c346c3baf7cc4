// Reduced-error pruning: nodes become leaves where that does not harm, or helps, on rows the tree was not grown from.
// A node's own cost is that of its rows if it were a leaf, its subtree's cost theirs at the leaves below.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/prune/shape.hpp"
#include "core/twofold.hpp"

namespace arboretum {

enum class PruneOrder : std::uint8_t { greedy, leaves, bottom_up };

struct PruneStep {
  NodeId node = no_node;
  double before = 0.0, after = 0.0;
  bool pruned = false;
};

class ReducedError {
 public:
  // `resting` is the part of a node's cost that is due to rows which go no further; empty: there are none.
  ReducedError(const Shape& shape, std::span<const double> own, std::span<const double> resting)
      : shape_{shape}, own_{own}, subtree_(shape.size()), leaf_(shape.size()), gone_(shape.size()) {
    for (std::size_t node = shape.size(); node-- > 0;) {
      leaf_[node] = shape.is_leaf(node);
      if (leaf_[node]) subtree_[node] = Twofold{own[node]};
      else if (!resting.empty()) subtree_[node] += resting[node];
      tolerance_ = std::max(tolerance_, 1e-12 * std::abs(own[node]));
      if (node > 0) subtree_[shape.above(node)] += subtree_[node];
    }
  }

  template <class Poll>
  std::vector<PruneStep> prune(PruneOrder order, Poll&& poll) {
    switch (order) {
      case PruneOrder::greedy: prune_greedily(poll); break;
      case PruneOrder::leaves: prune_from_leaves(poll); break;
      case PruneOrder::bottom_up: prune_bottom_up(poll); break;
    }
    return std::move(steps_);
  }
  const std::vector<std::uint8_t>& leaves() const { return leaf_; }

 private:
  // What making the node a leaf saves. Sums have twice the digits, so that the same tree costs the same, however it
  // came about.
  Twofold saving(std::size_t node) const { return subtree_[node] - Twofold{own_[node]}; }
  // Nothing where the difference is one of rounding: parts of divided rows add up to a row, or nearly.
  double saved(std::size_t node) const {
    const double value = saving(node).value();
    return std::abs(value) <= tolerance_ ? 0.0 : value;
  }
  double total() const { return subtree_[0].value(); }
  double total_with_leaf(std::size_t node) const { return (subtree_[0] - saving(node)).value(); }

  template <class Changed>
  void make_leaf(std::size_t node, Changed&& changed) {
    const Twofold less = saving(node);
    leaf_[node] = 1, subtree_[node] = Twofold{own_[node]};
    changed(node);
    for (std::size_t at = node; at != 0;) {
      at = shape_.above(at);
      subtree_[at] = subtree_[at] - less;
      changed(at);
    }
  }
  void make_leaf(std::size_t node) {
    make_leaf(node, [](std::size_t) {});
  }

  // A tournament over all nodes, so that a change costs log n: the winner saves most; ties go to the lower number.
  class Tournament {
   public:
    Tournament(std::size_t n, const ReducedError& game) : game_{game} {
      while (size_ < n) size_ *= 2;
      winner_.assign(2 * size_, no_node);
      for (std::size_t node = 0; node < n; ++node)
        if (!game.leaf_[node]) winner_[size_ + node] = static_cast<NodeId>(node);
      for (std::size_t place = size_; place-- > 1;) play(place);
    }
    NodeId winner() const { return winner_[1]; }
    void replay(std::size_t node, bool takes_part) {
      winner_[size_ + node] = takes_part ? static_cast<NodeId>(node) : no_node;
      for (std::size_t place = (size_ + node) / 2; place >= 1; place /= 2) play(place);
    }

   private:
    void play(std::size_t place) {
      const NodeId a = winner_[2 * place], b = winner_[2 * place + 1];
      const bool second = a == no_node || (b != no_node && game_.saved(static_cast<std::size_t>(b)) >
                                                               game_.saved(static_cast<std::size_t>(a)));
      winner_[place] = second ? b : a;
    }
    const ReducedError& game_;
    std::size_t size_ = 1;
    std::vector<NodeId> winner_;
  };

  template <class Poll>
  void prune_greedily(Poll&& poll) {
    Tournament tournament{shape_.size(), *this};
    std::vector<std::size_t> open;
    while (tournament.winner() != no_node) {
      poll();
      const auto node = static_cast<std::size_t>(tournament.winner());
      const bool harmless = saved(node) >= 0.0;
      const double before = total();
      if (!harmless) {
        steps_.push_back({static_cast<NodeId>(node), before, total_with_leaf(node), false});
        return;
      }
      open.assign(1, node);  // everything below is out of the game
      while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (at != node && leaf_[at]) continue;
        for (std::int32_t c = 0; c < shape_.n_children[at]; ++c) open.push_back(shape_.child(at, c));
        if (at != node) leaf_[at] = 1, tournament.replay(at, false);
      }
      make_leaf(node, [&](std::size_t at) { tournament.replay(at, !leaf_[at]); });
      steps_.push_back({static_cast<NodeId>(node), before, total(), true});
    }
  }

  // Leaves from left to right; a node that becomes a leaf waits behind them.
  template <class Poll>
  void prune_from_leaves(Poll&& poll) {
    std::deque<std::size_t> waiting;
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      if (shape_.is_leaf(node)) waiting.push_back(node);
      for (std::int32_t c = shape_.n_children[node]; c-- > 0;) open.push_back(shape_.child(node, c));
    }
    for (; !waiting.empty(); waiting.pop_front()) {
      poll();
      const std::size_t leaf = waiting.front();
      if (leaf == 0 || is_gone(leaf)) continue;
      const std::size_t node = shape_.above(leaf);
      const double before = total(), after = total_with_leaf(node);
      const bool better = saved(node) > 0.0;
      steps_.push_back({static_cast<NodeId>(node), before, after, better});
      if (!better) continue;
      make_leaf(node);
      waiting.push_back(node);
    }
  }

  // Whether a node above has become a leaf; what was found is remembered.
  bool is_gone(std::size_t node) {
    path_.clear();
    bool gone = false;
    for (std::size_t at = node; at != 0 && !gone; at = shape_.above(at)) {
      path_.push_back(at);
      gone = gone_[at] || leaf_[shape_.above(at)];
    }
    if (gone)
      for (std::size_t at : path_) gone_[at] = 1;
    return gone;
  }

  template <class Poll>
  void prune_bottom_up(Poll&& poll) {
    struct Visit {
      std::size_t node;
      std::int32_t n_seen = 0;
    };
    std::vector<Visit> path{{0}};
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::size_t node = visit.node;
      if (visit.n_seen < shape_.n_children[node]) {
        path.push_back({shape_.child(node, visit.n_seen++)});
        continue;
      }
      path.pop_back();
      if (shape_.is_leaf(node)) continue;
      poll();
      const bool harmless = saved(node) >= 0.0;
      steps_.push_back({static_cast<NodeId>(node), total(), total_with_leaf(node), harmless});
      if (harmless) make_leaf(node);
    }
  }

  const Shape& shape_;
  std::span<const double> own_;
  std::vector<Twofold> subtree_;
  double tolerance_ = 0.0;
  std::vector<std::uint8_t> leaf_, gone_;
  std::vector<std::size_t> path_;
  std::vector<PruneStep> steps_;
};

}  // namespace arboretum
