#include "core/shares/share.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/grow/row_to_child.hpp"
#include "core/registry.hpp"
#include "core/sources/fast_rows.hpp"
#include "core/sources/fast_summary.hpp"

namespace arboretum {
namespace {

template <class C>
constexpr Centre centre_of() {
  if constexpr (C::target == TargetKind::numbers) return C::centre;
  else return Centre::zero;
}

// The rows of one share, for one form of summaries.
template <class C, class S>
class ShareOf : public Share {
 public:
  using Target = typename S::Target;

  ShareOf(const Dataset& data, const Targets& targets, std::span<const std::vector<Key>> edges, Interrupt& interrupt)
      : Share{data, targets, edges, interrupt} {}

  std::vector<std::byte> totals(const NodeRows& open, std::span<const FastScale> scales,
                                std::vector<double>& reach) const override {
    std::vector<S> sums(open.n_nodes());
    reach.assign(open.n_nodes(), 1.0);
    for (std::size_t node = 0; node < sums.size(); ++node)
      for (const Row row : open.of(node)) {
        sums[node] += S::of(fast_target<S>(targets_, row, scales[node], centre_));
        if constexpr (!requires { S::most_classes; })
          reach[node] = std::max(reach[node], square_of<S>(fixed_target(scales[node].numbers, targets_.weight(row),
                                                                        targets_.numbers[row], centre_)));
      }
    return bytes_of(sums);
  }

  std::vector<ChanceSums> chance_sums(const NodeRows& open, std::span<const std::uint32_t> nodes,
                                      std::span<const std::byte> totals,
                                      std::span<const FastScale> scales) const override {
    std::vector<ChanceSums> sums;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      S total, own{};
      std::memcpy(&total, totals.data() + i * sizeof(S), sizeof(S));
      auto summary = [&](Row row) { return S::of(fast_target<S>(targets_, row, scales[nodes[i]], centre_)); };
      if constexpr (S::sorted_by_class) {
        for (const Row row : open.of(nodes[i])) own += summary(row);
        sums.push_back(FastCriterion<C, S>::chance_sums(own, [](auto&&) {}));
      } else {
        sums.push_back(FastCriterion<C, S>::chance_sums(total, [&](auto&& read) {
          for (const Row row : open.of(nodes[i])) read(summary(row));
        }));
      }
    }
    return sums;
  }

  std::vector<std::byte> count(const NodeRows& open, std::span<const std::uint32_t> nodes, std::span<const View> views,
                               std::span<const FastScale> scales) const override {
    std::size_t n_buckets = 0;
    for (const View& view : views) n_buckets += view.n_buckets > 0 ? view.n_buckets + 1 : 0;
    std::vector<S> buckets(n_buckets);
    std::vector<Target> targets;
    S* to = buckets.data();
    const View* view = views.data();
    for (const std::uint32_t node : nodes) {
      const auto rows = open.of(node);
      targets.resize(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i)
        targets[i] = fast_target<S>(targets_, rows[i], scales[node], centre_);
      for (const CoarseColumn& column : columns_) {
        if (view->n_buckets > 0) {
          count(column, rows, targets, scales[node].square_shift, *view, to);
          to += view->n_buckets + 1;
        }
        ++view;
      }
    }
    return bytes_of(buckets);
  }

  Cells refine(const NodeRows& open, std::span<const Interval> intervals,
               std::span<const FastScale> scales) const override {
    Cells cells;
    std::vector<S> summaries;
    std::vector<KeyedRow> items, scratch;
    for (std::size_t begin = 0, end = 0; begin < intervals.size(); begin = end) {
      while (++end < intervals.size() && follows(intervals[end - 1], intervals[end])) continue;
      const auto together = intervals.subspan(begin, end - begin);
      const FastScale& scale = scales[together.front().node];
      read_items(together, open.of(together.front().node), items);
      sort_by_key(items, scratch);
      std::size_t at = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const Interval& interval = intervals[i];
        while (at < items.size() && items[at].key <= interval.high) {
          const std::uint64_t cell = interval.cell_of(items[at].key);
          cells.interval.push_back(static_cast<std::uint32_t>(i)), cells.cell.push_back(cell);
          cells.low.push_back(items[at].key);
          summaries.emplace_back();
          for (; at < items.size() && items[at].key <= interval.high && interval.cell_of(items[at].key) == cell; ++at)
            add(summaries.back(), fast_target<S>(targets_, items[at].row, scale, centre_), scale.square_shift);
          cells.high.push_back(items[at - 1].key);
        }
      }
    }
    cells.summaries = bytes_of(summaries);
    return cells;
  }

