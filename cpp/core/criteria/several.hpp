// Several outputs: one set of questions for targets of several kinds. The score of a cut is the sum over the outputs of
// what their own criteria score, each in units of the output's impurity at the root:
//   sum_j  share_j * (W_j(node) / W_j(root)) * decrease_j / impurity_j(root).
// The terms are added in the order of their size, so that the order of the outputs does not show. No order of levels is
// sure to hold the best subset: beyond the exhaustive limit, the order of each output is tried, and that of the first
// principal direction of the levels' means (Coppersmith, Hong and Hosking 1999 do so for the shares of many classes).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "core/criteria/on_classes.hpp"
#include "core/criteria/on_moments.hpp"
#include "core/grow/chance.hpp"

namespace arboretum {

// An output that can gain something, as the search sees it.
template <class C>
struct OutputOf {
  C criterion;
  Targets targets;
  double unit = 1.0;  // what a decrease of its impurity counts, times the weight that it is for
};

// A row of some node: where its encoded targets lie, and its weight, which limits count.
struct PlaceTarget {
  Row place = 0;
  Fixed weight = 0;
};

// The targets of some rows for all outputs of one kind, side by side, each output on its scale.
template <class C>
struct Encoded {
  std::vector<typename C::NodeScale> scales;
  std::vector<typename C::Target> rows;

  std::span<const typename C::Target> at(Row place, std::size_t output) const {
    return {rows.data() + std::size_t{place} * scales.size() + output, 1};
  }
};

// A value for each output of classes, and for each of numbers.
template <template <class> class Of>
using ForEach = std::tuple<Of<ClassCriterion>, Of<MomentsCriterion>>;

template <class C>
using OutputsOf = std::vector<OutputOf<C>>;
template <class C>
using NodesOf = std::vector<typename C::NodeTargets>;
template <class C>
using BucketsOf = std::vector<typename C::Bucket>;

struct SeveralScale {
  WeightScale weight;
  double heaviest = 0.0;
  std::shared_ptr<const ForEach<Encoded>> encoded;
};

struct SeveralNode {
  SeveralScale scale;
  ForEach<NodesOf> outputs;
  std::vector<double> factors;  // of each output: what its score counts here; first the classes, then the numbers
  Fixed total = 0;
  Row n = 0;

  Row n_rows() const { return n; }
  Fixed fixed_weight() const { return total; }
  double weight() const { return static_cast<double>(total) * scale.weight.unit; }
};

// Adds up in the order of size.
inline double sum_of(std::vector<double>& terms) {
  if (terms.size() > 2) std::ranges::sort(terms);
  double sum = 0.0;
  for (const double term : terms) sum += term;
  return sum;
}

struct Several {
  static constexpr TargetKind target = TargetKind::numbers;
  static constexpr bool first_level_goes_left = true;
  using Plain = Several;
  using Target = PlaceTarget;
  using NodeScale = SeveralScale;
  using NodeTargets = SeveralNode;
  struct Bucket {
    ForEach<BucketsOf> outputs;
    Fixed weight = 0;
    Row n_rows = 0;
  };

  ForEach<OutputsOf> outputs;
  double root_weight = 1.0;

  std::size_t n_outputs() const { return of<ClassCriterion>().size() + of<MomentsCriterion>().size(); }

  template <class C>
  const OutputsOf<C>& of() const {
    return std::get<OutputsOf<C>>(outputs);
  }

