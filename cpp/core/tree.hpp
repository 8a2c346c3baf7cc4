// Tree: the grown tree as arrays, one entry per node, children next to each other, numbered breadth-first. Every node
// keeps its summary, so labels, pruning and drawings need no second pass over the data.
#pragma once
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "core/grow/candidate.hpp"
#include "core/grow/limits.hpp"
#include "core/grow/partition.hpp"
#include "core/grow/split.hpp"

namespace arboretum {

using NodeId = std::int32_t;
inline constexpr NodeId no_node = -1;

// A tree of questions with two answers has at most twice as many nodes as rows. One with a branch for every level may
// have far more, nearly all of them empty: growth ends here, before the memory does.
inline constexpr std::size_t most_nodes = 20'000'000;
class TooManyNodes : public std::exception {
 public:
  explicit TooManyNodes(std::uint32_t column) : column_{std::to_string(column)} {}
  const char* what() const noexcept override { return column_.c_str(); }  // the number of the column with those levels

 private:
  std::string column_;
};

// Where a threshold is kept.
struct ThresholdPlace {
  double* real;
  std::int64_t* floor;
};

// Questions that a node does not ask but remembers: the runners-up, and those that stand in where a value is missing.
enum class Role : std::uint8_t { competitor, surrogate };

struct OtherQuestions {
  std::vector<std::int64_t> begin;  // of node i: [begin[i], begin[i + 1])
  std::vector<std::uint8_t> role, kind, flipped, missing_seen;
  std::vector<std::int32_t> column, n_children, missing_child;
  std::vector<double> threshold;
  std::vector<std::int64_t> threshold_floor, n_rows;
  std::vector<double> gain, gain_ratio, corrected_gain, agreement, adjusted_agreement;
  std::vector<std::int64_t> level_begin;
  std::vector<std::int32_t> level, level_child;

  std::size_t size() const { return role.size(); }
};

// The terms of questions about several columns; nothing at all in a tree without such questions.
struct TermArrays {
  std::vector<std::int64_t> begin;  // of node i: [begin[i], begin[i + 1])
  std::vector<std::int32_t> column, level;
  std::vector<std::uint8_t> kind, negated;
  std::vector<double> threshold, coefficient, fill;
  std::vector<std::int64_t> threshold_floor;

  std::size_t size() const { return column.size(); }
  void add(const Term& term);
};

struct Tree {
  std::vector<NodeId> parent, first_child;
  std::vector<std::int32_t> n_children, depth, column;
  std::vector<std::uint8_t> kind;             // QuestionKind
  std::vector<double> threshold;              // rounded down to a double
  std::vector<std::int64_t> threshold_floor;  // rounded down to an integer
  std::vector<std::int32_t> missing_child;    // which child takes missing values
  std::vector<std::uint8_t> missing_seen;     // had the node missing values in that column?
  std::vector<std::int64_t> level_begin;      // levels[level_begin[node], level_begin[node + 1])
  std::vector<std::int32_t> level, level_child;
  std::vector<std::int64_t> n_rows;
  std::vector<double> weight, impurity, gain;
  std::vector<double> gain_ratio, corrected_gain;
  std::vector<double> improvement;   // gain times the node's share of the root's weight
  std::vector<double> value;         // real targets: what the node predicts
  std::vector<double> counts;        // classes: weight of each class, n_classes per node
  std::vector<double> lower, upper;  // under monotone constraints: what the node may predict
  std::vector<double> p_value;       // where a test chooses the columns; NaN in nodes that it did not see
  OtherQuestions others;
  TermArrays terms;

  std::size_t size() const { return parent.size(); }

  // Calls visit(column, place) for every threshold: of questions, of those beside them, and of terms.
  void each_threshold(const std::function<void(std::int32_t column, ThresholdPlace place)>& visit);
};

// A node while the tree grows. There may be millions: what only some nodes have is kept aside.
struct TreeNode {
  NodeId parent = no_node, first_child = no_node;
  std::int32_t n_children = 0;
  std::int32_t question = -1;  // place among the questions
  Row begin = 0, end = 0;      // its rows
  double weight = 0.0, impurity = 0.0, value = 0.0;

  Range range() const { return {begin, end}; }
};

// What a question is worth.
struct Worth {
  double gain = 0.0, improvement = 0.0;
  double corrected_gain = 0.0;  // without what is gained by chance, where levels are corrected
};

// What a node asks.
struct TreeQuestion {
  std::int32_t column = -1;
  std::int32_t levels = -1;  // place among the lists of levels
  std::int32_t terms = -1;   // place among the lists of terms
  std::int32_t missing_child = 1;
  QuestionKind kind = QuestionKind::leaf;
  bool missing_seen = false;
  ThresholdValue threshold{};
  Worth worth{};
  double gain_ratio = 0.0;
};

struct OtherQuestion {
  std::int32_t of = -1;  // place among the questions of the one that is asked
  Role role = Role::competitor;
  TreeQuestion question{};
  std::int32_t n_children = 2;
  bool flipped = false;
  double agreement = 0.0, adjusted_agreement = 0.0;
  Row n_rows = 0;
};

// Collects nodes in the order of growth; `finish` renumbers them breadth-first, so that the order of growth is
// forgotten.
class TreeBuilder {
 public:
  explicit TreeBuilder(bool constrained) : constrained_{constrained} {}

  NodeId add(NodeId parent, Range range, const Bounds& bounds);
  void ask(NodeId id, const Split& split, const ThresholdValue& threshold, const Worth& worth);
  void ask(NodeId id, const ChosenSplit& split, const ThresholdValue& threshold, const Worth& worth);
  void add_competitor(NodeId id, const Candidate& split, const ThresholdValue& threshold);
  void add_surrogate(NodeId id, const SurrogateSplit& split, const ThresholdValue& threshold);
  void test(NodeId id, double p_value);
  // Puts a tree that was grown apart in the place of one of the leaves.
  void graft(NodeId at, TreeBuilder part);

  TreeNode& operator[](NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  const TreeNode& operator[](NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  std::uint32_t n_leaves() const { return n_leaves_; }
  std::size_t size() const { return nodes_.size(); }

  // The tree, and the rows of its nodes in their final order.
  Tree finish(std::vector<Range>* ranges) &&;

 private:
  TreeQuestion question_of(const Split& split, const ThresholdValue& threshold);
  void fetch(const std::vector<NodeId>& order, std::size_t i) const;
  std::vector<NodeId> renumber();
  void resize(Tree& tree, std::size_t n) const;
  void write(const TreeNode& node, NodeId id, Tree& tree, std::size_t i) const;
  void write(const TreeQuestion& question, Tree& tree, std::size_t i) const;
  void write(const OtherQuestion& other, OtherQuestions& to) const;
  template <class Arrays>
  void write_levels(const TreeQuestion& question, Arrays& to) const;
  void write_terms(const std::vector<NodeId>& order, TermArrays& to) const;
  void write_others(const std::vector<NodeId>& order, OtherQuestions& to) const;

  bool constrained_;
  std::vector<TreeNode> nodes_;
  std::vector<TreeQuestion> questions_;
  std::vector<Bounds> bounds_;
  std::vector<double> p_values_;  // by node, up to the last that was tested
  std::vector<OtherQuestion> others_;
  std::vector<std::vector<std::pair<Code, std::uint32_t>>> levels_;
  std::vector<std::vector<Term>> terms_;
  std::uint32_t n_leaves_ = 0;
};

}  // namespace arboretum
