#include "core/search/optimal/optimal.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/search/optimal/deep_search.hpp"

namespace arboretum::optimal {
namespace {

// Writes questions out as splits that a tree can ask.
class Writer {
 public:
  explicit Writer(const OptimalTable& table) : table_{table} {}

  PlannedTree write(const Node& root, const PlanPart& plan) {
    add(root, plan);
    return std::move(planned_);
  }

 private:
  std::int32_t add(const Node& node, const PlanPart& part) {
    if (part == nullptr) return -1;
    const Cut cut = part->cut.column >= 0 ? part->cut : best_stump(node).cut;
    Node left{table_, node.rows}, right{table_, node.rows};
    node.divide(cut, left, right);
    const auto place = static_cast<std::int32_t>(planned_.size());
    planned_.emplace_back();
    const auto column = static_cast<std::size_t>(cut.column);
    const Asked& asked = table_.columns[column];
    Split split = asked.ordered ? threshold(node, column, left.rows) : levels(node, cut);
    split.column = asked.column;
    const bool turned = split.kind == QuestionKind::missing && !sends_missing_left(cut);
    const std::int32_t l = add(left, part->left), r = add(right, part->right);
    planned_[static_cast<std::size_t>(place)] = {std::move(split), turned ? r : l, turned ? l : r};
    return place;
  }

  // Where the search sends them: "is it missing?" always sends them left.
  bool sends_missing_left(Cut cut) const {
    const Asked& asked = table_.columns[static_cast<std::size_t>(cut.column)];
    return asked.ordered ? asked.missing_first : sends_left(table_, cut, asked.missing);
  }

  Split threshold(const Node& node, std::size_t column, std::size_t at) const {
    const Asked& asked = table_.columns[column];
    const Rank* ranks = node.ranks(column);
    Split split;
    split.missing_seen =
        asked.has_missing && (asked.missing_first ? ranks[0] == asked.missing : ranks[node.rows - 1] == asked.missing);
    split.missing_left = split.missing_seen && asked.missing_first;
    const Rank low = ranks[at - 1], high = ranks[at], shift = asked.missing_first ? 1 : 0;
    if (asked.has_missing && (low == asked.missing || high == asked.missing)) {
      split.kind = QuestionKind::missing;
      split.missing_left = true;
      return split;
    }
    split.cut = low - shift, split.next = high - shift;
    return split;
  }

  Split levels(const Node& node, Cut cut) const {
    const auto column = static_cast<std::size_t>(cut.column);
    const Asked& asked = table_.columns[column];
    Split split;
    split.kind = QuestionKind::levels;
    std::vector<bool> seen(asked.n_ranks + 1);
    for (std::size_t i = 0; i < node.rows; ++i) seen[node.ranks(column)[i]] = true;
    split.missing_seen = asked.has_missing && seen[asked.missing];
    split.missing_left = split.missing_seen && sends_left(table_, cut, asked.missing);
    bool any_left = false, any_right = false;
    for (Rank rank = 0; rank < asked.n_ranks; ++rank) {
      if (!seen[rank] || (asked.has_missing && rank == asked.missing)) continue;
      const bool left = sends_left(table_, cut, rank);
      split.levels.emplace_back(asked.levels[rank], child_of(left));
      (left ? any_left : any_right) = true;
    }
    if (any_left && any_right) return split;
    // Only missing values are on one side.
    Split missing;
    missing.kind = QuestionKind::missing;
    missing.missing_seen = true;
    missing.missing_left = true;
    return missing;
  }

  const OptimalTable& table_;
  PlannedTree planned_;
};

std::size_t n_splits(const PlanPart& part) {
  return part == nullptr ? 0 : 1 + n_splits(part->left) + n_splits(part->right);
}

constexpr double few_passes = 50'000;  // for a search that may be in vain

class Driver {
 public:
  Driver(const Dataset& data, const Targets& targets, const OptimalOptions& options, Interrupt& interrupt)
      : options_{options},
        budget_{options, interrupt},
        table_{data, targets, options, interrupt},
        root_{Node::root(table_)},
        first_{table_, options, budget_, true} {
    for (std::uint32_t i = 1; i < std::max(1u, options.n_threads); ++i)
      others_.push_back(std::make_unique<Searcher>(table_, options, budget_, false));
    most_splits_ = std::min({static_cast<double>(options.max_leaves), static_cast<double>(table_.n_rows),
                             std::exp2(std::min<double>(options.max_depth, 60.0))}) -
                   1.0;
    budget_.take(3 * Node::bytes(table_, table_.n_rows));
  }

