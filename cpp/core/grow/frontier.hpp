// Frontier: the nodes that have a split but have not been divided yet. Depth-first and best-first differ only in which
// of them comes next; best-first takes the largest impurity decrease, the earlier node where two are equal.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "core/options.hpp"

namespace arboretum {

template <class Open>
class Frontier {
 public:
  explicit Frontier(Order order) : order_{order} {}

  bool empty() const { return open_.empty(); }
  void push(Open node) {
    open_.push_back(std::move(node));
    if (order_ == Order::best_first) std::push_heap(open_.begin(), open_.end(), later);
  }
  Open pop() {
    if (order_ == Order::best_first) std::pop_heap(open_.begin(), open_.end(), later);
    Open next = std::move(open_.back());
    open_.pop_back();
    return next;
  }

 private:
  static bool later(const Open& a, const Open& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.id > b.id;
  }
  Order order_;
  std::vector<Open> open_;
};

}  // namespace arboretum
