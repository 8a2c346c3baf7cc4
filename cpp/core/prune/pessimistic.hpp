// Pessimistic pruning as C4.5 does it: what a node costs is estimated from its training rows alone, by the upper limit
// of a confidence interval. Where the estimate says so, a node becomes a leaf, or its largest branch is raised to its
// place.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/dataset.hpp"
#include "core/prune/shape.hpp"
#include "core/route.hpp"

namespace arboretum {

// How many errors to expect beyond those seen: the upper limit at a one-sided confidence, of which `quantile` is that
// of the normal distribution. For less than one error it is interpolated between the exact limits for none and one.
struct ErrorLimit {
  double confidence, quantile;

  double beyond(double n, double errors) const {
    if (n <= 0.0) return 0.0;
    if (errors < 1.0) {
      const double none = n * (1.0 - std::pow(confidence, 1.0 / n));
      return errors == 0.0 ? none : none + errors * (beyond(n, 1.0) - none);
    }
    if (errors + 0.5 >= n) return std::max(n - errors, 0.0);
    const double z = quantile, share = (errors + 0.5) / n;
    const double spread = std::sqrt(share / n - share * share / n + z * z / (4 * n * n));
    return (share + z * z / (2 * n) + z * spread) / (1 + z * z / n) * n - errors;
  }
};

struct PessimisticOptions {
  ErrorLimit limit;
  bool raise = true;
  double unit = 1.0;  // the weight that counts as one row
};

// The pruned tree: node i asks what node `source[i]` of the given tree asked, unless it is a leaf. Breadth-first.
struct Regrown {
  std::vector<NodeId> source, parent;
  std::vector<std::uint8_t> leaf, moved;  // moved: its rows are others than before
  std::vector<double> counts;
  std::vector<std::int64_t> n_rows;
};

enum class PruneAction : std::uint8_t { keep, leaf, raise };

struct PessimisticStep {
  NodeId node = no_node;
  double before = 0.0, after = 0.0;  // estimated errors of the subtree, and of what takes its place
  PruneAction action = PruneAction::keep;
};

template <class Poll>
class Pessimistic {
 public:
  Pessimistic(const Router& router, const Shape& shape, const Dataset& data, const Targets& targets,
              const PessimisticOptions& options, Poll poll)
      : router_{router},
        data_{data},
        targets_{targets},
        options_{options},
        poll_{std::move(poll)},
        n_classes_{targets.n_classes},
        seen_(data.n_rows, -1),
        first_(router.divides_rows() ? data.n_rows : 0) {
    nodes_.reserve(shape.size());
    for (std::size_t node = 0; node < shape.size(); ++node) {
      Node made{.source = static_cast<NodeId>(node), .leaf = shape.is_leaf(node)};
      for (std::int32_t c = 0; c < shape.n_children[node]; ++c) made.children.push_back(shape.child(node, c));
      nodes_.push_back(std::move(made));
    }
    counts_.resize(shape.size() * n_classes_);
    Parts all(data.n_rows);
    for (Row row = 0; row < data.n_rows; ++row) all[row] = {row, targets.weight(row)};
    root_parts_ = count(0, std::move(all), false);
  }

  void prune() {
    collapse();
    std::vector<Frame> path;
    path.push_back({0, std::move(root_parts_)});
    while (!path.empty()) {
      Frame& frame = path.back();
      Node& node = nodes_[frame.node];
      if (node.leaf || (frame.next == node.children.size() && finish(frame))) {
        Parts done = std::move(frame.parts);
        path.pop_back();
        if (!path.empty()) append(path.back().back, std::move(done));
        continue;
      }
      if (frame.next == 0) frame.divided = divide(frame.node, std::move(frame.parts), frame.back);
      const std::size_t child = frame.next++;
      Parts parts = std::move(frame.divided[child]);
      path.push_back({node.children[child], std::move(parts)});  // ends the life of `frame`
    }
  }

  const std::vector<PessimisticStep>& steps() const { return steps_; }

  Regrown result() const {
    Regrown out;
    std::vector<std::size_t> order{0};
    out.parent.push_back(no_node);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Node& node = nodes_[order[i]];
      out.source.push_back(node.source), out.leaf.push_back(node.leaf), out.moved.push_back(node.moved);
      out.n_rows.push_back(node.n_rows);
      const auto own = counts_.begin() + static_cast<std::ptrdiff_t>(order[i] * n_classes_);
      out.counts.insert(out.counts.end(), own, own + static_cast<std::ptrdiff_t>(n_classes_));
      if (node.leaf) continue;
      for (std::size_t child : node.children) {
        order.push_back(child);
        out.parent.push_back(static_cast<NodeId>(i));
      }
    }
    return out;
  }

 private:
  struct Part {
    Row row;
    double weight;
  };
  using Parts = std::vector<Part>;

