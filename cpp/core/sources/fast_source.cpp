#include "core/sources/fast_source.hpp"

#include "core/grow/grow_tree.hpp"
#include "core/sources/grow_from_sources.hpp"

namespace arboretum {

// One thread grows the top of the tree, helped by the others column by column; then every thread takes whole subtrees.
template <class S>
Tree grow_fast(const GrowInput& input, const FastForm<S>& form) {
  using Source = FastSource<S>;
  const auto& [data, targets, options, impurity, interrupt, sample] = input;
  FastRows<S> rows{data, targets, sample, options, interrupt};
  Source source{data, targets, form, options, interrupt, rows, options.n_threads};
  TreeBuilder tree{!options.monotone.empty()};
  typename Source::Node root = source.root();
  const double root_weight = root_weight_of(options, source.summarise(root).weight());

  struct Subtree {
    OpenNode<Source> open;
    std::vector<std::uint32_t> columns;
    std::optional<TreeBuilder> grown{};
  };
  std::vector<Subtree> subtrees;
  const bool share_subtrees = options.n_threads > 1 && options.order == Order::depth_first;
  const Row most_rows = share_subtrees ? rows.rows.n_rows() / (8 * options.n_threads) : 0;
  Grower<Source>{source, options, interrupt, tree}.grow(std::move(root), root_weight, [&](OpenNode<Source>& open) {
    if (open.node.range.size() > most_rows || open.node.loaded) return false;
    std::vector<std::uint32_t> columns = source.columns_of_node(open.node);
    subtrees.push_back({std::move(open), std::move(columns)});
    return true;
  });

  Interrupt never;  // has nobody to ask, so threads may share it
  std::vector<std::optional<Source>> sources(options.n_threads);
  share(options.n_threads, subtrees.size(), [&](std::size_t i, unsigned worker) {
    Interrupt& own = worker == 0 ? input.interrupt : never;
    std::optional<Source>& place = sources[worker];
    if (!place) place.emplace(input.data, input.targets, form, input.options, own, rows, 1u);
    Subtree& subtree = subtrees[i];
    subtree.grown.emplace(!input.options.monotone.empty());
    auto node = place->adopt(std::move(subtree.open.node), subtree.columns);
    Grower<Source>{*place, input.options, own, *subtree.grown}.grow(std::move(node), root_weight);
  });
  for (Subtree& subtree : subtrees) tree.graft(subtree.open.id, *std::move(subtree.grown));
  rows.targets = {}, rows.rows.columns = {};  // makes room: a tree may be larger than its table
  return report(std::move(tree), data, targets, impurity, options, source);
}

template Tree grow_fast(const GrowInput&, const FastForm<TwoCounts>&);
template Tree grow_fast(const GrowInput&, const FastForm<UnitCounts<4>>&);
template Tree grow_fast(const GrowInput&, const FastForm<UnitCounts<8>>&);
template Tree grow_fast(const GrowInput&, const FastForm<UnitCounts<16>>&);
template Tree grow_fast(const GrowInput&, const FastForm<UnitCounts<32>>&);
template Tree grow_fast(const GrowInput&, const FastForm<WeightCounts<2>>&);
template Tree grow_fast(const GrowInput&, const FastForm<WeightCounts<8>>&);
template Tree grow_fast(const GrowInput&, const FastForm<WeightCounts<32>>&);
template Tree grow_fast(const GrowInput&, const FastForm<UnitSums>&);
template Tree grow_fast(const GrowInput&, const FastForm<Sums>&);

}  // namespace arboretum
