#include "core/tree.hpp"

#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "core/compiler.hpp"

namespace arboretum {

void TermArrays::add(const Term& term) {
  column.push_back(static_cast<std::int32_t>(term.column)), level.push_back(term.level);
  kind.push_back(static_cast<std::uint8_t>(term.kind)), negated.push_back(term.negated);
  threshold.push_back(term.threshold.real), threshold_floor.push_back(term.threshold.floor);
  coefficient.push_back(term.coefficient), fill.push_back(term.fill);
}

void Tree::each_threshold(const std::function<void(std::int32_t column, ThresholdPlace place)>& visit) {
  constexpr auto threshold_kind = static_cast<std::uint8_t>(QuestionKind::threshold);
  for (std::size_t i = 0; i < kind.size(); ++i)
    if (n_children[i] > 0 && kind[i] == threshold_kind)
      visit(column[i], ThresholdPlace{&threshold[i], &threshold_floor[i]});
  for (std::size_t i = 0; i < others.size(); ++i)
    if (others.kind[i] == threshold_kind)
      visit(others.column[i], ThresholdPlace{&others.threshold[i], &others.threshold_floor[i]});
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (terms.kind[i] == threshold_kind)
      visit(terms.column[i], ThresholdPlace{&terms.threshold[i], &terms.threshold_floor[i]});
}

NodeId TreeBuilder::add(NodeId parent, Range range, const Bounds& bounds) {
  const auto id = static_cast<NodeId>(nodes_.size());
  TreeNode& node = nodes_.emplace_back();
  node.parent = parent, node.begin = range.begin, node.end = range.end;
  if (constrained_) bounds_.push_back(bounds);
  if (parent != no_node) {
    TreeNode& above = (*this)[parent];
    if (above.n_children++ == 0) above.first_child = id, --n_leaves_;
  }
  ++n_leaves_;
  return id;
}

void TreeBuilder::ask(NodeId id, const Split& split, const ThresholdValue& threshold, const Worth& worth) {
  TreeQuestion question = question_of(split, threshold);
  question.worth = worth;
  (*this)[id].question = static_cast<std::int32_t>(questions_.size());
  questions_.push_back(question);
}

void TreeBuilder::ask(NodeId id, const ChosenSplit& split, const ThresholdValue& threshold, const Worth& worth) {
  ask(id, static_cast<const Split&>(split), threshold, worth);
  if (split.missing_stays) questions_.back().missing_child = no_node;
  questions_.back().gain_ratio = split.ratio;
}

void TreeBuilder::add_competitor(NodeId id, const Candidate& split, const ThresholdValue& threshold) {
  OtherQuestion other{(*this)[id].question, Role::competitor, question_of(split, threshold)};
  other.question.worth = {.gain = split.gain, .corrected_gain = split.corrected};
  other.question.gain_ratio = split.ratio;
  other.n_children = static_cast<std::int32_t>(split.n_children);
  others_.push_back(other);
}

void TreeBuilder::add_surrogate(NodeId id, const SurrogateSplit& split, const ThresholdValue& threshold) {
  others_.push_back({(*this)[id].question, Role::surrogate, question_of(split, threshold), 2, split.flipped,
                     split.agreement, split.adjusted, split.n_sent});
}

void TreeBuilder::test(NodeId id, double p_value) {
  p_values_.resize(nodes_.size(), std::numeric_limits<double>::quiet_NaN());
  p_values_[static_cast<std::size_t>(id)] = p_value;
}

void TreeBuilder::graft(NodeId at, TreeBuilder part) {
  const auto shift = static_cast<NodeId>(nodes_.size()) - 1;
  const auto question_shift = static_cast<std::int32_t>(questions_.size()),
             level_shift = static_cast<std::int32_t>(levels_.size()),
             term_shift = static_cast<std::int32_t>(terms_.size());
  const TreeNode leaf = (*this)[at];
  for (std::size_t i = 0; i < part.nodes_.size(); ++i) {
    TreeNode node = part.nodes_[i];
    if (node.n_children > 0) node.first_child += shift;
    if (node.question >= 0) node.question += question_shift;
    node.parent = i == 0 ? leaf.parent : node.parent == 0 ? at : node.parent + shift;
    if (i == 0) (*this)[at] = node;
    else nodes_.push_back(node);
    if (constrained_ && i > 0) bounds_.push_back(part.bounds_[i]);
  }
  for (TreeQuestion question : part.questions_) {
    if (question.levels >= 0) question.levels += level_shift;
    if (question.terms >= 0) question.terms += term_shift;
    questions_.push_back(question);
  }
  std::move(part.levels_.begin(), part.levels_.end(), std::back_inserter(levels_));
  std::move(part.terms_.begin(), part.terms_.end(), std::back_inserter(terms_));
  n_leaves_ += part.n_leaves_ - 1;
}

Tree TreeBuilder::finish(std::vector<Range>* ranges) && {
  const std::vector<NodeId> order = renumber();
  p_values_.resize(p_values_.empty() ? 0 : nodes_.size(), std::numeric_limits<double>::quiet_NaN());
  Tree tree;
  resize(tree, order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    fetch(order, i);
    write((*this)[order[i]], order[i], tree, i);
    if (ranges != nullptr) ranges->push_back((*this)[order[i]].range());
  }
  tree.level_begin.push_back(static_cast<std::int64_t>(tree.level.size()));
  write_others(order, tree.others);
  write_terms(order, tree.terms);
  return tree;
}

template <class Arrays>
void TreeBuilder::write_levels(const TreeQuestion& question, Arrays& to) const {
  if (question.levels < 0) return;
  for (const auto& [level, child] : levels_[static_cast<std::size_t>(question.levels)]) {
    to.level.push_back(static_cast<std::int32_t>(level));
    to.level_child.push_back(static_cast<std::int32_t>(child));
  }
}

TreeQuestion TreeBuilder::question_of(const Split& split, const ThresholdValue& threshold) {
  TreeQuestion question{.column = static_cast<std::int32_t>(split.column),
                        .missing_child = split.missing_left ? 0 : static_cast<std::int32_t>(split.n_children) - 1,
                        .kind = split.kind,
                        .missing_seen = split.missing_seen,
                        .threshold = threshold};
  if (!split.levels.empty())
    question.levels = static_cast<std::int32_t>(levels_.size()), levels_.push_back(split.levels);
  if (!split.terms.empty()) question.terms = static_cast<std::int32_t>(terms_.size()), terms_.push_back(split.terms);
  return question;
}

// Nodes of a large tree lie far apart in memory: those that come soon are asked for in time.
void TreeBuilder::fetch(const std::vector<NodeId>& order, std::size_t i) const {
  constexpr std::size_t ahead = 16;
  if (i + ahead < order.size()) fetch_ahead(&(*this)[order[i + ahead]]);
  if (i + ahead / 2 >= order.size()) return;
  const std::int32_t question = (*this)[order[i + ahead / 2]].question;
  if (question >= 0) fetch_ahead(&questions_[static_cast<std::size_t>(question)]);
}

// New number -> old number; parents and children already go by their new numbers.
std::vector<NodeId> TreeBuilder::renumber() {
  std::vector<NodeId> order{0};
  order.reserve(nodes_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + 16 < order.size()) fetch_ahead(&(*this)[order[i + 16]]);
    TreeNode& node = (*this)[order[i]];
    if (node.n_children == 0) continue;
    const NodeId old_child = node.first_child;
    node.first_child = static_cast<NodeId>(order.size());
    for (NodeId c = 0; c < node.n_children; ++c) {
      (*this)[old_child + c].parent = static_cast<NodeId>(i);
      order.push_back(old_child + c);
    }
  }
  return order;
}

