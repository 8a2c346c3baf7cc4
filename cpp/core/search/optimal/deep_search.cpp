#include "core/search/optimal/deep_search.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "core/parallel.hpp"

namespace arboretum::optimal {
namespace {

std::uint32_t most_leaves(std::uint32_t depth) {
  return depth >= 31 ? std::uint32_t{1} << 31 : std::uint32_t{1} << depth;
}

}  // namespace

Searcher::Children* Searcher::children(std::uint32_t depth, std::size_t rows) {
  if (levels_.size() <= depth) levels_.resize(depth + 1);
  Children& here = levels_[depth];
  if (here.capacity >= rows) return &here;
  // Both may need all the rows, see Node::divide.
  if (!budget_.take(2 * Node::bytes(table_, rows - here.capacity))) return nullptr;
  here.left = std::make_unique<Node>(table_, rows), here.right = std::make_unique<Node>(table_, rows);
  here.capacity = rows;
  return &here;
}

Cost Searcher::solve(const Task& task, Plan& plan) { return solve(task, plan, nullptr); }

Cost Searcher::solve_in_company(const Task& task, Plan& plan, Company& company) {
  const Cost relaxed = solve(task, plan, &company);
  if (!budget_.stopped()) company.bound = std::min(plan.cost, task.limit);
  else company.bound = std::min(plan.cost, std::max(company.bound, relaxed));
  return relaxed;
}

Cost Searcher::solve(const Task& given, Plan& plan, Company* company) {
  const Node& node = given.node;
  const bool any_root = given.root < 0;
  const Cost leaf = node.leaf();
  plan = {};
  if (any_root && leaf < given.limit) plan.cost = leaf;
  const Cost enough = any_root ? std::min(leaf, given.limit) : given.limit;
  if (any_root && (leaf <= table_.penalty || node.rows < 2 || given.leaves < 2 || given.depth == 0)) return leaf;
  if (enough <= table_.penalty) return enough;  // any question costs that much

  // A tree that costs less than that has few leaves, and so few levels.
  Task task = given;
  const double most_splits = std::ceil(enough / table_.penalty) - 1.0;
  Cost beyond = far;  // what a tree with more of them costs at least
  const std::uint32_t leaves = std::min(
      {given.leaves, most_leaves(given.depth), static_cast<std::uint32_t>(std::min<std::size_t>(node.rows, 1u << 31))});
  task.leaves = leaves;
  if (most_splits + 1.0 < leaves)
    task.leaves = static_cast<std::uint32_t>(most_splits) + 1, beyond = (most_splits + 1.0) * table_.penalty;
  task.depth = std::min(given.depth, task.leaves - 1);

  if (any_root && lowest(task.bounds) >= enough) return std::min(leaf, lowest(task.bounds));
  Bounds own = beyond < far ? task.bounds : Bounds{};
  Task reduced{node,      task.depth,      task.leaves, task.limit, task.cells, beyond < far ? own : task.bounds,
               task.root, task.wants_first};
  search(reduced, plan, company);
  for (std::size_t i = 0; i < own.size(); ++i) task.bounds[i] = std::max(task.bounds[i], std::min(own[i], beyond));
  return any_root ? std::min(leaf, lowest(task.bounds)) : lowest(task.bounds);
}

// By the way that is made for so many levels.
void Searcher::search(const Task& task, Plan& plan, Company* company) {
  if (task.depth > 2) return DeepSearch{task, plan, *this, company}.run();
  const bool any_root = task.root < 0;
  const Cost enough = std::min(task.limit, plan.cost);
  if (faultless_.settles(enough)) {
    if (!budget_.spend_pass(asks_)) faultless_.solve(task, plan);
    return;
  }
  const Stump stump = best_stump(task.node, task.depth == 1 ? task.root : -1);
  if ((any_root || task.depth == 1) && stump.allowed < enough)
    plan = {stump.allowed, any_root ? a_stump() : joined(stump.cut, nullptr, nullptr)};
  if (task.depth == 2) return pairs_.solve(task, stump, plan);
  for (Cost& bound : task.bounds) bound = std::max(bound, stump.least);
}

DeepSearch::DeepSearch(const Task& task, Plan& plan, Searcher& first, Searcher::Company* company)
    : task_{task},
      node_{task.node},
      table_{first.table()},
      plan_{plan},
      first_{first},
      company_{company},
      gap_{first.gap()},
      n_cells_{task.cells.size()},
      size_{node_.n_columns() * n_cells_},
      below_{node_, n_cells_},
      fresh_(size_, far) {}

void DeepSearch::run() {
  const bool any_root = task_.root < 0;
  best_ = std::min(task_.limit, plan_.cost);
  tie_ = task_.wants_first ? table_.tie : 0.0;
  turn_ = best_ < task_.limit ? Turn::no_question() : Turn::none();
  // The whole node with one level less: the one child of the empty cuts at both ends.
  Bounds whole(size_, 0.0);
  Plan shallow;
  const Task less{node_, task_.depth - 1, task_.leaves - 1, best_, below_, whole, -1};
  less_ = first_.solve(less, shallow);
  if (any_root && shallow.cost < best_) best_ = shallow.cost, plan_ = shallow, turn_ = Turn::none();
  points_.push_back({0, 0.0, less_, Bounds(size_, 0.0), whole});
  points_.push_back({node_.rows, less_, 0.0, whole, Bounds(size_, 0.0)});
  open_intervals();
  tell(true);
  const std::size_t n_others = company_ != nullptr ? company_->others.size() : 0;
  in_work_.assign(n_others + 1, far);
  if (n_others == 0) {
    work(first_);
  } else {
    share(static_cast<unsigned>(n_others + 1), n_others + 1,
          [&](std::size_t, unsigned worker) { work(worker == 0 ? first_ : *company_->others[worker - 1]); });
  }
  if (company_ != nullptr) company_->bound = std::min(best_, open_bound());
  tell(true);
  if (task_.wants_first && !first_.budget().stopped()) settle();
  for (; !queue_.empty(); queue_.pop()) record(queue_.top(), queue_.top().bound);
  for (std::size_t i = 0; i < size_; ++i) task_.bounds[i] = std::max(task_.bounds[i], fresh_[i]);
  first_.budget().give_back(taken_);
}

void DeepSearch::open_intervals() {
  const std::uint32_t most = most_leaves(task_.depth - 1);
  places_.resize(node_.n_columns());
  for (std::uint32_t f = 0; f < node_.n_columns(); ++f) {
    reach_.emplace_back(node_, f);
    task_.cells.places(node_, f, places_[f].data());
    if (task_.root >= 0 && table_.columns[f].column != static_cast<std::uint32_t>(task_.root)) continue;
    // How the leaves may be shared between the children.
    const std::uint32_t from = task_.leaves > most ? task_.leaves - most : 1, to = std::min(most, task_.leaves - 1);
    for (std::uint32_t left = from; left <= to; ++left) {
      Interval all{.bound = 0.0, .column = f, .left_leaves = left, .lo = &points_[0], .hi = &points_[1]};
      if (table_.columns[f].ordered) queue_.push(all);
      else
        for (std::size_t q = 0; q < table_.columns[f].questions.size(); ++q)
          all.question = static_cast<std::int64_t>(q), queue_.push(all);
    }
  }
}

// A lower bound of the cuts from lo to hi.
void DeepSearch::record(std::size_t column, std::size_t lo, std::size_t hi, Cost value) {
  const auto& at = places_[column];
  for (std::size_t c = 0; c < n_cells_; ++c)
    if (at[c] <= hi && at[c + 1] >= lo) fresh_[column * n_cells_ + c] = std::min(fresh_[column * n_cells_ + c], value);
}

void DeepSearch::record(const Interval& interval, Cost value) {
  if (interval.question < 0) return record(interval.column, interval.lo->at, interval.hi->at, value);
  Cost& own = fresh_[interval.column * n_cells_ + task_.cells.of_question(static_cast<std::size_t>(interval.question))];
  own = std::min(own, value);
}

Cost DeepSearch::open_bound() const {
  Cost bound = queue_.empty() ? far : queue_.top().bound;
  for (const Cost own : in_work_) bound = std::min(bound, own);
  return bound;
}

void DeepSearch::tell(bool improved) {
  if (company_ == nullptr || !company_->watch) return;
  const double now = first_.budget().seconds();
  if (plan_.cost >= far || (!improved && now - told_ < std::max(0.05, now / 100))) return;
  told_ = now;
  company_->watch({now, plan_.cost, std::min(best_, open_bound())});
}

bool DeepSearch::may_stop() {
  if (company_ == nullptr || gap_ <= 0.0 || plan_.cost >= far) return false;
  return best_ - std::min(best_, open_bound()) <= gap_ * best_;
}

// Trees that cost as much are of no interest there. Of equals, those that come first may be.
Cost DeepSearch::limit(const Interval& in) const {
  if (tie_ == 0.0) return best_;
  const auto column = static_cast<std::int32_t>(in.column);
  const std::uint32_t number = in.question >= 0 ? static_cast<std::uint32_t>(in.question)
                                                : node_.ranks(in.column)[std::min(in.lo->at + 1, node_.rows - 1)];
  return Turn{column, number, in.left_leaves} < turn_ ? best_ + tie_ : best_;
}

// The next cut to solve; false if the interval on top of the queue has none, and is settled.
bool DeepSearch::choose(Choice& choice) {
  choice.in = queue_.top();
  queue_.pop();
  choice.limit = limit(choice.in);
  if (choice.in.bound >= choice.limit) {
    record(choice.in, choice.in.bound);
    return false;
  }
  return choice.in.question < 0 ? choose_threshold(choice) : choose_levels(choice);
}

bool DeepSearch::choose_threshold(Choice& choice) {
  const auto& [bound, column, left_leaves, question, lo, hi] = choice.in;
  const Reach& reach = reach_[column];
  const auto least = static_cast<std::ptrdiff_t>(table_.min_leaf_rows);
  // The first and the last cut that neither the neighbours nor inherited bounds rule out.
  auto first = static_cast<std::ptrdiff_t>(reach.first_after(lo->at, sum(*lo) - choice.limit));
  auto last = reach.last_before(hi->at, sum(*hi) - choice.limit);
  const auto& at = places_[column];
  auto place = [&](std::size_t c) { return static_cast<std::ptrdiff_t>(at[c]); };
  auto known = [&](std::size_t c) { return task_.bounds[column * n_cells_ + c]; };
  for (std::size_t c = 0; c < n_cells_; ++c)
    if (known(c) >= choice.limit && place(c) <= first && first <= place(c + 1)) first = place(c + 1) + 1;
  for (std::size_t c = n_cells_; c-- > 0;)
    if (known(c) >= choice.limit && place(c) <= last && last <= place(c + 1)) last = place(c) - 1;
  auto can_cut = [&](std::ptrdiff_t cut) { return node_.can_cut(column, static_cast<std::size_t>(cut)); };
  auto narrow = [&] {
    while (first <= last && !can_cut(first)) ++first;
    while (first <= last && !can_cut(last)) --last;
    return first <= last;
  };
  if (!narrow()) {
    record(choice.in, choice.limit);
    return false;
  }
  // Cuts that leave too few rows are not asked; of their costs no more is known than the interval's bound.
  if (first < least || last > static_cast<std::ptrdiff_t>(node_.rows) - least) {
    record(choice.in, bound);
    first = std::max(first, least), last = std::min(last, static_cast<std::ptrdiff_t>(node_.rows) - least);
    if (!narrow()) return false;
  }
  auto cut = static_cast<std::size_t>((first + last) / 2);
  while (cut < static_cast<std::size_t>(last) && !node_.can_cut(column, cut)) ++cut;
  choice.cut = {static_cast<std::int32_t>(column), node_.ranks(column)[cut]};
  // What the neighbours know of the children: rows only join a left child as the cut moves up.
  const Cost up = reach.between(cut, hi->at), down = reach.between(lo->at, cut);
  Point& point = choice.point;
  point.at = cut;
  point.left = std::max(lo->left, hi->left - up), point.right = std::max(hi->right, lo->right - down);
  point.below_left.resize(size_), point.below_right.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    point.below_left[i] = std::max(lo->below_left[i], hi->below_left[i] - up);
    point.below_right[i] = std::max(hi->below_right[i], lo->below_right[i] - down);
  }
  return true;
}