  // Calls visit(output, its kind, its number among those of the kind) for each.
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t i = 0; i < of<ClassCriterion>().size(); ++i)
      visit(of<ClassCriterion>()[i], std::type_identity<ClassCriterion>{}, i);
    for (std::size_t i = 0; i < of<MomentsCriterion>().size(); ++i)
      visit(of<MomentsCriterion>()[i], std::type_identity<MomentsCriterion>{}, i);
  }

  SeveralScale encode_rows(const Targets& source, std::span<const Row> rows, std::span<PlaceTarget> targets) const {
    Extent weights;
    for (const Row row : rows) weights.add(source.weight(row));
    const WeightScale weight = choose_weight_scale(weights, static_cast<double>(rows.size()), [&](auto&& read) {
      for (const Row row : rows) read(source.weight(row));
    });
    for (std::size_t i = 0; i < rows.size(); ++i)
      targets[i] = {static_cast<Row>(i), weight.fixed(source.weight(rows[i]))};
    ForEach<Encoded> encoded;
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      Encoded<C>& own = std::get<Encoded<C>>(encoded);
      std::vector<typename C::Target> column(rows.size());
      own.scales.push_back(output.criterion.encode_rows(output.targets, rows, column));
      own.rows.resize(rows.size() * of<C>().size());
      for (std::size_t row = 0; row < rows.size(); ++row) own.rows[row * of<C>().size() + i] = column[row];
    });
    return {weight, weights.highest, std::make_shared<const ForEach<Encoded>>(std::move(encoded))};
  }

  bool coarse(const SeveralScale& scale, const Targets& source, std::span<const Row> rows) const {
    bool found = !scale.weight.exact && std::ranges::all_of(rows, [&](Row row) {
      return Spread{0.0, source.weight(row)}.much_less_than({0.0, scale.heaviest});
    });
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      found = found || output.criterion.coarse(std::get<Encoded<C>>(*scale.encoded).scales[i], output.targets, rows);
    });
    return found;
  }

  SeveralNode open(const SeveralScale& scale, const Targets&, std::span<const Row> ids,
                   std::span<const PlaceTarget> rows) const {
    return node_of(scale, rows, [&]<class C>(const OutputOf<C>& output, const auto& own, auto column) {
      return output.criterion.open(own, output.targets, ids, column);
    });
  }
  SeveralNode known(const SeveralNode& node, std::span<const PlaceTarget> rows) const {
    std::vector<std::size_t> next(2);
    return node_of(node.scale, rows, [&]<class C>(const OutputOf<C>& output, const auto&, auto column) {
      const auto& nodes = std::get<NodesOf<C>>(node.outputs);
      return output.criterion.known(nodes[next[std::is_same_v<C, MomentsCriterion>]++], column);
    });
  }

  Bucket bucket(const SeveralNode& node, std::span<const PlaceTarget> rows) const {
    Bucket bucket;
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      const std::vector<typename C::Target> column = column_of<C>(node.scale, rows, i);
      std::get<BucketsOf<C>>(bucket.outputs).push_back(output.criterion.bucket(node_of<C>(node, i), column));
    });
    for (const PlaceTarget& row : rows) bucket.weight += row.weight, ++bucket.n_rows;
    return bucket;
  }

  bool admits(const Bucket& part) const {
    bool all = true;
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      all = all && output.criterion.admits(std::get<BucketsOf<C>>(part.outputs)[i]);
    });
    return all;
  }
  bool homogeneous(const SeveralNode& node) const {
    bool all = true;
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      all = all && output.criterion.homogeneous(node_of<C>(node, i));
    });
    return all;
  }

  double score_parts(const SeveralNode& node, std::span<const Bucket> parts) const {
    std::vector<double> terms;
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      BucketsOf<C> own;
      for (const Bucket& part : parts) own.push_back(std::get<BucketsOf<C>>(part.outputs)[i]);
      terms.push_back(node.factors[terms.size()] * output.criterion.score_parts(node_of<C>(node, i), own));
    });
    return sum_of(terms);
  }
  double decrease(double score, const SeveralNode& node) const { return score * (root_weight / node.weight()); }

  // What questions about so many levels score by chance: expectations add up. An output with nothing left to gain adds
  // nothing.
  double by_chance(const GrowOptions& options, const SeveralNode& node, std::span<const PlaceTarget> rows,
                   std::size_t n_levels) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    std::vector<double> terms;
    std::size_t place = 0;
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      const std::vector<typename C::Target> column = column_of<C>(node.scale, rows, i);
      const auto targets = std::span<const typename C::Target>{column};
      const Chance chance = chance_of(output.criterion, node_of<C>(node, i), targets);
      const double score = score_by_chance(options, chance, n_levels), factor = node.factors[place++];
      if (score < never) terms.push_back(factor * score);
    });
    return terms.empty() ? never : sum_of(terms);
  }

  bool orders_exactly(const SeveralNode&, std::span<const Bucket>, const Bucket*) const { return false; }
  std::uint32_t n_orders(const SeveralNode& node) const {
    std::uint32_t n = 0;
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      n += output.criterion.n_orders(node_of<C>(node, i));
    });
    return n;
  }
  bool ties(const SeveralNode&, const Bucket&, const Bucket&) const { return false; }
  bool comes_before(const SeveralNode& node, const Bucket& a, const Bucket& b, std::uint32_t order) const {
    bool found = false, before = false;
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      if (found) return;
      const std::uint32_t n = output.criterion.n_orders(node_of<C>(node, i));
      found = order < n;
      if (!found) order -= n;
      else
        before = output.criterion.comes_before(node_of<C>(node, i), std::get<BucketsOf<C>>(a.outputs)[i],
                                               std::get<BucketsOf<C>>(b.outputs)[i], order);
    });
    return before;
  }

  // Where the levels lie along the first principal direction of their means: of numbers, in units of the root's spread,
  // and of the shares of classes.
  std::vector<double> positions(const SeveralNode& node, std::span<const Bucket> levels) const {
    std::vector<std::vector<double>> means(levels.size());  // by level, each time the square root of its weight
    auto add = [&](double scale, auto&& part_of, auto&& weight_of, double whole) {
      for (std::size_t b = 0; b < levels.size(); ++b) {
        const auto weight = static_cast<double>(weight_of(b));
        means[b].push_back(scale * (static_cast<double>(part_of(b)) / weight - whole) * std::sqrt(weight));
      }
    };
    std::vector<double> roots;
    for (const Bucket& level : levels) roots.push_back(std::sqrt(static_cast<double>(level.weight)));
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      const auto& whole = node_of<C>(node, i).total;
      auto own = [&](std::size_t b) -> const auto& { return std::get<BucketsOf<C>>(levels[b].outputs)[i]; };
      auto weight_of = [&](std::size_t b) { return own(b).weight; };
      const auto weight = static_cast<double>(whole.weight);
      if constexpr (C::target == TargetKind::classes) {
        for (std::size_t k = 0; k < whole.n_classes(); ++k)
          add(
              std::sqrt(output.unit), [&](std::size_t b) { return own(b).counts[k]; }, weight_of,
              static_cast<double>(whole.counts[k]) / weight);
      } else {
        const RealScale& scale = node_of<C>(node, i).scale;
        add(
            std::sqrt(output.unit) * (scale.product.unit / scale.weight.unit),
            [&](std::size_t b) { return own(b).sum; }, weight_of, static_cast<double>(whole.sum) / weight);
      }
    });
    const std::vector<double> direction = principal_direction(means);
    std::vector<double> found(levels.size());
    for (std::size_t b = 0; b < levels.size(); ++b) {
      for (std::size_t d = 0; d < direction.size(); ++d) found[b] += means[b][d] * direction[d];
      found[b] /= roots[b];
    }
    return found;
  }

  class Sweep {
   public:
    Sweep(const Several& criterion, const SeveralNode& node) : node_{&node} {
      criterion.each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
        std::get<SweepsOf<C>>(sweeps_).emplace_back(output.criterion, node_of<C>(node, i));
      });
    }

    void pass(std::span<const PlaceTarget> rows) {
      for (const PlaceTarget& row : rows) {
        weight_ += row.weight, ++n_rows_;
        each([&]<class C>(typename C::Sweep& sweep, std::type_identity<C>, std::size_t i) {
          sweep.pass(std::get<Encoded<C>>(*node_->scale.encoded).at(row.place, i));
        });
      }
    }
    void pass(const Bucket& bucket) {
      weight_ += bucket.weight, n_rows_ += bucket.n_rows;
      each([&]<class C>(typename C::Sweep& sweep, std::type_identity<C>, std::size_t i) {
        sweep.pass(std::get<BucketsOf<C>>(bucket.outputs)[i]);
      });
    }
    void take_back(const Bucket& bucket) {
      weight_ -= bucket.weight, n_rows_ -= bucket.n_rows;
      each([&]<class C>(typename C::Sweep& sweep, std::type_identity<C>, std::size_t i) {
        sweep.take_back(std::get<BucketsOf<C>>(bucket.outputs)[i]);
      });
    }
    double score() const {
      terms_.clear();
      for (const auto& sweep : std::get<0>(sweeps_)) terms_.push_back(node_->factors[terms_.size()] * sweep.score());
      for (const auto& sweep : std::get<1>(sweeps_)) terms_.push_back(node_->factors[terms_.size()] * sweep.score());
      return sum_of(terms_);
    }
    Row n_rows() const { return n_rows_; }
    Fixed weight() const { return weight_; }
    bool admissible() const {
      return std::ranges::all_of(std::get<1>(sweeps_), [](const auto& sweep) { return sweep.admissible(); });
    }
    // Monotone constraints are refused.
    double left_value() const { return 0.0; }
    double right_value() const { return 0.0; }

   private:
    template <class C>
    using SweepsOf = std::vector<typename C::Sweep>;

    template <class Visit>
    void each(Visit&& visit) {
      auto& [classes, numbers] = sweeps_;
      for (std::size_t i = 0; i < classes.size(); ++i) visit(classes[i], std::type_identity<ClassCriterion>{}, i);
      for (std::size_t i = 0; i < numbers.size(); ++i) visit(numbers[i], std::type_identity<MomentsCriterion>{}, i);
    }

    const SeveralNode* node_;
    ForEach<SweepsOf> sweeps_;
    mutable std::vector<double> terms_;
    Fixed weight_ = 0;
    Row n_rows_ = 0;
  };

 private:
  template <class C>
  static const typename C::NodeTargets& node_of(const SeveralNode& node, std::size_t i) {
    return std::get<NodesOf<C>>(node.outputs)[i];
  }

  // The targets of one output, one after the other.
  template <class C>
  static std::vector<typename C::Target> column_of(const SeveralScale& scale, std::span<const PlaceTarget> rows,
                                                   std::size_t i) {
    const Encoded<C>& encoded = std::get<Encoded<C>>(*scale.encoded);
    std::vector<typename C::Target> column;
    column.reserve(rows.size());
    for (const PlaceTarget& row : rows) column.push_back(encoded.at(row.place, i).front());
    return column;
  }

  template <class Read>
  SeveralNode node_of(const SeveralScale& scale, std::span<const PlaceTarget> rows, Read&& read) const {
    SeveralNode node;
    node.scale = scale, node.n = static_cast<Row>(rows.size());
    for (const PlaceTarget& row : rows) node.total += row.weight;
    each([&]<class C>(const OutputOf<C>& output, std::type_identity<C>, std::size_t i) {
      std::vector<typename C::Target> column = column_of<C>(scale, rows, i);
      const auto& own_scale = std::get<Encoded<C>>(*scale.encoded).scales[i];
      auto& nodes = std::get<NodesOf<C>>(node.outputs);
      nodes.push_back(read(output, own_scale, std::span<typename C::Target>{column}));
      const auto& own = nodes.back();
      node.factors.push_back(output.unit * own.weight() * output.criterion.decrease(1.0, own));
    });
    return node;
  }

  // By powers of the matrix M'M, from its longest row, which cannot be at right angles to what is looked for but by
  // accident.
  static std::vector<double> principal_direction(const std::vector<std::vector<double>>& rows) {
    constexpr int n_steps = 60;
    auto length = [](const std::vector<double>& row) {
      double sum = 0.0;
      for (const double x : row) sum += x * x;
      return std::sqrt(sum);
    };
    std::vector<double> direction =
        *std::ranges::max_element(rows, {}, [&](const std::vector<double>& row) { return length(row); });
    for (int step = 0; step < n_steps; ++step) {
      std::vector<double> next(direction.size());
      for (const std::vector<double>& row : rows) {
        double along = 0.0;
        for (std::size_t d = 0; d < row.size(); ++d) along += row[d] * direction[d];
        for (std::size_t d = 0; d < row.size(); ++d) next[d] += row[d] * along;
      }
      const double size = length(next);
      if (!(size > 0.0)) break;
      for (double& x : next) x /= size;
      direction = std::move(next);
    }
    return direction;
  }
};

}  // namespace arboretum
