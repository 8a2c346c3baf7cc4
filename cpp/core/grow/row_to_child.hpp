// Row to child while a tree grows: the one rule by which codes, which stand for values, decide which child a row goes
// to. What it says of codes, is_at_most (questions/threshold_value.hpp) says of the values themselves when rows are
// routed later.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/grow/split.hpp"
#include "core/options.hpp"

namespace arboretum {

// Where rows go whose value is missing; `n_children` where the split cannot tell.
inline std::uint32_t child_of_missing(const Split& split, const GrowOptions& options) {
  if (options.leaves_aside()) return split.n_children;
  if (split.kind == QuestionKind::levels && options.nominal == Nominal::multiway) return split.n_children - 1;
  return child_of(split.missing_left);
}

// The child of each level that a split names.
class LevelChildren {
 public:
  // Levels that the split does not name keep what they had: for nodes in which they do not occur.
  void set(const Split& split, std::size_t n_levels) {
    child_.resize(std::max(child_.size(), n_levels));
    for (const auto& [level, child] : split.levels) child_[level] = child;
  }
  // The same, with a child for the levels that the split does not name.
  void set(const Split& split, std::size_t n_levels, std::uint32_t other) {
    child_.assign(n_levels, other);
    set(split, n_levels);
  }
  void set_one(std::size_t level, std::uint32_t child) { child_[level] = child; }
  std::uint32_t operator[](std::size_t level) const { return child_[level]; }

 private:
  std::vector<std::uint32_t> child_;
};

// Calls use(child), where child(value) is the child of a row whose value is known. Values are codes, or keys, as `cut`
// is; the largest that go left. `levels` must have been set for a split by levels.
template <class Value, class Use>
void with_child_of(const Split& split, Value cut, const LevelChildren& levels, Use&& use) {
  switch (split.kind) {
    case QuestionKind::threshold: return use([cut](Value value) { return child_of(value <= cut); });
    case QuestionKind::missing: return use([](Value) { return child_of(false); });
    case QuestionKind::levels: return use([&](Value value) { return levels[static_cast<std::size_t>(value)]; });
    case QuestionKind::leaf:
    case QuestionKind::at_least:
    case QuestionKind::linear: break;
  }
  throw std::logic_error("codes do not tell the child of such a question");
}

}  // namespace arboretum
