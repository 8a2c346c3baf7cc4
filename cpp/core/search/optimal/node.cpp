#include "core/search/optimal/node.hpp"

#include <numeric>

namespace arboretum::optimal {

Node Node::root(const OptimalTable& table) {
  Node node{table, table.n_rows};
  node.rows = table.n_rows;
  for (std::size_t f = 0; f < table.columns.size(); ++f) {
    const std::vector<Rank>& rank = table.columns[f].rank;
    // By counting: ranks are small, and rows of one rank keep their order.
    std::vector<std::size_t> begin(table.columns[f].n_ranks + 1);
    for (const Rank own : rank) ++begin[own + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (Row row = 0; row < table.n_rows; ++row) {
      const std::size_t at = f * node.capacity_ + begin[rank[row]]++;
      node.order_[at] = row, node.ranks_[at] = rank[row];
    }
  }
  if (table.columns.empty()) {  // nothing can be asked, but there is a leaf
    node.capacity_ = table.n_rows, node.order_.resize(table.n_rows), node.ranks_.resize(table.n_rows);
    std::iota(node.order_.begin(), node.order_.end(), Row{0});
  }
  node.sum_up();
  return node;
}

void Node::divide(Cut cut, Node& left, Node& right) const {
  const auto asked = static_cast<std::size_t>(cut.column);
  const Rank* rank_of = table_->columns[asked].rank.data();
  const bool ordered = table_->columns[asked].ordered;
  std::vector<std::uint8_t> by_rank;
  if (!ordered)
    for (Rank rank = 0; rank < table_->columns[asked].n_ranks; ++rank)
      by_rank.push_back(sends_left(*table_, cut, rank));
  auto divide_by = [&](auto&& goes_left) {
    for (std::size_t f = 0; f < n_columns(); ++f) {
      const Row* from = order(f);
      const Rank* rank = ranks(f);
      Row *l = left.order_.data() + f * left.capacity_, *r = right.order_.data() + f * right.capacity_;
      Rank *lr = left.ranks_.data() + f * left.capacity_, *rr = right.ranks_.data() + f * right.capacity_;
      std::size_t i = 0, j = 0;
      for (std::size_t k = 0; k < rows; ++k) {  // one of the two writes is overwritten by the next
        const bool goes = goes_left(rank_of[from[k]]);
        l[i] = from[k], lr[i] = rank[k], r[j] = from[k], rr[j] = rank[k];
        i += goes, j += !goes;
      }
      left.rows = i, right.rows = j;
    }
  };
  if (ordered) divide_by([below = cut.number](Rank rank) { return rank < below; });
  else divide_by([&](Rank rank) { return by_rank[rank] != 0; });
  left.sum_up(), right.sum_up();
}

void Node::sum_up() {
  const OptimalTable& t = *table_;
  const std::span<const Row> here{order_.data(), rows};
  if (t.goal == Goal::squares) {
    double sum = 0.0, weight = 0.0, squares = 0.0;
    for (const Row row : here) {
      const double w = t.weight[row], y = t.number[row];
      sum += w * y, weight += w, squares += w * y * y;
    }
    sums_ = {sum, weight};
    leaf_ = rows == 0 ? 0.0 : std::max(0.0, squares - sum * sum / weight);
    return;
  }
  sums_.assign(t.n_labels, 0.0);
  if (t.goal == Goal::counts)
    for (const Row row : here) sums_[t.label[row]] += 1.0;
  else
    for (const Row row : here) sums_[t.label[row]] += t.weight[row];
  double cost = 0.0, most = 0.0;
  for (std::size_t c = 0; c < t.n_labels; ++c) cost += sums_[c] * t.full[c];
  for (std::size_t a = 0; a < t.n_labels; ++a) {
    double earned = 0.0;
    for (std::size_t c = 0; c < t.n_labels; ++c) earned += sums_[c] * t.credit[c * t.n_labels + a];
    most = std::max(most, earned);
  }
  leaf_ = t.unit * (cost - most);
}

}  // namespace arboretum::optimal