void TreeBuilder::resize(Tree& t, std::size_t n) const {
  for (auto* array : {&t.parent, &t.first_child, &t.n_children, &t.depth, &t.column, &t.missing_child})
    array->resize(n);
  for (auto* array :
       {&t.threshold, &t.weight, &t.impurity, &t.gain, &t.gain_ratio, &t.corrected_gain, &t.improvement, &t.value})
    array->resize(n);
  for (auto* array : {&t.kind, &t.missing_seen}) array->resize(n);
  for (auto* array : {&t.threshold_floor, &t.level_begin, &t.n_rows}) array->resize(n);
  if (constrained_) t.lower.resize(n), t.upper.resize(n);
  t.p_value.resize(p_values_.size());
}

void TreeBuilder::write(const TreeNode& node, NodeId id, Tree& t, std::size_t i) const {
  t.parent[i] = node.parent, t.first_child[i] = node.first_child, t.n_children[i] = node.n_children;
  t.depth[i] = node.parent == no_node ? 0 : t.depth[static_cast<std::size_t>(node.parent)] + 1;
  t.level_begin[i] = static_cast<std::int64_t>(t.level.size());
  t.n_rows[i] = node.end - node.begin;
  t.weight[i] = node.weight, t.impurity[i] = node.impurity, t.value[i] = node.value;
  t.column[i] = -1, t.missing_child[i] = 1;
  if (node.n_children > 0)  // a node left over by max_leaves has a split it never asked
    write(questions_[static_cast<std::size_t>(node.question)], t, i);
  if (!p_values_.empty()) t.p_value[i] = p_values_[static_cast<std::size_t>(id)];
  if (!constrained_) return;
  t.lower[i] = bounds_[static_cast<std::size_t>(id)].lower;
  t.upper[i] = bounds_[static_cast<std::size_t>(id)].upper;
}