bool DeepSearch::choose_levels(Choice& choice) {
  const std::uint32_t column = choice.in.column;
  const Asked& asked = table_.columns[column];
  const auto number = static_cast<std::uint32_t>(choice.in.question);
  const std::size_t cell = task_.cells.of_question(number);
  if (task_.bounds[column * n_cells_ + cell] >= choice.limit) {
    record(choice.in, choice.limit);
    return false;
  }
  Cost left_reach = 0.0, right_reach = 0.0;
  std::size_t left = 0;
  for (std::size_t i = 0, end; i < node_.rows; i = end) {
    const bool goes_left = asked.questions[number].sends_left(node_.ranks(column)[i], asked.missing);
    for (end = i; end < node_.rows && node_.ranks(column)[end] == node_.ranks(column)[i];) ++end;
    (goes_left ? left_reach : right_reach) += reach_[column].between(i, end);
    if (goes_left) left += end - i;
  }
  if (left == 0 || left == node_.rows) {  // the whole node on one side
    record(choice.in, less_ + table_.penalty);
    return false;
  }
  choice.cut = {static_cast<std::int32_t>(column), number};
  Point& point = choice.point;
  point.at = left;
  point.left = std::max(0.0, less_ - right_reach), point.right = std::max(0.0, less_ - left_reach);
  point.below_left.resize(size_), point.below_right.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    point.below_left[i] = std::max(0.0, points_[0].below_right[i] - right_reach);
    point.below_right[i] = std::max(0.0, points_[0].below_right[i] - left_reach);
  }
  if (std::min(left, node_.rows - left) < table_.min_leaf_rows) {
    record(choice.in, std::max(choice.in.bound, sum(point)));
    return false;
  }
  return true;
}

