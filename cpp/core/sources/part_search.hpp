// PartSearch: questions about a list of rows, and what becomes of the list when one of them is asked. It knows the
// table but no tree, so that a search may try what would be asked further below.
#pragma once
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/limits.hpp"
#include "core/grow/report.hpp"
#include "core/grow/row_to_child.hpp"
#include "core/grow/stopping.hpp"
#include "core/parallel.hpp"
#include "core/questions/column_questions.hpp"

namespace arboretum {

// The targets of a list of rows, laid out as a table of their own.
template <Criterion C>
class Layout {
 public:
  // Lays out a list; each row weighs its share.
  typename C::NodeTargets open(const C& criterion, const Targets& all, const std::vector<Part>& parts) {
    const std::size_t n = parts.size();
    places_.resize(n), rows_.resize(n), weights_.resize(n), targets_.resize(n);
    std::iota(places_.begin(), places_.end(), Row{0});
    classes_.resize(all.classes.empty() ? 0 : n), numbers_.resize(all.numbers.empty() ? 0 : n);
    for (std::size_t i = 0; i < n; ++i) {
      rows_[i] = parts[i].row;
      weights_[i] = parts[i].share * all.weight(parts[i].row);
      if (!classes_.empty()) classes_[i] = all.classes[parts[i].row];
      if (!numbers_.empty()) numbers_[i] = all.numbers[parts[i].row];
    }
    const Targets here{.classes = classes_, .n_classes = all.n_classes, .numbers = numbers_, .weights = weights_};
    const auto scale = criterion.encode_rows(here, places_, targets_);
    return criterion.open(scale, here, places_, targets_);
  }

  std::span<const typename C::Target> targets() const { return targets_; }
  std::span<const Row> rows() const { return rows_; }

 private:
  std::vector<Row> places_, rows_;
  std::vector<std::int32_t> classes_;
  std::vector<double> numbers_, weights_;
  std::vector<typename C::Target> targets_;
};

template <Criterion C>
class PartSearch {
 public:
  using Target = typename C::Target;
  using NodeTargets = typename C::NodeTargets;
  using Columns = std::span<const std::uint32_t>;

  struct Scratch {
    std::vector<Code> codes;
    Buckets<Target> buckets;
  };

  PartSearch(const Dataset& data, const Targets& targets, const C& criterion, const GrowOptions& options,
             Interrupt& interrupt)
      : data_{data},
        targets_{targets},
        criterion_{criterion},
        options_{options},
        questions_{criterion, options},
        columns_(data.columns.size()) {
    share(options.n_threads, data.columns.size(), [&](std::size_t column, unsigned worker) {
      Interrupt never;  // threads have nobody to ask
      columns_[column] =
          encode_column(data.columns[column], data.n_rows, options.max_bins, worker == 0 ? interrupt : never);
    });
  }

  const Dataset& data() const { return data_; }
  const C& criterion() const { return criterion_; }
  const GrowOptions& options() const { return options_; }
  std::span<const CodedColumn> coded() const { return columns_; }

  // All rows, whole.
  std::vector<Part> all_parts() const {
    std::vector<Row> rows(data_.n_rows);
    std::iota(rows.begin(), rows.end(), Row{0});
    if (options_.questions == Questions::oblique) forget_order(rows);
    if constexpr (Foresees<C>) criterion_.put_in_order(targets_, rows);
    std::vector<Part> parts;
    parts.reserve(rows.size());
    for (const Row row : rows) parts.push_back({row, 1.0});
    return parts;
  }

  NodeTargets open(const std::vector<Part>& parts, Layout<C>& layout) const {
    return layout.open(criterion_, targets_, parts);
  }

  bool must_stop(const std::vector<Part>& parts, const NodeTargets& targets, std::uint32_t depth) const {
    return criterion_.homogeneous(targets) || arboretum::must_stop(options_, depth, parts.size(), targets.weight());
  }

