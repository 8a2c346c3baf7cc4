// DeepSearch: the best tree of three levels or more. Its root cuts lie in intervals between cuts whose children are
// solved; the interval with the least bound is halved first. A child is solved not only until its own cut is ruled out,
// but until every cut beyond it in the interval is.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <vector>

#include "core/search/optimal/bounds.hpp"
#include "core/search/optimal/faultless.hpp"
#include "core/search/optimal/pair_search.hpp"

namespace arboretum::optimal {

// What the search of the whole table tells on its way.
struct Progress {
  double seconds = 0.0;
  Cost best = far, bound = 0.0;
};
using Watch = std::function<void(const Progress&)>;

// One thread's way through nodes of all depths.
class Searcher {
 public:
  Searcher(const OptimalTable& table, const OptimalOptions& options, Budget& budget, bool asks)
      : table_{table},
        options_{options},
        budget_{budget},
        asks_{asks},
        pairs_{table, options, budget, asks},
        faultless_{table, options, budget} {}

  // A lower bound on the cost of a tree. Where that is below the limit, `plan` has the tree, unless the budget is
  // spent; with leaves limited, the bound is that of trees without such a limit.
  Cost solve(const Task& task, Plan& plan);

  // With several threads for the root's intervals, and somebody who watches.
  struct Company {
    std::vector<Searcher*> others;
    Watch watch;
    Cost bound = 0.0;  // of the trees asked for, when the search has ended
  };
  Cost solve_in_company(const Task& task, Plan& plan, Company& company);

  std::size_t n_cells() const { return std::min(most_cells, pairs_.n_cuts()); }
  bool asks() const { return asks_; }
  Budget& budget() { return budget_; }
  double gap() const { return options_.gap; }
  const OptimalTable& table() const { return table_; }

  // The rows of children, kept from one division to the next.
  struct Children {
    std::size_t capacity = 0;
    std::unique_ptr<Node> left, right;
  };
  Children* children(std::uint32_t depth, std::size_t rows);

 private:
  Cost solve(const Task& task, Plan& plan, Company* company);
  void search(const Task& task, Plan& plan, Company* company);

  const OptimalTable& table_;
  const OptimalOptions& options_;
  Budget& budget_;
  bool asks_;
  PairSearch pairs_;
  Faultless faultless_;
  std::vector<Children> levels_;
};

class DeepSearch {
 public:
  DeepSearch(const Task& task, Plan& plan, Searcher& first, Searcher::Company* company);
  void run();

 private:
  // A cut, what is known of its children, and their bounds.
  struct Point {
    std::size_t at = 0;
    Cost left = 0.0, right = 0.0;
    Bounds below_left, below_right;
  };
  // The cuts strictly between two points; or one question about levels.
  struct Interval {
    Cost bound = 0.0;
    std::uint32_t column = 0, left_leaves = 1;
    std::int64_t question = -1;
    const Point *lo = nullptr, *hi = nullptr;

    bool operator<(const Interval& other) const {  // is the other one to be halved first?
      if (bound != other.bound) return bound > other.bound;
      return hi->at - lo->at < other.hi->at - other.lo->at;
    }
  };
  // A cut whose turn has come.
  struct Choice {
    Interval in;
    Point point;
    Cut cut;
    Cost limit = far;  // trees that cost as much were of no interest when it was chosen
  };
  struct Children {
    Plan left, right;
  };

  Cost sum(const Point& point) const { return point.left + point.right + table_.penalty; }
  void open_intervals();
  Cost limit(const Interval& interval) const;
  bool choose(Choice& choice);
  bool choose_threshold(Choice& choice);
  bool choose_levels(Choice& choice);
  void solve_children(Choice& choice, Children& children, Searcher& by);
  void offer(const Choice& choice, const Children& children);
  void keep(Choice&& choice, const Children& children);
  void settle();
  void work(Searcher& by);
  bool may_stop();
  Cost open_bound() const;
  void tell(bool improved);
  void record(std::size_t column, std::size_t lo, std::size_t hi, Cost value);
  void record(const Interval& interval, Cost value);

  const Task& task_;
  const Node& node_;
  const OptimalTable& table_;
  Plan& plan_;
  Searcher& first_;
  Searcher::Company* company_;
  const double gap_;
  std::size_t n_cells_, size_;
  Cells below_;
  Cost best_ = far;
  Cost tie_ = 0.0;  // where the first of equals is wanted
  Turn turn_{};     // of the best, and what its children cost
  Cost left_cost_ = far, right_cost_ = far;
  Cost less_ = 0.0;
  std::vector<Reach> reach_;  // by column
  std::vector<std::array<std::size_t, most_cells + 1>> places_;
  std::deque<Point> points_;
  std::priority_queue<Interval> queue_;
  Bounds fresh_;
  std::size_t taken_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Cost> in_work_;  // bounds of the intervals that threads are at
  double told_ = -1.0;
};

}  // namespace arboretum::optimal