  struct Node {
    NodeId source;
    bool leaf;
    bool moved = false;
    std::int64_t n_rows = 0;
    std::vector<std::size_t> children{};
  };

  // A node whose subtree is being pruned. Parts are handed to the children and come back, so that they are held once.
  struct Frame {
    std::size_t node;
    Parts parts{};
    std::size_t next = 0;
    std::vector<Parts> divided{};
    Parts back{};
  };

  static void append(Parts& to, Parts parts) {
    if (to.empty()) to = std::move(parts);
    else to.insert(to.end(), parts.begin(), parts.end());
  }

  // Puts the parts of a row together that were divided below: they would multiply if they were divided again.
  Parts merged(Parts parts) {
    if (!router_.divides_rows()) return parts;
    ++stamp_;
    std::size_t n = 0;
    for (const Part part : parts) {
      if (seen_[part.row] == stamp_) parts[first_[part.row]].weight += part.weight;
      else seen_[part.row] = stamp_, first_[part.row] = static_cast<Row>(n), parts[n++] = part;
    }
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(n), parts.end());
    parts.shrink_to_fit();
    return parts;
  }

  // The parts of each child; those that go no further are put into `resting`. Parts that the question cannot send are
  // divided by the weight of those it can.
  // `parts` is taken by value to be freed on return, before the walk goes deeper.
  // NOLINTNEXTLINE(performance-unnecessary-value-param)
  std::vector<Parts> divide(std::size_t place, Parts parts, Parts& resting) {
    poll_();
    const Node& node = nodes_[place];
    const auto source = static_cast<std::size_t>(node.source);
    std::vector<Parts> divided(node.children.size());
    std::vector<double> known(node.children.size());
    double total = 0.0;
    Parts unknown;
    for (const Part& part : parts) {
      const std::int32_t child = router_.next(source, data_, part.row);
      if (child >= 0) {
        divided[static_cast<std::size_t>(child)].push_back(part);
        known[static_cast<std::size_t>(child)] += part.weight, total += part.weight;
      } else if (router_.divides_rows()) unknown.push_back(part);
      else resting.push_back(part);
    }
    for (std::size_t c = 0; c < divided.size() && !unknown.empty(); ++c) {
      const double share = total > 0.0 ? known[c] / total : 1.0 / static_cast<double>(divided.size());
      if (share > 0.0)
        for (const Part& part : unknown) divided[c].push_back({part.row, part.weight * share});
    }
    return divided;
  }

  double* counts_of(std::size_t place) { return counts_.data() + place * n_classes_; }
  const double* counts_of(std::size_t place) const { return counts_.data() + place * n_classes_; }

  // Counts the parts at the node and all below; gives the parts back.
  Parts count(std::size_t top, Parts parts, bool moved) {
    std::vector<std::pair<std::size_t, Parts>> open;
    Parts all = parts;
    open.emplace_back(top, std::move(parts));
    while (!open.empty()) {
      auto [place, here] = std::move(open.back());
      open.pop_back();
      Node& node = nodes_[place];
      std::fill_n(counts_of(place), n_classes_, 0.0);
      node.n_rows = 0, node.moved = node.moved || moved;
      ++stamp_;
      for (const Part& part : here) {
        counts_of(place)[targets_.classes[part.row]] += part.weight;
        if (seen_[part.row] != stamp_) ++node.n_rows, seen_[part.row] = stamp_;
      }
      if (node.leaf) continue;
      Parts resting;
      std::vector<Parts> divided = divide(place, std::move(here), resting);
      for (std::size_t c = 0; c < divided.size(); ++c) open.emplace_back(node.children[c], std::move(divided[c]));
    }
    return all;
  }

  struct Cost {
    double n = 0.0, errors = 0.0;
  };
  static Cost cost_of(const double* counts, std::size_t n_classes) {
    Cost cost;
    double most = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) cost.n += counts[k], most = std::max(most, counts[k]);
    cost.errors = cost.n - most;
    return cost;
  }
  double estimate(const double* counts) const { return estimate(cost_of(counts, n_classes_)); }
  double estimate(const Cost& cost) const {
    const double n = cost.n / options_.unit, errors = cost.errors / options_.unit;
    return errors + options_.limit.beyond(n, errors);
  }

  // Rows that go no further than an inner node are predicted by it.
  Cost resting_at(std::size_t place) const {
    if (router_.divides_rows()) return {};
    std::vector<double> left(counts_of(place), counts_of(place) + n_classes_);
    const auto label = std::max_element(left.begin(), left.end());
    for (const std::size_t child : nodes_[place].children)
      for (std::size_t k = 0; k < n_classes_; ++k) left[k] -= counts_of(child)[k];
    return mistakes(left, static_cast<std::size_t>(label - left.begin()));
  }
  Cost mistakes(const std::vector<double>& counts, std::size_t label) const {
    Cost cost;
    for (const double count : counts) cost.n += count;
    cost.errors = std::max(0.0, cost.n - counts[label]);
    return cost.n <= 1e-9 * options_.unit ? Cost{} : cost;  // what is left by rounding
  }

  double estimate_below(std::size_t top) const {
    double sum = 0.0;
    std::vector<std::size_t> open{top};
    while (!open.empty()) {
      const std::size_t place = open.back();
      open.pop_back();
      if (nodes_[place].leaf) sum += estimate(counts_of(place));
      else {
        sum += estimate(resting_at(place));
        open.insert(open.end(), nodes_[place].children.begin(), nodes_[place].children.end());
      }
    }
    return sum;
  }

  // What the branch would cost if it had these parts.
  double estimate_branch(std::size_t top, const Parts& parts) {
    double sum = 0.0;
    std::vector<double> counts(n_classes_);
    std::vector<std::pair<std::size_t, Parts>> open;
    open.emplace_back(top, parts);
    while (!open.empty()) {
      auto [place, here] = std::move(open.back());
      open.pop_back();
      const Node& node = nodes_[place];
      std::fill(counts.begin(), counts.end(), 0.0);
      if (node.leaf) {
        for (const Part& part : here) counts[static_cast<std::size_t>(targets_.classes[part.row])] += part.weight;
        sum += estimate(counts.data());
        continue;
      }
      Parts resting;
      for (const Part& part : here) counts[static_cast<std::size_t>(targets_.classes[part.row])] += part.weight;
      const auto label = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
      std::vector<Parts> divided = divide(place, std::move(here), resting);
      std::fill(counts.begin(), counts.end(), 0.0);
      for (const Part& part : resting) counts[static_cast<std::size_t>(targets_.classes[part.row])] += part.weight;
      sum += estimate(mistakes(counts, label));
      for (std::size_t c = 0; c < divided.size(); ++c) open.emplace_back(node.children[c], std::move(divided[c]));
    }
    return sum;
  }

  // The last among equals, as in C4.5.
  std::size_t largest_child(const Node& node) const {
    std::size_t largest = 0;
    double most = 0.0;
    for (std::size_t c = 0; c < node.children.size(); ++c) {
      const double n = cost_of(counts_of(node.children[c]), n_classes_).n;
      if (n >= most - 1e-9 * options_.unit) most = n, largest = c;
    }
    return largest;
  }

  // Subtrees that save no training error become leaves, seen from the root.
  void collapse() {
    std::vector<double> below(nodes_.size());
    for (std::size_t place = nodes_.size(); place-- > 0;) {
      if (nodes_[place].leaf) below[place] = cost_of(counts_of(place), n_classes_).errors;
      else below[place] = resting_at(place).errors;
      for (std::size_t child : nodes_[place].children) below[place] += below[child];
    }
    for (std::size_t place = 0; place < nodes_.size(); ++place) {
      const double own = cost_of(counts_of(place), n_classes_).errors;
      if (!nodes_[place].leaf && below[place] >= own - 0.001 * options_.unit) nodes_[place].leaf = true;
    }
  }

  // All children of the frame's node are done. Returns whether the node is, too; it is not once its branch was raised.
  bool finish(Frame& frame) {
    frame.parts = merged(std::move(frame.back));
    frame.back = {};
    const std::size_t place = frame.node;
    Node& node = nodes_[place];
    const double leaf = estimate(counts_of(place)), tree = estimate_below(place);
    const std::size_t largest = largest_child(node);
    const double branch =
        options_.raise ? estimate_branch(node.children[largest], frame.parts) : std::numeric_limits<double>::max();
    constexpr double slack = 0.1;
    if (leaf <= tree + slack && leaf <= branch + slack) {
      steps_.push_back({node.source, tree, leaf, PruneAction::leaf});
      node.leaf = true;
      return true;
    }
    if (branch <= tree + slack) {
      steps_.push_back({node.source, tree, branch, PruneAction::raise});
      const Node& raised = nodes_[node.children[largest]];
      const bool leaf_raised = raised.leaf;
      const NodeId source = raised.source;
      std::vector<std::size_t> children = raised.children;
      node.source = source, node.leaf = leaf_raised, node.children = std::move(children);
      frame.parts = count(place, std::move(frame.parts), true);
      frame.next = 0, frame.divided.clear();
      return node.leaf;  // then there is nothing below to prune again
    }
    steps_.push_back({node.source, tree, std::min(leaf, branch), PruneAction::keep});
    return true;
  }

  const Router& router_;
  const Dataset& data_;
  const Targets& targets_;
  PessimisticOptions options_;
  Poll poll_;
  std::size_t n_classes_;
  std::vector<Node> nodes_;
  std::vector<double> counts_;
  std::vector<std::int64_t> seen_;  // the last time that a row was met, by stamp
  std::vector<Row> first_;          // and the place of its part
  std::int64_t stamp_ = 0;
  Parts root_parts_;
  std::vector<PessimisticStep> steps_;
};

}  // namespace arboretum
