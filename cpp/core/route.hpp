// Route: which leaf a row comes to. One rule for every kind of question; used to predict, to apply and to draw. A
// Router is built from arrays that may come from a file, so the constructor checks every index.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "core/dataset.hpp"
#include "core/questions/term.hpp"
#include "core/tree.hpp"

namespace arboretum {

enum class Way : std::uint8_t { fast, plain };

// What becomes of a row whose value is missing: it follows the child that takes missing values; it is sent by the first
// surrogate that can tell, and only then by that; or it goes to every child, in shares.
enum class MissingRule : std::uint8_t { child, surrogates, fractions };

class Router {
 public:
  struct Arrays {
    std::vector<NodeId> first_child;
    std::vector<std::int32_t> n_children, column;
    std::vector<std::uint8_t> kind;
    std::vector<double> threshold;
    std::vector<std::int64_t> threshold_floor;
    std::vector<std::int32_t> missing_child;
    std::vector<std::int64_t> level_begin;
    std::vector<std::int32_t> level, level_child;
    std::vector<double> weight;
    MissingRule rule = MissingRule::child;
    OtherQuestions others{};  // only what surrogates need is read
    TermArrays terms{};
  };

  using Poll = std::function<void()>;  // is called from time to time, and may throw

  explicit Router(Arrays arrays);
  ~Router();

  std::size_t n_columns() const { return n_columns_; }
  std::size_t n_nodes() const { return heavier_child_.size(); }
  // Whether its rows may walk as doubles, whatever the types of the columns.
  bool walks() const;
  bool divides_rows() const { return arrays_.rule == MissingRule::fractions; }

  // The leaves of all rows. Where the tree and the types of the columns allow it, many rows walk at once: the answer is
  // the same, and Way::plain lets tests see that.
  void leaves_of(const Dataset& data, std::span<NodeId> leaves, const Poll& poll, Way way = Way::fast) const;

  using OpenNodes = std::vector<std::pair<std::size_t, double>>;  // scratch: nodes to visit, and their shares of a row

  // Where a row comes to rest: a leaf, or an inner node that cannot send it on. Of a row that is divided among several
  // leaves, the one that has most of it, the first among equals.
  NodeId leaf_of(const Dataset& data, Row row, OpenNodes& open) const;
  NodeId leaf_of(const Dataset& data, Row row) const {
    OpenNodes open;
    return leaf_of(data, row, open);
  }

  // Calls visit(node, share) for every node that a divided row passes on its way.
  template <class Visit>
  void visit_nodes(const Dataset& data, Row row, OpenNodes& open, Visit&& visit) const {
    open.assign(1, {0, 1.0});
    while (!open.empty()) {
      const auto [node, share] = open.back();
      open.pop_back();
      visit(node, share);
      if (arrays_.n_children[node] == 0) continue;
      const std::int32_t child = answer(node, data, row);
      const auto first = static_cast<std::size_t>(arrays_.first_child[node]);
      if (child >= 0) open.emplace_back(first + static_cast<std::size_t>(child), share);
      else
        for (std::size_t c = at(arrays_.n_children, node); c-- > 0;)
          if (shares_[first + c] > 0.0) open.emplace_back(first + c, share * shares_[first + c]);
    }
  }

  // The child that a row goes to; -1 if the node cannot tell (where rows are divided), or the row goes no further.
  std::int32_t next(std::size_t node, const Dataset& data, Row row) const {
    return divides_rows() ? answer(node, data, row) : child_of(node, data, row);
  }

  // The children that many rows go to by the question's own column alone; -1 where surrogates are asked, where the row
  // is divided, and where it goes no further.
  void own_children(std::size_t node, const Dataset& data, Row first, std::span<std::int32_t> children) const;

  // Whether no row is ever -1 there.
  bool always_sends(std::size_t node) const {
    if (kind(node) == QuestionKind::missing || is_composite(kind(node))) return true;
    return arrays_.rule == MissingRule::child && arrays_.missing_child[node] >= 0;
  }

  // The child, as `next` finds it, and the column that decided: that of the surrogate which sent the row, else that of
  // the question, whose value may be missing.
  struct Told {
    std::int32_t child;
    std::uint32_t column;
  };
  Told told(std::size_t node, const Dataset& data, Row row) const;

