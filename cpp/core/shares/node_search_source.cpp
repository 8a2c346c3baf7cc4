#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "core/grow/stopping.hpp"
#include "core/registry.hpp"
#include "core/shares/node_search.hpp"
#include "core/sources/cut_search.hpp"
#include "core/sources/fast_rows.hpp"
#include "core/sources/fast_summary.hpp"

namespace arboretum {
namespace {

// Of so many rows, single values are told apart; of more, so many steps.
constexpr Row most_single_rows = 4096;
constexpr std::uint64_t n_steps = 256;

template <class S>
S summary_from(const std::byte* bytes) {
  S summary;
  std::memcpy(&summary, bytes, sizeof(S));
  return summary;
}

template <class S>
std::vector<std::byte> bytes_of(const S& summary) {
  std::vector<std::byte> bytes(sizeof(S));
  std::memcpy(bytes.data(), &summary, sizeof(S));
  return bytes;
}

// The finest view of these codes that has about as many buckets as so many rows deserve.
View view_of(Code first, Code end, std::uint32_t wanted) {
  View view{first, 0, end - first};
  while (((end - first) >> view.shift) > wanted + wanted / 2) ++view.shift;
  view.n_buckets = (end - first + (1u << view.shift) - 1) >> view.shift;
  return view;
}

template <class C, class S>
class NodeSearchOf : public NodeSearch {
 public:
  NodeSearchOf(C criterion, const GrowOptions& options, const SharedColumns& columns, const SharedNode& node)
      : criterion_{std::move(criterion)},
        options_{options},
        columns_{columns},
        depth_{node.depth},
        scale_{node.scale},
        same_targets_{node.same_targets},
        targets_{FastSummary<S>{summary_from<S>(node.total.data()), scale_}},
        root_weight_{node.root_weight > 0.0 ? node.root_weight : targets_.weight()},
        limits_{limits_of(options, targets_)},
        cuts_{criterion_, options, columns.data, columns.coded},
        histograms_(columns.coded.size()) {}

  bool is_leaf() const override { return is_pure() || must_stop(options_, depth_, n_rows(), weight()); }
  Row n_rows() const override { return targets_.n_rows(); }
  double weight() const override { return targets_.weight(); }
  double impurity() const override {
    if constexpr (on_classes) return C::impurity_of(targets_.total);
    else return 0.0;
  }
  std::vector<double> counts() const override {
    std::vector<double> counts;
    if constexpr (on_classes)
      for (std::uint32_t k = 0; k < criterion_.plain.n_classes; ++k) counts.push_back(real(targets_.total.count(k)));
    return counts;
  }

  void set_chance(const ChanceSums& sums) override { targets_.chance = criterion_.chance_from(targets_, sums); }

  void sweep(std::span<const View> views, std::span<const std::byte> buckets, Interrupt& interrupt) override {
    take(views, buckets);
    each_varying([&](std::uint32_t f) {
      interrupt.poll();
      if (columns_.coded[f].kind == Kind::nominal) cuts_.search_levels(here(f), best_, interrupt);
      else cuts_.sweep_borders(here(f), best_, interrupt);
    });
    each_varying([&](std::uint32_t f) {
      const CoarseColumn& column = columns_.coded[f];
      const View& view = histograms_[f].view;
      if (column.kind == Kind::nominal || (column.all_single && view.shift == 0)) return;
      cuts_.each_hopeful(here(f), best_, nullptr, [&](std::uint32_t b, const Sweep& apart, const Sweep&) {
        const Code first = view.first_code(b), last = std::min(view.first_code(b + 1), column.n_codes) - 1;
        add_interval(f, first_key(column, first), last_key(column, last), apart.left(), histograms_[f].buckets[b]);
      });
    });
  }