  Outcome run(const Report& report) {
    Outcome outcome;
    Searcher::Company company = company_of(outcome, report);
    Plan plan;
    const Cost relaxed = solve(-1, plan, company);
    outcome.best = found(plan, relaxed, company);
    outcome.stop = budget_.reason();
    outcome.history.push_back({budget_.seconds(), outcome.best.objective, outcome.best.bound});
    if (options_.alternatives) outcome.alternatives = alternatives();
    outcome.seconds = budget_.seconds(), outcome.passes = budget_.passes();
    return outcome;
  }

 private:
  Searcher::Company company_of(Outcome& outcome, const Report& report) {
    Searcher::Company company;
    for (const auto& other : others_) company.others.push_back(other.get());
    company.watch = [this, &outcome, &report](const Progress& progress) {
      const Moment now{progress.seconds, reported(progress.best, 0.0), reported_bound(progress.bound)};
      const bool is_news = outcome.history.empty() || outcome.history.back().objective != now.objective ||
                           outcome.history.back().bound != now.bound;
      if (is_news) outcome.history.push_back(now);
      if (report) report(now);
    };
    return company;
  }

  Cost solve(std::int32_t column, Plan& plan, Searcher::Company& company) {
    if (table_.has_simple_mistakes()) {
      // A tree without a mistake is looked for first: that there is none is soon known, as a rule.
      budget_.allow(few_passes);
      const Cost relaxed = solve_below(table_.penalty + table_.unit, column, plan, company);
      if (budget_.was_enough() && (plan.cost < far || budget_.stopped())) return relaxed;
    }
    return solve_below(far, column, plan, company);
  }

  Cost solve_below(Cost limit, std::int32_t column, Plan& plan, Searcher::Company& company) {
    const Cells cells{root_, first_.n_cells()};
    Bounds bounds(table_.columns.size() * cells.size(), 0.0);
    const Task task{root_, options_.max_depth, options_.max_leaves, limit, cells, bounds, column, true};
    if (!budget_.look(true)) {
      const Cost relaxed = first_.solve_in_company(task, plan, company);
      if (plan.cost < far || !budget_.stopped()) return relaxed;
    }
    if (column < 0) plan = {root_.leaf(), nullptr};
    return 0.0;
  }

  // The best tree whose root asks about each column; a bound where the budget was spent before.
  std::vector<Found> alternatives() {
    std::vector<Found> all;
    for (const Asked& asked : table_.columns) {
      if (!all.empty() && all.back().column == static_cast<std::int32_t>(asked.column)) continue;
      Searcher::Company company;
      for (const auto& other : others_) company.others.push_back(other.get());
      Plan plan;
      const Cost relaxed = solve(static_cast<std::int32_t>(asked.column), plan, company);
      if (plan.root == nullptr) {
        if (plan.cost < far || budget_.stopped()) continue;
      }
      if (plan.root == nullptr) continue;
      all.push_back(found(plan, relaxed, company));
      all.back().column = static_cast<std::int32_t>(asked.column);
    }
    return all;
  }

  Found found(const Plan& plan, Cost, const Searcher::Company& company) {
    Found found;
    found.objective = reported(plan.cost, static_cast<double>(n_splits(plan.root)));
    found.bound =
        company.bound >= plan.cost ? found.objective : std::min(found.objective, reported_bound(company.bound));
    found.tree = Writer{table_}.write(root_, plan.root);
    return found;
  }

  // Without the step that each leaf costs to be counted.
  Cost step() const { return table_.goal == Goal::squares ? table_.slack : 1.0; }
  double reported(Cost cost, double splits) const {
    if (cost >= far) return std::numeric_limits<double>::infinity();
    const Cost own = splits > 0.0 ? cost - splits * step() : cost;
    return table_.reported(whole(own));
  }
  double reported_bound(Cost bound) const {
    const double splits = std::min(most_splits_, std::floor(bound / table_.penalty));
    // Without a price of leaves, mistakes are counted in whole units.
    const bool free = table_.goal != Goal::squares && table_.penalty == 1.0;
    return std::max(0.0, free ? table_.reported(table_.unit * std::floor(bound / table_.unit))
                              : table_.reported(bound - splits * step()));
  }
  Cost whole(Cost cost) const {
    return table_.goal != Goal::squares && table_.penalty == 1.0 ? table_.unit * std::floor(cost / table_.unit) : cost;
  }

  const OptimalOptions& options_;
  Budget budget_;
  OptimalTable table_;
  Node root_;
  Searcher first_;
  std::vector<std::unique_ptr<Searcher>> others_;
  double most_splits_ = 0.0;
};

}  // namespace

Outcome search(const Dataset& data, const Targets& targets, const OptimalOptions& options, Interrupt& interrupt,
               const Report& report) {
  return Driver{data, targets, options, interrupt}.run(report);
}

}  // namespace arboretum::optimal
