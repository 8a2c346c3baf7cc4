// Surrogates: questions about other columns that send rows to the same children as the primary question does, as far
// as they can. Asked in their order where the primary's value is missing.  (Breiman et al. 1984, section 5.3) The
// agreement of two questions is the share of weight that both send to the same child; the adjusted agreement, at most
// 1, tells by how much that beats sending everything to the larger child.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/fixed_point.hpp"
#include "core/grow/candidate.hpp"
#include "core/options.hpp"
#include "core/sources/sorted_column.hpp"

namespace arboretum {

// Some rows that the primary can send: the weight that goes left and right.
struct Lean {
  Fixed left = 0, right = 0;
  Row n_rows = 0;

  Lean& operator+=(const Lean& other) {
    left += other.left, right += other.right, n_rows += other.n_rows;
    return *this;
  }
  Lean& operator-=(const Lean& other) {
    left -= other.left, right -= other.right, n_rows -= other.n_rows;
    return *this;
  }
  Fixed weight() const { return left + right; }
  Fixed larger() const { return std::max(left, right); }
};

// Where the primary sends a row: its weight, negative if to the right; 0 if it cannot tell. Where all rows weigh the
// same, a byte is enough.
template <class Leaning>
Lean lean_of(Leaning leaning) {
  return {std::max<Fixed>(leaning, 0), std::max<Fixed>(-Fixed{leaning}, 0), leaning != 0 ? Row{1} : Row{0}};
}

class SurrogateSearch {
 public:
  static constexpr Row least_rows = 2;  // that a surrogate must send each way

  SurrogateSearch(const Lean& primary, Agreement style) : primary_{primary}, style_{style} {}

  // `groups` calls back with (code, lean) for every value in the node, in order, also for those that only rows have
  // which the primary cannot send: they are neighbours too. `known` is the sum of all.
  template <class Groups>
  std::optional<SurrogateSplit> best_threshold(const Lean& known, Groups&& groups) const {
    SurrogateSplit best;
    best.agreeing = -1;
    Lean low;
    Code last = 0;
    groups([&](Code code, const Lean& lean) {
      if (low.n_rows >= least_rows && known.n_rows - low.n_rows >= least_rows) {
        const Fixed straight = low.left + known.right - low.right, flipped = known.weight() - straight;
        if (std::max(straight, flipped) > best.agreeing) {
          best.agreeing = std::max(straight, flipped), best.flipped = flipped > straight;
          best.cut = last, best.next = code;
        }
      }
      low += lean, last = code;
    });
    if (best.agreeing < 0) return std::nullopt;
    best.kind = QuestionKind::threshold;
    return judged(best, known);
  }

  // The same for rows in the order of their values, which need not be grouped.
  template <class Leaning>
  std::optional<SurrogateSplit> best_threshold(const Lean& known, std::span<const SortedRow> rows,
                                               std::span<const Leaning> leanings) const {
    SurrogateSplit best;
    best.kind = QuestionKind::leaf;         // none yet
    Fixed most = to_judge(known).larger();  // what does not agree more than that is of no use
    Fixed lead = 0;                         // of those below the cut: weight that goes left, less what goes right
    Row n_low = 0;
    const std::size_t n_cuts = rows.empty() ? 0 : rows.size() - 1;
    constexpr std::size_t block = 32;
    for (std::size_t begin = 0, end = 0; begin < n_cuts; begin = end) {
      end = std::min(begin + block, n_cuts);
      if constexpr (sizeof(Leaning) == 1) {
        // Rows of weight 1 move the lead by 1 at most: where it is far from the best, only the end of the block counts.
        if (std::max(known.right + lead, known.left - lead) + static_cast<Fixed>(block) <= most) {
          int sum = 0, n = 0;
          for (std::size_t i = begin; i < end; ++i) {
            const Leaning leaning = leanings[rows[i].position];
            sum += leaning, n += leaning & 1;
          }
          lead += sum, n_low += static_cast<Row>(n);
          continue;
        }
      }
      for (std::size_t i = begin; i < end; ++i) {
        const Leaning leaning = leanings[rows[i].position];
        lead += leaning, n_low += leaning != 0;
        const Fixed agreeing = std::max(known.right + lead, known.left - lead);
        if (agreeing <= most || rows[i].code == rows[i + 1].code) continue;
        if (n_low < least_rows || known.n_rows - n_low < least_rows) continue;
        most = agreeing, best.kind = QuestionKind::threshold;
        best.flipped = known.left - lead > known.right + lead;
        best.cut = rows[i].code, best.next = rows[i + 1].code;
      }
    }
    if (best.kind == QuestionKind::leaf) return std::nullopt;
    best.agreeing = most;
    return judged(best, known);
  }

  // Each level goes where the primary sends more of its weight; a level in balance, where the others go. Levels with
  // fewer rows than `least` go nowhere.
  template <class Groups>
  std::optional<SurrogateSplit> best_levels(const Lean& known, Row least, Groups&& groups) const {
    SurrogateSplit best;
    best.kind = QuestionKind::levels;
    Row n_sent[2] = {0, 0};
    groups([&](Code code, const Lean& lean) {
      if (lean.n_rows < least) return;
      const bool balanced = lean.left == lean.right;
      const std::uint32_t child = child_of(balanced ? known.left >= known.right : lean.left > lean.right);
      best.levels.emplace_back(code, child);
      best.agreeing += lean.larger(), n_sent[child] += lean.n_rows;
    });
    if (std::min(n_sent[0], n_sent[1]) < least_rows) return std::nullopt;
    return judged(best, known);
  }

 private:
  // The rows that agreement is a share of.
  const Lean& to_judge(const Lean& known) const { return style_ == Agreement::node ? primary_ : known; }

  std::optional<SurrogateSplit> judged(SurrogateSplit split, const Lean& known) const {
    const Lean& all = to_judge(known);
    const double weight = static_cast<double>(all.weight());
    const double agreement = static_cast<double>(split.agreeing) / weight,
                 majority = static_cast<double>(all.larger()) / weight;
    split.agreement = agreement;
    split.adjusted = (agreement - majority) / (1.0 - majority);
    if (!(split.adjusted > 1e-10)) return std::nullopt;
    return split;
  }

  Lean primary_;
  Agreement style_;
};

}  // namespace arboretum
