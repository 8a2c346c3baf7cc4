// Medians of what is left of a node while its rows are taken away one by one. The rows stand in a doubly linked list
// in the order of their targets, so the median moves to a neighbour instead of being searched for, and the sum of
// distances to it follows in the same step. Positions count from 1 here; 0 and n + 1 are the ends of the list.
#pragma once
#include <cstdint>
#include <vector>

#include "core/criteria/ordered_node.hpp"

namespace arboretum {

struct Link {
  Row before, after;
};

// The whole list: position i between i - 1 and i + 1.
inline void link_all(std::vector<Link>& links, Row n_rows) {
  links.resize(std::size_t{n_rows} + 2);
  for (Row i = 0; i < links.size(); ++i) links[i] = {i - 1, i + 1};
}

inline void unlink(Link* links, Row at) {
  const Link link = links[at];
  links[link.before].after = link.after;
  links[link.after].before = link.before;
}

// yes ? a : b without a branch: about half of the rows lie on either side of a median, in no order a processor
// foresees.
inline Row choose(bool yes, Row a, Row b) { return b ^ ((a ^ b) & (Row{0} - Row{yes})); }

// `remove` is inlined by force: a walk calls it from several places, and its state must stay in registers.

// An even number of rows has two middle ones, and the sum of distances is the same from either. With m the middle row
// of an odd number, m is therefore a median before and after a row comes or goes: the sum changes by that row's
// distance to m.
class UnitRemainder {
 public:
  UnitRemainder(Link* links, const OrderedNode& node)
      : links_{links},
        numbers_{node.row_numbers.data()},
        n_rows_{node.n_rows()},
        low_{static_cast<Row>(node.middle.low + 1)},
        deviation_{node.deviation} {}

  [[gnu::always_inline]] void remove(Row at) {
    unlink(links_, at);
    if (n_rows_-- % 2 == 1) {
      deviation_ -= distance(numbers_[at], numbers_[low_]);
      low_ = choose(at < low_, low_, links_[low_].before);
    } else {
      low_ = choose(at > low_, low_, links_[low_].after);
      deviation_ -= distance(numbers_[at], numbers_[low_]);
    }
  }

  Wide deviation() const { return deviation_; }
  Fixed weight() const { return n_rows_; }
  Row low() const { return low_; }
  Row high() const { return n_rows_ % 2 == 1 ? low_ : links_[low_].after; }
  std::uint64_t n_steps() const { return 0; }  // at most one a row, which nobody need count

 private:
  Link* links_;
  const Fixed* numbers_;
  Row n_rows_;
  Row low_;  // the lower median
  Wide deviation_;
};

// With weights the median may have to pass many light rows when a heavy one goes: the caller watches the number of
// steps.
class WeightedRemainder {
 public:
  WeightedRemainder(Link* links, const OrderedNode& node)
      : links_{links},
        numbers_{node.row_numbers.data()},
        rows_{node.rows.data()},
        low_{static_cast<Row>(node.middle.low + 1)},
        own_{weight_at(low_)},
        below_{node.middle.below},
        total_{node.middle.total},
        deviation_{node.deviation} {}

  [[gnu::always_inline]] void remove(Row at) {
    unlink(links_, at);
    const Fixed weight = weight_at(at);
    deviation_ -= Wide{weight} * distance(numbers_[at], numbers_[low_]);
    total_ -= weight;
    below_ -= at < low_ ? weight : 0;
    own_ = at == low_ ? 0 : own_;
    settle();
  }

  Wide deviation() const { return deviation_; }
  Fixed weight() const { return total_; }
  Row low() const { return low_; }
  Row high() const { return 2 * (below_ + own_) == total_ ? links_[low_].after : low_; }
  std::uint64_t n_steps() const { return n_steps_; }

 private:
  Fixed weight_at(Row position) const { return rows_[position - 1].weight; }

  // The lower median: 2 * below < total <= 2 * (below + own). A row that has gone has no weight, so it does not stay.
  void settle() {
    while (2 * below_ >= total_ && total_ > 0) {
      const Row to = links_[low_].before;
      deviation_ -= Wide{2 * below_ - total_} * (numbers_[low_] - numbers_[to]);
      own_ = weight_at(to), below_ -= own_;
      low_ = to, ++n_steps_;
    }
    while (2 * (below_ + own_) < total_) {
      const Row to = links_[low_].after;
      below_ += own_, own_ = weight_at(to);
      deviation_ -= Wide{total_ - 2 * below_} * (numbers_[to] - numbers_[low_]);
      low_ = to, ++n_steps_;
    }
  }

  Link* links_;
  const Fixed* numbers_;
  const OrderedTarget* rows_;
  Row low_;              // the lower median
  Fixed own_;            // its weight
  Fixed below_, total_;  // the weight of the rows before it, and of all
  Wide deviation_;
  std::uint64_t n_steps_ = 0;
};

}  // namespace arboretum