 private:
  static std::vector<std::byte> bytes_of(const std::vector<S>& summaries) {
    static_assert(std::is_trivially_copyable_v<S>);
    const auto bytes = std::as_bytes(std::span{summaries});
    return {bytes.begin(), bytes.end()};
  }

  static void add(S& to, const Target& target, int shift) {
    if constexpr (S::sorted_by_class) to.add_rows(target, 1);
    else to.add(target, shift);
  }

  static void count(const CoarseColumn& column, std::span<const Row> rows, std::span<const Target> targets, int shift,
                    const View& view, S* to) {
    column.with_codes([&](const auto* codes) {
      auto count_rows = [&](auto&& row_at) {
        if (column.has_missing) {  // told by its code, not by its bucket: a coarse last bucket reaches beyond the last
          for (std::size_t i = 0; i < targets.size(); ++i) {
            const Code code = codes[row_at(i)];
            add(to[code == column.n_codes ? view.n_buckets : view.bucket(code)], targets[i], shift);
          }
        } else {
          for (std::size_t i = 0; i < targets.size(); ++i) add(to[view.bucket(codes[row_at(i)])], targets[i], shift);
        }
      };
      const bool unbroken = !rows.empty() && rows.back() - rows.front() + 1 == rows.size();
      if (unbroken) count_rows([first = rows.front()](std::size_t i) { return first + i; });
      else count_rows([&](std::size_t i) { return rows[i]; });
    });
  }

  // May both be read in one pass? They are of the same column and node, and do not overlap.
  static bool follows(const Interval& one, const Interval& next) {
    return next.node == one.node && next.column == one.column && next.low > one.high;
  }

  // The rows of a node that lie in these intervals.
  void read_items(std::span<const Interval> intervals, std::span<const Row> rows, std::vector<KeyedRow>& items) const {
    const CoarseColumn& column = columns_[intervals.front().column];
    const ColumnView& view = data_.columns[intervals.front().column];
    std::vector<std::uint8_t> wanted(std::size_t{column.n_codes} + 1, 0);
    for (const Interval& interval : intervals) {
      const Code last = code_of(column, interval.high);
      for (Code code = code_of(column, interval.low); code <= last; ++code) wanted[code] = 1;
    }
    items.clear();
    column.with_codes([&](const auto* codes) {
      with_type(view.type, [&]<class T>(std::type_identity<T>) {
        for (const Row row : rows) {
          if (!wanted[codes[row]]) continue;
          const Key key = key_in(view.kind, view.value<T>(row));
          const auto after = std::ranges::upper_bound(intervals, key, {}, &Interval::low);
          if (after != intervals.begin() && key <= std::prev(after)->high) items.push_back({key, row});
        }
      });
    });
  }

  static constexpr Centre centre_ = centre_of<C>();
};

}  // namespace

Code code_of(const CoarseColumn& column, Key key) {
  if (column.kind != Kind::numeric) return static_cast<Code>(key);
  return static_cast<Code>(std::ranges::lower_bound(column.edges, key) - column.edges.begin());
}

std::vector<TargetExtents> Share::extents(const NodeRows& open) const {
  std::vector<TargetExtents> found(open.n_nodes());
  for (std::size_t node = 0; node < found.size(); ++node)
    for (const Row row : open.of(node)) {
      if (targets_.numbers.empty()) found[node].weights.add(targets_.weight(row));
      else if (targets_.weights.empty()) found[node].add(targets_.numbers[row]);
      else found[node].add(targets_.weights[row], targets_.numbers[row]);
    }
  return found;
}

std::vector<Twofold> Share::class_weights(const NodeRows& open, std::span<const std::uint32_t> nodes) const {
  std::vector<Twofold> sums(nodes.size() * targets_.n_classes);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const Row row : open.of(nodes[i]))
      sums[i * targets_.n_classes + static_cast<std::size_t>(targets_.classes[row])] += targets_.case_weight(row);
  return sums;
}

template <bool with_logs>
std::vector<RealSums<with_logs>> Share::real_sums(const NodeRows& open, std::span<const std::uint32_t> nodes,
                                                  std::span<const double> lowest,
                                                  std::span<const double> highest) const {
  std::vector<RealSums<with_logs>> sums;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    sums.push_back(RealSums<with_logs>::of_part(each_number(open.of(nodes[i])), lowest[i], highest[i]));
  return sums;
}
template std::vector<RealSums<false>> Share::real_sums(const NodeRows&, std::span<const std::uint32_t>,
                                                       std::span<const double>, std::span<const double>) const;
