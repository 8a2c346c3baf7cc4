// Which source grows a tree: the fast one where it knows the summaries, else the plain one. Both give the same tree.
#pragma once
#include "core/grow/grow.hpp"
#include "core/grow/grow_tree.hpp"
#include "core/sources/count_source.hpp"
#include "core/sources/fast_source.hpp"

namespace arboretum {

// One thread grows the top of the tree, helped by the others column by column; then every thread takes whole subtrees.
template <class S, Criterion C>
Tree grow_with(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
               Interrupt& interrupt) {
  using Source = FastSource<C, S>;
  using Fast = FastCriterion<C, S>;
  const Fast fast{criterion};
  FastRows<S> rows = Source::read(data, targets, options, interrupt);
  Source source{data, targets, fast, options, interrupt, rows, options.n_threads};
  TreeBuilder tree{!options.monotone.empty()};
  auto root = source.root();
  const double root_weight = source.open(root).weight();

  struct Subtree {
    OpenNode<Source> open;
    std::vector<std::uint32_t> columns;
    std::optional<TreeBuilder> grown{};
  };
  std::vector<Subtree> subtrees;
  const bool share_subtrees = options.n_threads > 1 && options.order == Order::depth_first;
  const Row most_rows = share_subtrees ? data.n_rows / (8 * options.n_threads) : 0;
  Grower<Source, Fast>{source, fast, options, interrupt, tree}.grow(
      std::move(root), root_weight, [&](OpenNode<Source>& open) {
        if (open.node.range.size() > most_rows || open.node.loaded) return false;
        std::vector<std::uint32_t> columns = source.columns_of_node(open.node);
        subtrees.push_back({std::move(open), std::move(columns)});
        return true;
      });

  Interrupt never;  // has nobody to ask, so threads may share it
  std::vector<std::optional<Source>> sources(options.n_threads);
  share(options.n_threads, subtrees.size(), [&](std::size_t i, unsigned worker) {
    Interrupt& own = worker == 0 ? interrupt : never;
    std::optional<Source>& place = sources[worker];
    if (!place) place.emplace(data, targets, fast, options, own, rows, 1u);
    Subtree& subtree = subtrees[i];
    subtree.grown.emplace(!options.monotone.empty());
    auto node = place->adopt(std::move(subtree.open.node), subtree.columns);
    Grower<Source, Fast>{*place, fast, options, own, *subtree.grown}.grow(std::move(node), root_weight,
                                                                          [](auto&) { return false; });
  });
  for (Subtree& subtree : subtrees) tree.graft(subtree.open.id, *std::move(subtree.grown));
  rows.targets = {}, rows.columns = {};  // makes room: a tree may be larger than its table
  return report(std::move(tree), targets, criterion, options, source);
}

// Tables of nominal columns, level by level. Nothing if the options or the table ask for more.
template <class S, Criterion C>
std::optional<Tree> grow_by_counting(const Dataset& data, const Targets& targets, const C& criterion,
                                     const GrowOptions& options, Interrupt& interrupt) {
  using Source = CountSource<C, S>;
  if (!Source::can_grow(data, targets, options)) return std::nullopt;
  const CountCriterion<C, S> counting;
  Source source{data, targets, counting, options, interrupt};
  if (source.has_missing() && options.leaves_aside()) return std::nullopt;
  TreeBuilder tree{false};
  Grower<Source, CountCriterion<C, S>>{source, counting, options, interrupt, tree}.grow(
      source.root(), static_cast<double>(data.n_rows), [](auto&) { return false; });
  return report(std::move(tree), targets, criterion, options, source);
}

// Each pair of criterion and summary costs compile time: the less used criteria make do with larger summaries.
template <class C>
inline constexpr std::size_t least_classes = std::is_same_v<C, Gini>      ? 2
                                             : std::is_same_v<C, Entropy> ? 8
                                                                          : 32;

// More classes than the largest summary holds, medians, fixed buckets, and all that looks beyond the best two-way split
// are left to the plain source.
template <class C>
Tree grow(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
          Interrupt& interrupt) {
  const bool exact = options.max_bins == std::numeric_limits<std::uint32_t>::max();
  const bool plain = options.competitors > 0 || options.leaves_aside() || options.ratio.decides ||
                     options.nominal == Nominal::multiway || options.searches();
  if (options.fast && exact && !plain) {
    auto with = [&]<class S>(std::type_identity<S>) {
      return grow_with<S>(data, targets, criterion, options, interrupt);
    };
    if constexpr (C::target == TargetKind::classes) {
      constexpr std::size_t least = least_classes<C>;
      const std::size_t n = targets.n_classes;
      if (targets.weights.empty()) {
        if constexpr (least <= 8) {
          if (n <= 2) return with(std::type_identity<TwoCounts>{});
          if (n <= 8) return with(std::type_identity<UnitCounts<8>>{});
        }
        if constexpr (least <= 2) {
          if (n <= 16) return with(std::type_identity<UnitCounts<16>>{});
        }
        if (n <= 32) return with(std::type_identity<UnitCounts<32>>{});
      } else {
        if constexpr (least <= 2) {
          if (n <= 2) return with(std::type_identity<WeightCounts<2>>{});
        }
        if constexpr (least <= 8) {
          if (n <= 8) return with(std::type_identity<WeightCounts<8>>{});
        }
        if (n <= 32) return with(std::type_identity<WeightCounts<32>>{});
      }
    } else if constexpr (std::is_same_v<C, SquaredError>) {
      if (targets.weights.empty()) return with(std::type_identity<UnitSums>{});
      return with(std::type_identity<Sums>{});
    } else if constexpr (std::is_same_v<C, Poisson>) {
      return with(std::type_identity<Sums>{});
    }
  }
  if constexpr (C::target == TargetKind::classes) {
    if (options.fast && options.nominal == Nominal::multiway && !options.searches() && targets.n_classes <= 32) {
      std::optional<Tree> tree;
      if (targets.n_classes <= 2) tree = grow_by_counting<TwoCounts>(data, targets, criterion, options, interrupt);
      else if (targets.n_classes <= 8)
        tree = grow_by_counting<UnitCounts<8>>(data, targets, criterion, options, interrupt);
      else tree = grow_by_counting<UnitCounts<32>>(data, targets, criterion, options, interrupt);
      if (tree) return *std::move(tree);
    }
  }
  return grow_tree(data, targets, criterion, options, interrupt);
}

}  // namespace arboretum