  // The best question about one column. `varies` tells whether there is anything to ask at all.
  std::optional<Candidate> best(std::uint32_t column, const Layout<C>& layout, const NodeTargets& targets,
                                const Bounds& bounds, Scratch& scratch, bool& varies, Interrupt& interrupt) const {
    varies = arrange(column, layout, scratch);
    if (!varies) return std::nullopt;
    std::optional<Candidate> found =
        questions_.best(data_.columns[column], scratch.buckets, targets, limits(column, bounds, targets), interrupt);
    if (found) found->column = column;
    return found;
  }

  // The best questions about one column, `most` of them if there are so many, best first.
  std::vector<Candidate> several(std::uint32_t column, const Layout<C>& layout, const NodeTargets& targets,
                                 std::size_t most, Scratch& scratch, bool& varies, Interrupt& interrupt) const {
    varies = arrange(column, layout, scratch);
    if (!varies) return {};
    std::vector<Candidate> found = questions_.several(data_.columns[column], scratch.buckets, targets,
                                                      limits(column, {}, targets), most, interrupt);
    for (Candidate& candidate : found) candidate.column = column;
    return found;
  }

  std::optional<Candidate> measure(Split split, const NodeTargets& targets) const {
    return questions_.measure(std::move(split), 1, targets, targets);
  }

  // A question that was chosen elsewhere, whose score is not known. `child` is scratch.
  std::optional<Candidate> measure_asked(Split split, const std::vector<Part>& parts, const Layout<C>& layout,
                                         const NodeTargets& targets, std::vector<std::uint32_t>& child) const {
    answer(parts, split, child);
    std::vector<Target> left;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (child[i] == child_of(true)) left.push_back(layout.targets()[i]);
    typename C::Sweep cut{criterion_, targets};
    cut.pass(std::span<const Target>{left});
    split.score = std::max(0.0, cut.score()), split.left_weight = cut.weight();
    return measure(std::move(split), targets);
  }