template std::vector<RealSums<true>> Share::real_sums(const NodeRows&, std::span<const std::uint32_t>,
                                                      std::span<const double>, std::span<const double>) const;

std::vector<Twofold> Share::divergences(const NodeRows& open, std::span<const std::uint32_t> nodes,
                                        std::span<const double> means) const {
  std::vector<Twofold> sums;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    sums.push_back(RealSums<true>::divergences(each_number(open.of(nodes[i])), means[i]));
  return sums;
}

std::pair<std::vector<Key>, std::vector<Key>> Share::keys_beside(const NodeRows& open,
                                                                 std::span<const CutAfter> cuts) const {
  std::vector<Key> below(cuts.size(), 0), above(cuts.size(), ~Key{0});
  for (std::size_t g = 0; g < cuts.size(); ++g) {
    const CoarseColumn& column = columns_[cuts[g].column];
    const ColumnView& view = data_.columns[cuts[g].column];
    const auto rows = open.of(cuts[g].node);
    column.with_codes([&](const auto* codes) {
      // The codes beside the cut first: only their values are read.
      Code left = 0, right = column.n_codes;
      bool any_left = false;
      for (const Row row : rows) {
        const Code code = codes[row];
        if (code == column.n_codes) continue;
        if (code <= cuts[g].code) left = std::max(left, code), any_left = true;
        else right = std::min(right, code);
      }
      with_type(view.type, [&]<class T>(std::type_identity<T>) {
        for (const Row row : rows) {
          const Code code = codes[row];
          if (code == column.n_codes || (code != right && !(any_left && code == left))) continue;
          const Key key = key_in(view.kind, view.value<T>(row));
          if (code == right) above[g] = std::min(above[g], key);
          else below[g] = std::max(below[g], key);
        }
      });
    });
  }
  return {std::move(below), std::move(above)};
}

std::vector<Row> Share::divide(const NodeRows& open, std::span<const SharedQuestion* const> questions,
                               std::vector<std::int64_t>& begins) const {
  std::size_t most = 0, n_divided = 0;
  for (std::size_t node = 0; node < open.n_nodes(); ++node)
    if (questions[node] != nullptr) n_divided += open.of(node).size(), most = std::max(most, open.of(node).size());
  std::vector<Row> divided(n_divided + 1), right(most + 1);
  Row* left = divided.data();
  begins.assign(1, 0);
  LevelChildren levels;
  for (std::size_t node = 0; node < open.n_nodes(); ++node) {
    if (questions[node] == nullptr) continue;
    const SharedQuestion& question = *questions[node];
    const CoarseColumn& column = columns_[question.column];
    const ColumnView& view = data_.columns[question.column];
    std::size_t n_right = 0;
    if (question.kind == QuestionKind::levels) levels.set(question, column.n_codes, child_of(question.missing_left));
    column.with_codes([&](const auto* codes) {
      with_child_of(question, question.cut, levels, [&](auto&& child_of_code) {
        with_type(view.type, [&]<class T>(std::type_identity<T>) {
          for (const Row row : open.of(node)) {
            const Code code = codes[row];
            std::uint32_t child = 0;
            if (code == column.n_codes) child = child_of(question.missing_left);
            else if (question.inside && code == question.cut)
              child = child_of(key_in(view.kind, view.value<T>(row)) <= question.low);
            else child = child_of_code(code);
            *left = right[n_right] = row;  // each row is written twice, and stays on its side
            left += child == 0, n_right += child != 0;
          }
        });
      });
    });
    begins.push_back(left - divided.data());
    left = std::copy_n(right.begin(), n_right, left);
    begins.push_back(left - divided.data());
  }
  divided.pop_back();
  return divided;
}

std::unique_ptr<Share> make_share(const Dataset& data, const Targets& targets, const TargetForm& form,
                                  std::span<const std::vector<Key>> edges, Interrupt& interrupt) {
  std::unique_ptr<Share> share;
  with_criterion(form.criterion, [&]<class C>(std::type_identity<C>) {
    with_fast_summary<C>(form.n_classes, form.weighted, [&]<class S>(std::type_identity<S>) {
      share = std::make_unique<ShareOf<C, S>>(data, targets, edges, interrupt);
    });
  });
  return share;
}

}  // namespace arboretum