  // What those need to know who go down the tree in their own way.
  std::size_t first_child(std::size_t node) const { return at(arrays_.first_child, node); }
  std::size_t n_children(std::size_t node) const { return at(arrays_.n_children, node); }
  std::uint32_t column(std::size_t node) const { return static_cast<std::uint32_t>(arrays_.column[node]); }
  std::int32_t missing_child(std::size_t node) const { return arrays_.missing_child[node]; }
  double weight(std::size_t node) const { return arrays_.weight[node]; }
  QuestionKind kind(std::size_t node) const { return static_cast<QuestionKind>(arrays_.kind[node]); }
  double bound(std::size_t node) const { return arrays_.threshold[node]; }
  bool asks_surrogates() const { return arrays_.rule == MissingRule::surrogates; }
  std::span<const Term> terms_of(std::size_t node) const {
    if (arrays_.terms.begin.empty()) return {};
    const std::size_t begin = at(arrays_.terms.begin, node), end = at(arrays_.terms.begin, node + 1);
    return std::span{terms_}.subspan(begin, end - begin);
  }

  // The places of a node's surrogates, where rows are sent by them, the best first.
  auto surrogates_of(std::size_t node) const {
    const std::size_t begin = asks_surrogates() ? at(arrays_.others.begin, node) : 0;
    const std::size_t end = asks_surrogates() ? at(arrays_.others.begin, node + 1) : 0;
    return std::views::iota(begin, end) | std::views::filter([this](std::size_t i) {
             return static_cast<Role>(arrays_.others.role[i]) == Role::surrogate;
           });
  }
  std::uint32_t surrogate_column(std::size_t surrogate) const {
    return static_cast<std::uint32_t>(arrays_.others.column[surrogate]);
  }

  // Which child a question leads to, and a surrogate; -1 if it cannot tell.
  std::int32_t answer(std::size_t node, const Dataset& data, Row row) const;
  std::int32_t sent_by(std::size_t surrogate, const Dataset& data, Row row) const;

  // For each row the mean of `values` (`width` numbers a node) over the leaves that it comes to, by its share in each.
  void blend(const Dataset& data, std::span<const double> values, std::size_t width, std::span<double> blended,
             const Poll& poll) const;

 private:
  friend class Descent;  // sends sets of rows by the same rule
  struct Walks;          // compact copies of the tree, made when first needed

  template <class T>
  static std::size_t at(const std::vector<T>& values, std::size_t i) {
    return static_cast<std::size_t>(values[i]);
  }

  // Calls visit(leaf, share); shares add up to 1.
  template <class Visit>
  void visit_leaves(const Dataset& data, Row row, OpenNodes& open, Visit&& visit) const {
    visit_nodes(data, row, open, [&](std::size_t node, double share) {
      if (arrays_.n_children[node] == 0) visit(node, share);
    });
  }

  std::int32_t child_of(std::size_t node, const Dataset& data, Row row) const { return sent(node, data, row).child; }
  Told sent(std::size_t node, const Dataset& data, Row row) const;
  std::int32_t last_resort(std::size_t node, const Dataset& data, Row row) const;
  bool is_missing(std::size_t node, const Dataset& data, Row row) const;
  double child_weight(std::size_t node, std::int32_t child) const {
    return arrays_.weight[static_cast<std::size_t>(arrays_.first_child[node] + child)];
  }

  // What the constructor does.
  void check();
  void check_others();
  void read_terms();
  void read_term(std::size_t node, std::size_t i);
  void look_at_columns();
  void find_shares();

  template <class T>
  bool walks_as(const Dataset& data) const;

  Arrays arrays_;
  std::vector<std::int32_t> heavier_child_;
  std::vector<Term> terms_;
  std::vector<double> shares_;  // of the parent's rows that go to each node, where rows are divided
  std::size_t n_columns_ = 0;
  bool two_way_ = true;               // two children everywhere, no question about levels
  std::vector<std::uint32_t> asked_;  // the columns that questions are about
  std::vector<double> reach_;         // column -> how far from zero its thresholds lie
  std::unique_ptr<Walks> walks_;
};

}  // namespace arboretum