void TreeBuilder::write(const TreeQuestion& question, Tree& t, std::size_t i) const {
  t.kind[i] = static_cast<std::uint8_t>(question.kind), t.column[i] = question.column;
  t.threshold[i] = question.threshold.real, t.threshold_floor[i] = question.threshold.floor;
  t.missing_child[i] = question.missing_child, t.missing_seen[i] = question.missing_seen;
  t.gain[i] = question.worth.gain, t.improvement[i] = question.worth.improvement;
  t.gain_ratio[i] = question.gain_ratio, t.corrected_gain[i] = question.worth.corrected_gain;
  write_levels(question, t);
}

void TreeBuilder::write_terms(const std::vector<NodeId>& order, TermArrays& to) const {
  if (terms_.empty()) return;
  for (const NodeId id : order) {
    const TreeNode& node = (*this)[id];
    to.begin.push_back(static_cast<std::int64_t>(to.size()));
    if (node.n_children == 0) continue;
    const std::int32_t place = questions_[static_cast<std::size_t>(node.question)].terms;
    if (place < 0) continue;
    for (const Term& term : terms_[static_cast<std::size_t>(place)]) to.add(term);
  }
  to.begin.push_back(static_cast<std::int64_t>(to.size()));
}

// Others were added in the order of the questions, and all those of one question one after the other.
void TreeBuilder::write_others(const std::vector<NodeId>& order, OtherQuestions& to) const {
  if (others_.empty()) return;
  std::vector<std::size_t> first(questions_.size() + 1, 0);
  for (const OtherQuestion& other : others_) ++first[static_cast<std::size_t>(other.of) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  for (const NodeId id : order) {
    const TreeNode& node = (*this)[id];
    to.begin.push_back(static_cast<std::int64_t>(to.size()));
    if (node.n_children == 0 || node.question < 0) continue;
    const auto question = static_cast<std::size_t>(node.question);
    for (std::size_t i = first[question]; i < first[question + 1]; ++i) write(others_[i], to);
  }
  to.begin.push_back(static_cast<std::int64_t>(to.size()));
  to.level_begin.push_back(static_cast<std::int64_t>(to.level.size()));
}

void TreeBuilder::write(const OtherQuestion& other, OtherQuestions& to) const {
  const TreeQuestion& question = other.question;
  to.role.push_back(static_cast<std::uint8_t>(other.role)), to.kind.push_back(static_cast<std::uint8_t>(question.kind));
  to.missing_seen.push_back(question.missing_seen), to.flipped.push_back(other.flipped),
      to.column.push_back(question.column);
  to.n_children.push_back(other.n_children), to.missing_child.push_back(question.missing_child);
  to.threshold.push_back(question.threshold.real), to.threshold_floor.push_back(question.threshold.floor);
  to.n_rows.push_back(other.n_rows), to.gain.push_back(question.worth.gain);
  to.gain_ratio.push_back(question.gain_ratio), to.corrected_gain.push_back(question.worth.corrected_gain);
  to.agreement.push_back(other.agreement), to.adjusted_agreement.push_back(other.adjusted_agreement);
  to.level_begin.push_back(static_cast<std::int64_t>(to.level.size()));
  write_levels(question, to);
}

}  // namespace arboretum