  std::vector<View> views_for(Row n_rows) const override {
    std::vector<View> views(columns_.coded.size());
    const std::uint32_t wanted = n_buckets_for<S>(n_rows);
    each_varying([&](std::uint32_t f) {
      const CoarseColumn& column = columns_.coded[f];
      const View& own = histograms_[f].view;
      if (column.kind == Kind::nominal) views[f] = own;
      else views[f] = view_of(own.first, std::min(own.first_code(own.n_buckets), column.n_codes), wanted);
      // Where the buckets of this node are nearly as fine, they can be shared out among the children.
      if (views[f].shift < own.shift && own.n_buckets * 3 > wanted) views[f] = own;
    });
    return views;
  }

  std::vector<View> views_beside_sibling(std::span<const View> views) const override {
    check_columns(views);
    std::vector<View> beside(views.begin(), views.end());
    for (std::size_t f = 0; f < beside.size(); ++f)
      if (is_known(f, beside[f])) beside[f] = {};
    return beside;
  }

  std::vector<std::byte> beside_sibling(std::span<const View> views, std::span<const std::byte> sibling,
                                        std::span<const std::byte> counted) const override {
    check_columns(views);
    std::size_t n_buckets = 0, n_counted = 0;
    for (std::size_t f = 0; f < views.size(); ++f) {
      n_buckets += n_filled(views[f]);
      if (!is_known(f, views[f])) n_counted += n_filled(views[f]);
    }
    if (sibling.size() != n_buckets * sizeof(S) || counted.size() != n_counted * sizeof(S))
      throw std::invalid_argument("the buckets of children do not fit their views");
    std::vector<std::byte> found;
    found.reserve(sibling.size());
    for (std::size_t f = 0; f < views.size(); ++f) {
      const std::size_t n_bytes = n_filled(views[f]) * sizeof(S);
      if (is_known(f, views[f])) {
        append_difference(f, views[f], sibling.first(n_bytes), found);
      } else {
        found.insert(found.end(), counted.begin(), counted.begin() + static_cast<std::ptrdiff_t>(n_bytes));
        counted = counted.subspan(n_bytes);
      }
      sibling = sibling.subspan(n_bytes);
    }
    return found;
  }

  std::vector<Interval> hopeful() override {
    std::erase_if(waiting_, [&](const Waiting& part) {
      const auto [apart, along] = sweeps(part);
      return !cuts_.may_hold(apart, along, part.rows, part.interval.column, best_);
    });
    asked_ = std::move(waiting_);
    waiting_.clear();
    std::vector<Interval> intervals;
    for (const Waiting& part : asked_) intervals.push_back(part.interval);
    return intervals;
  }

  void refine(const Cells& cells) override {
    if (cells.summaries.size() != cells.cell.size() * sizeof(S))
      throw std::invalid_argument("cells have summaries of another size");
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < asked_.size(); ++i) {
      const std::size_t begin = at;
      while (at < cells.interval.size() && cells.interval[at] == i) ++at;
      refine(asked_[i], Parts{cells, columns_.coded[asked_[i].interval.column], begin}, at - begin);
    }
    if (at != cells.interval.size()) throw std::invalid_argument("cells are not in the order of their intervals");
    asked_.clear();
  }

  std::optional<SharedSplit> best() const override {
    if (!best_.found) return std::nullopt;
    SharedSplit split;
    static_cast<Split&>(split.question) = best_;
    split.question.inside = best_.inside, split.question.has_values = best_.has_values;
    split.question.low = best_.low, split.question.high = best_.high;
    split.gain = decrease(best_.score), split.corrected = decrease(best_.score - best_.by_chance);
    split.improvement = split.gain * (weight() / root_weight_);
    if (split.improvement < options_.min_decrease) return std::nullopt;
    S right = targets_.total;
    right -= best_.left;
    split.left = bytes_of(best_.left), split.right = bytes_of(right);
    return split;
  }

 private:
  using Sweep = FastSweep<C, S>;
  static constexpr bool on_classes = C::target == TargetKind::classes;

  bool is_pure() const {
    if constexpr (on_classes) return n_present(targets_.total) < 2;
    else return same_targets_;
  }
  double decrease(double score) const {
    const double all = real(targets_.total.total());
    if constexpr (on_classes) return C::decrease_of(score, all);
    else return C::decrease_of(score, all, scale_.numbers);
  }