void DeepSearch::solve_children(Choice& choice, Children& children, Searcher& by) {
  const Interval& in = choice.in;
  Point& point = choice.point;
  Searcher::Children* here = nullptr;
  for (const bool larger : {true, false}) {
    const bool is_left = larger == (point.at * 2 >= node_.rows);
    Cost& cost = is_left ? point.left : point.right;
    // From here on the other cuts on that side of the interval are settled: there is no need to know more.
    const Cost other = in.question >= 0 ? (is_left ? point.right : point.left) : (is_left ? in.hi->right : in.lo->left);
    const Cost enough = choice.limit - table_.penalty - other;
    if (cost >= enough || by.budget().stopped()) continue;
    if (here == nullptr) {
      here = by.children(task_.depth, node_.rows);
      if (here == nullptr) return;
      node_.divide(choice.cut, *here->left, *here->right);
    }
    const std::uint32_t leaves = is_left ? in.left_leaves : task_.leaves - in.left_leaves;
    const Task below{is_left ? *here->left : *here->right,
                     task_.depth - 1,
                     leaves,
                     enough,
                     below_,
                     is_left ? point.below_left : point.below_right,
                     -1};
    cost = std::max(cost, by.solve(below, is_left ? children.left : children.right));
  }
}

// Is it the best so far?
void DeepSearch::offer(const Choice& choice, const Children& children) {
  const Cost cost = children.left.cost + children.right.cost + table_.penalty;
  const Turn turn{choice.cut.column, choice.cut.number, choice.in.left_leaves};
  const bool is_less = cost + tie_ < best_ || (tie_ > 0.0 && cost + tie_ == best_);
  if (!is_less && !(cost < best_ + tie_ && turn < turn_)) return;
  best_ = std::min(best_, cost), turn_ = turn;
  if (company_ != nullptr) first_.budget().allow(std::numeric_limits<double>::infinity());
  left_cost_ = children.left.cost, right_cost_ = children.right.cost;
  plan_ = {cost, joined(choice.cut, children.left.root, children.right.root)};
}