  // Which child each part goes to; `n_children` where the split cannot tell.
  void answer(const std::vector<Part>& parts, const Split& split, std::vector<std::uint32_t>& child) const {
    child.resize(parts.size());
    if (is_composite(split.kind)) {
      for (std::size_t i = 0; i < parts.size(); ++i)
        child[i] = answer_of(split.kind, split.terms, split.bound, data_, parts[i].row);
      return;
    }
    const Code missing = columns_[split.column].n_codes;
    const std::uint32_t of_missing = child_of_missing(split, options_);
    LevelChildren levels;
    if (split.kind == QuestionKind::levels) levels.set(split, missing, of_missing);
    with_child_of(split, split.cut, levels, [&](auto&& child_of_code) {
      columns_[split.column].with_codes([&](const auto* codes) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const Code code = codes[parts[i].row];
          child[i] = code == missing ? of_missing : child_of_code(code);
        }
      });
    });
  }

  // The lists of the children, each in the order of the whole.
  std::vector<std::vector<Part>> divide(const std::vector<Part>& parts, const std::vector<std::uint32_t>& child,
                                        std::uint32_t n_children) const {
    std::vector<std::vector<Part>> lists(n_children);
    std::vector<double> shares;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (child[i] < n_children) {
        lists[child[i]].push_back(parts[i]);
        continue;
      }
      if (shares.empty()) shares = shares_of(parts, child, n_children);
      divide_part(parts[i], shares, lists);
    }
    return lists;
  }

  ThresholdValue threshold(const std::vector<Part>& parts, std::uint32_t column, Code cut, Code next) const {
    const auto [low, high] = rows_beside(parts, column, cut, next);
    return threshold_between_rows(data_.columns[column], low, high, options_.cut_rule(column));
  }

 private:
  static constexpr double least_share = 1e-6;  // smaller parts of a row are let go, or rows would fall to dust

  Limits limits(std::uint32_t column, const Bounds& bounds, const NodeTargets& targets) const {
    Limits own = limits_of(options_, targets, bounds);
    own.direction = direction_of(options_, column);
    return own;
  }

  // Sums of real numbers are rounded, and samples are drawn, in the order of the rows: put by what they hold, they
  // come in the same order whatever that of the table was.
  void forget_order(std::vector<Row>& rows) const {
    auto differ = [](auto a, auto b) { return a < b ? -1 : b < a ? 1 : 0; };
    auto compare = [&](Row a, Row b) {
      for (const CodedColumn& coded : columns_)
        if (const int order = coded.with_codes([&](const auto* codes) { return differ(codes[a], codes[b]); }))
          return order;
      if (!targets_.classes.empty())
        if (const int order = differ(targets_.classes[a], targets_.classes[b])) return order;
      if (!targets_.numbers.empty())
        if (const int order = differ(targets_.numbers[a], targets_.numbers[b])) return order;
      return differ(targets_.weight(a), targets_.weight(b));
    };
    std::ranges::sort(rows, [&](Row a, Row b) { return compare(a, b) < 0; });
  }

  // Puts the rows into buckets by their code. False if there is nothing to ask.
  bool arrange(std::uint32_t column, const Layout<C>& layout, Scratch& scratch) const {
    const std::span<const Row> rows = layout.rows();
    scratch.codes.resize(rows.size());
    columns_[column].with_codes([&](const auto* all) {
      for (std::size_t i = 0; i < rows.size(); ++i) scratch.codes[i] = all[rows[i]];
    });
    scratch.buckets.fill(scratch.codes.data(), layout.targets(), columns_[column].n_codes);
    return options_.leaves_aside() ? scratch.buckets.size() > 1 : !scratch.buckets.constant();
  }

  std::pair<Row, Row> rows_beside(const std::vector<Part>& parts, std::uint32_t column, Code cut, Code next) const {
    const CodedColumn& coded = columns_[column];
    if (coded.binned()) return {coded.highest_row[cut], coded.lowest_row[cut + 1]};
    return coded.with_codes([&](const auto* codes) {
      auto row_with = [&](Code code) {
        return std::ranges::find_if(parts, [&](const Part& part) { return codes[part.row] == code; })->row;
      };
      return std::pair{row_with(cut), row_with(next)};
    });
  }

  // How the weight that is known divides among the children; summed in integers, so that the order of rows is no
  // matter.
  std::vector<double> shares_of(const std::vector<Part>& parts, const std::vector<std::uint32_t>& child,
                                std::uint32_t n_children) const {
    auto weight = [&](const Part& part) { return part.share * targets_.case_weight(part.row); };
    Extent extent;
    auto each = [&](auto&& read) {
      for (const Part& part : parts) read(weight(part));
    };
    each([&](double own) { extent.add(own); });
    const WeightScale scale = choose_weight_scale(extent, static_cast<double>(parts.size()), each);
    std::vector<Fixed> sums(n_children + 1);
    Fixed known = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Fixed own = scale.fixed(weight(parts[i]));
      sums[child[i]] += own;
      if (child[i] < n_children) known += own;
    }
    std::vector<double> shares;
    for (std::uint32_t c = 0; c < n_children; ++c)
      shares.push_back(static_cast<double>(sums[c]) / static_cast<double>(known));
    return shares;
  }

  static void divide_part(const Part& part, const std::vector<double>& shares, std::vector<std::vector<Part>>& lists) {
    for (std::size_t c = 0; c < shares.size(); ++c)
      if (part.share * shares[c] > least_share) lists[c].push_back({part.row, part.share * shares[c]});
  }

  const Dataset& data_;
  const Targets& targets_;
  const C& criterion_;
  const GrowOptions& options_;
  ColumnQuestions<C> questions_;
  std::vector<CodedColumn> columns_;
};

}  // namespace arboretum