  // Rows that may hold something better, and what lies left of them; missing rows apart.
  struct Waiting {
    Interval interval;
    S left, rows;
  };

  // The cells of one interval.
  struct Parts {
    const Cells& cells;
    const CoarseColumn& column;
    std::size_t begin;

    Key low(std::size_t i) const { return cells.low[begin + i]; }
    Key high(std::size_t i) const { return cells.high[begin + i]; }
    Code code(Key key, std::size_t) const { return code_of(column, key); }
    S summary(std::size_t i) const { return summary_from<S>(cells.summaries.data() + (begin + i) * sizeof(S)); }
  };

  static Key first_key(const CoarseColumn& column, Code code) {
    if (column.kind != Kind::numeric) return code;
    return code == 0 ? 0 : column.edges[code - 1] + 1;
  }
  static Key last_key(const CoarseColumn& column, Code code) {
    return column.kind == Kind::numeric ? column.edges[code] : Key{code};
  }

  template <class Visit>
  void each_varying(Visit&& visit) const {
    for (std::uint32_t f = 0; f < histograms_.size(); ++f)
      if (!histograms_[f].buckets.empty()) visit(f);
  }

  typename CutSearch<C, S>::Here here(std::uint32_t f) const {
    typename CutSearch<C, S>::Here at{targets_, histograms_[f], f, limits_};
    at.limits.direction = columns_.coded[f].kind == Kind::nominal ? 0 : direction_of(options_, f);
    return at;
  }

  // Bounds and limits trust these numbers.
  void check_rows(std::size_t f) const {
    std::uint64_t n = 0;
    for (const S& bucket : histograms_[f].buckets) n += bucket.n_rows();
    if (n != n_rows())
      throw std::invalid_argument("the buckets of column " + std::to_string(f) + " hold " + std::to_string(n) +
                                  " rows, those of the node " + std::to_string(n_rows()));
  }

  // With the missing rows; none where the column is of no interest.
  static std::size_t n_filled(const View& view) { return view.n_buckets > 0 ? view.n_buckets + 1 : 0; }

  void check_columns(std::span<const View> views) const {
    if (views.size() != histograms_.size())
      throw std::invalid_argument("a view for each of " + std::to_string(histograms_.size()) + " columns");
  }

  // Do the buckets of this node make up those of the view?
  bool is_known(std::size_t f, const View& view) const {
    if (histograms_[f].buckets.empty() || view.n_buckets == 0) return false;
    const View& own = histograms_[f].view;
    return view.first == own.first && view.shift >= own.shift &&
           view.first_code(view.n_buckets) >= own.first_code(own.n_buckets);
  }

  // What is left of the column, by this view, without the sibling's rows.
  void append_difference(std::size_t f, const View& view, std::span<const std::byte> sibling,
                         std::vector<std::byte>& to) const {
    const ColumnHistogram<S>& own = histograms_[f];
    std::vector<S> left(n_filled(view));
    for (std::uint32_t b = 0; b < own.view.n_buckets; ++b) left[view.bucket(own.view.first_code(b))] += own.buckets[b];
    left.back() += own.missing();
    for (std::size_t b = 0; b < left.size(); ++b) left[b] -= summary_from<S>(sibling.data() + b * sizeof(S));
    const auto bytes = std::as_bytes(std::span{left});
    to.insert(to.end(), bytes.begin(), bytes.end());
  }