// Of the best trees of its children, those that come first are looked for when the cut is known.
void DeepSearch::settle() {
  if (turn_ == Turn::none() || turn_ == Turn::no_question()) return;
  Searcher::Children* here = first_.children(task_.depth, node_.rows);
  if (here == nullptr) return;
  const Cut cut{turn_.column, turn_.number};
  node_.divide(cut, *here->left, *here->right);
  Plan left, right;
  for (const bool is_left : {true, false}) {
    Bounds nothing(size_, 0.0);
    const Task below{is_left ? *here->left : *here->right,
                     task_.depth - 1,
                     is_left ? turn_.left_leaves : task_.leaves - turn_.left_leaves,
                     (is_left ? left_cost_ : right_cost_) + tie_,
                     below_,
                     nothing,
                     -1,
                     true};
    first_.solve(below, is_left ? left : right);
  }
  if (!first_.budget().stopped()) plan_.root = joined(cut, left.root, right.root);
}

// Takes in what was found at a cut, and divides its interval there.
void DeepSearch::keep(Choice&& choice, const Children& children) {
  const Interval& in = choice.in;
  const Cost before = best_;
  offer(choice, children);
  const bool improved = best_ < before;
  const std::size_t bytes = 2 * size_ * sizeof(Cost);
  taken_ += bytes;
  first_.budget().take(bytes);
  const Cost own = sum(choice.point);
  if (in.question >= 0) {
    record(in, own);
    if (first_.budget().stopped()) queue_.push(in);  // not settled: it counts for the bound that is left
  } else {
    points_.push_back(std::move(choice.point));
    const Point* mine = &points_.back();
    record(in.column, mine->at, mine->at, own);
    Interval half = in;
    if (first_.budget().stopped()) queue_.push(in);
    half.hi = mine, half.bound = std::max(in.bound, in.lo->left + mine->right + table_.penalty);
    if (mine->at - in.lo->at > 1) queue_.push(half);
    half.lo = mine, half.hi = in.hi, half.bound = std::max(in.bound, mine->left + in.hi->right + table_.penalty);
    if (in.hi->at - mine->at > 1) queue_.push(half);
  }
  tell(improved);
}

void DeepSearch::work(Searcher& by) {
  const std::size_t me =
      &by == &first_
          ? 0
          : 1 + static_cast<std::size_t>(std::ranges::find(company_->others, &by) - company_->others.begin());
  std::unique_lock lock{mutex_};
  try {
    while (true) {
      if (by.budget().look(by.asks())) break;
      if (may_stop()) {
        by.budget().stop(Stop::gap);
        break;
      }
      if (queue_.empty()) {
        if (std::ranges::all_of(in_work_, [](Cost own) { return own == far; })) break;
        changed_.wait_for(lock, std::chrono::milliseconds{20});
        continue;
      }
      Choice choice;
      if (!choose(choice)) continue;
      in_work_[me] = choice.in.bound;
      Children children;
      lock.unlock();
      solve_children(choice, children, by);
      lock.lock();
      keep(std::move(choice), children);
      in_work_[me] = far;
      changed_.notify_all();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    by.budget().stop(Stop::interrupt);  // the others shall not go on
    changed_.notify_all();
    throw;
  }
  changed_.notify_all();
}

}  // namespace arboretum::optimal