  // Columns that are constant here are forgotten.
  void take(std::span<const View> views, std::span<const std::byte> buckets) {
    std::size_t n_bytes = 0;
    for (const View& view : views) n_bytes += n_filled(view) * sizeof(S);
    if (views.size() != histograms_.size() || buckets.size() != n_bytes)
      throw std::invalid_argument("buckets do not fit the views of " + std::to_string(histograms_.size()) + " columns");
    const std::byte* from = buckets.data();
    for (std::size_t f = 0; f < views.size(); ++f) {
      if (views[f].n_buckets == 0) continue;
      ColumnHistogram<S>& histogram = histograms_[f];
      histogram.view = views[f];
      histogram.buckets.resize(views[f].n_buckets + 1);
      std::memcpy(histogram.buckets.data(), from, histogram.buckets.size() * sizeof(S));
      from += histogram.buckets.size() * sizeof(S);
      check_rows(f);
      if (!varies(histogram, columns_.coded[f])) histogram.buckets.clear();
      else if (columns_.coded[f].kind != Kind::nominal) histogram.fit(n_buckets_for<S>(n_rows()));
    }
  }

  std::pair<Sweep, Sweep> sweeps(const Waiting& part) const {
    Sweep apart{criterion_, targets_};
    apart.pass(part.left);
    Sweep along = apart;
    along.pass(histograms_[part.interval.column].missing());
    return {apart, along};
  }

  void add_interval(std::uint32_t f, Key low, Key high, const S& left, const S& rows) {
    const Row n = rows.n_rows();
    waiting_.push_back({{0, f, low, high, n > most_single_rows ? n_steps : 0, n}, left, rows});
  }

  void refine(const Waiting& part, const Parts& cells, std::size_t n) {
    const auto [apart, along] = sweeps(part);
    const std::uint32_t f = part.interval.column;
    cuts_.sweep_inside(here(f), n, cells, apart, along, best_);
    S left = part.left;
    for (std::size_t i = 0; i < n; ++i) {
      if (cells.low(i) != cells.high(i)) add_interval(f, cells.low(i), cells.high(i), left, cells.summary(i));
      left += cells.summary(i);
    }
  }

  FastCriterion<C, S> criterion_;
  const GrowOptions& options_;
  const SharedColumns& columns_;
  std::uint32_t depth_;
  FastScale scale_;
  bool same_targets_;
  FastNode<C, S> targets_;
  double root_weight_;
  Limits limits_;
  CutSearch<C, S> cuts_;
  std::vector<ColumnHistogram<S>> histograms_;  // without buckets where the column is constant
  FastSplit<S> best_;
  std::vector<Waiting> waiting_, asked_;
};

template <class C>
C criterion_for(std::size_t n_classes, const GrowOptions& options) {
  C criterion;
  if constexpr (C::target == TargetKind::classes) {
    criterion.n_classes = static_cast<std::uint32_t>(n_classes);
    criterion.smoothing = {options.smoothing_m, options.smoothing_prior};
  }
  return criterion;
}

}  // namespace

std::size_t n_shared_codes(const TargetForm& form, Row n_rows) {
  std::size_t n_codes = 0;
  with_criterion(form.criterion, [&]<class C>(std::type_identity<C>) {
    with_fast_summary<C>(form.n_classes, form.weighted,
                         [&]<class S>(std::type_identity<S>) { n_codes = n_buckets_for<S>(n_rows); });
  });
  return n_codes;
}

std::vector<View> root_views(const SharedColumns& columns, std::size_t n_codes) {
  std::vector<View> views;
  for (const CoarseColumn& column : columns.coded)
    views.push_back(column.kind == Kind::nominal ? View{0, 0, column.n_codes}
                                                 : view_of(0, column.n_codes, static_cast<std::uint32_t>(n_codes)));
  return views;
}

std::unique_ptr<NodeSearch> search_node(const TargetForm& form, const GrowOptions& options,
                                        const SharedColumns& columns, const SharedNode& node) {
  std::unique_ptr<NodeSearch> search;
  with_criterion(form.criterion, [&]<class C>(std::type_identity<C>) {
    with_fast_summary<C>(form.n_classes, form.weighted, [&]<class S>(std::type_identity<S>) {
      if (node.total.size() != sizeof(S)) throw std::invalid_argument("a total has another size than summaries");
      search = std::make_unique<NodeSearchOf<C, S>>(criterion_for<C>(form.n_classes, options), options, columns, node);
    });
  });
  return search;
}

}  // namespace arboretum
