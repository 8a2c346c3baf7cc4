// The passes, over vectors `B::Lanes<T, n>`. Included by pass_plain.cpp and pass_vector.cpp, each with its own B, and
// by no one else: everything here stays within one object file, since one of them may use instructions that not every
// processor has.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "core/search/optimal/pass.hpp"

namespace arboretum::optimal {
namespace {

// Lanes side by side, where vectors must be: std::vector does not align them.
template <class V>
class Many {
 public:
  Many(std::size_t n, const V& value) : memory_(n * sizeof(V) + alignof(V)) {
    void* at = memory_.data();
    std::size_t room = memory_.size();
    lanes_ = static_cast<V*>(std::align(alignof(V), n * sizeof(V), at, room));
    for (std::size_t i = 0; i < n; ++i) lanes_[i] = value;
  }
  V& operator[](std::size_t i) { return lanes_[i]; }

 private:
  std::vector<std::byte> memory_;
  V* lanes_;
};

template <class B>
struct Kernels {
  using Bytes = typename B::template Lanes<std::int8_t, count_lanes>;
  template <class T>
  using Wide = typename B::template Lanes<T, count_lanes>;
  using Ranks = typename B::template Lanes<std::int16_t, rank_group>;
  using Reals = typename B::template Lanes<double, real_group>;

  template <class V>
  static V read(const void* from) {
    V lanes;
    std::memcpy(&lanes, from, sizeof(V));
    return lanes;
  }
  template <class T>
  static void tell(const Wide<T>& lanes, std::int32_t* to) {
    T each[count_lanes];
    std::memcpy(each, &lanes, sizeof(each));
    for (std::size_t i = 0; i < count_lanes; ++i) to[i] = each[i];
  }
  static void tell(const Reals& lanes, double* to) { std::memcpy(to, &lanes, sizeof(Reals)); }

  // Sums of up to 127 rows are kept in bytes. Within equal values a sum counts as 0, which the first empty side is.
  template <class T>
  static void two_counts(const Walk& walk, const CountSides& sides, TwoCounts& found) {
    const Row* row = walk.order;
    const std::uint16_t* code = sides.code;
    auto step = [&](std::uint32_t i) { return read<Bytes>(sides.step + std::size_t{code[row[i]]} * count_lanes); };
    Wide<T> run = B::template all<Wide<T>>(0), high = run, low = run;
    std::uint32_t i = 0;
    for (const Block* block = walk.blocks; block != walk.blocks + walk.n_blocks; ++block) {
      const std::uint32_t end = block->end;
      if (block->kind == Block::Kind::one_value) {
        while (i < end) {
          Bytes sum = B::template all<Bytes>(0);
          const std::uint32_t part = end - i < byte_run ? end : i + byte_run;
          for (; i < part; ++i) sum += step(i);
          run += B::template widen<Wide<T>>(sum);
        }
        high = B::larger(high, run), low = B::smaller(low, run);
        continue;
      }
      Bytes sum = B::template all<Bytes>(0), top = sum, bottom = sum;
      if (block->kind == Block::Kind::distinct) {
        for (; i < end; ++i) sum += step(i), top = B::larger(top, sum), bottom = B::smaller(bottom, sum);
      } else {
        for (; i < end; ++i) {
          sum += step(i);
          const Bytes here = B::keep_where(sum, walk.edge[i]);
          top = B::larger(top, here), bottom = B::smaller(bottom, here);
        }
      }
      high = B::larger(high, run + B::template widen<Wide<T>>(top));
      low = B::smaller(low, run + B::template widen<Wide<T>>(bottom));
      run += B::template widen<Wide<T>>(sum);
    }
    tell<T>(high, found.high.data()), tell<T>(low, found.low.data()), tell<T>(run, found.last.data());
  }

  // The lead of class a over class b grows along a run of rows of a, so it is looked at only where such runs end.
  template <class T>
  static void many_counts(const Walk& walk, const CountSides& sides, Leads& found) {
    const std::size_t k = sides.n_labels;
    const Row* row = walk.order;
    const std::uint16_t* code = sides.code;
    auto step = [&](std::uint32_t i) { return read<Bytes>(sides.step + std::size_t{code[row[i]]} * count_lanes); };
    const Bytes nothing = B::template all<Bytes>(0), lowest = B::template all<Bytes>(-127);
    Many<Wide<T>> passed(k, B::template all<Wide<T>>(0)), lead(k * k, B::template all<Wide<T>>(0));
    Many<Bytes> count(k, nothing), top(k * k, lowest);
    std::vector<std::uint16_t> pending, looked;  // labels that grew since the last cut; seen in this block
    std::vector<std::uint8_t> is_pending(k), is_looked(k);
    auto flush = [&] {
      for (const std::uint16_t a : looked) {
        for (std::size_t b = 0; b < k; ++b) {
          lead[a * k + b] =
              B::larger(lead[a * k + b], passed[a] - passed[b] + B::template widen<Wide<T>>(top[a * k + b]));
          top[a * k + b] = lowest;
        }
        is_looked[a] = 0;
      }
      looked.clear();
      for (std::size_t c = 0; c < k; ++c) passed[c] += B::template widen<Wide<T>>(count[c]), count[c] = nothing;
    };
    std::uint32_t i = 0, used = 0;
    for (const Run* run = walk.runs; run != walk.runs + walk.n_runs; ++run) {
      if (used + (run->end - i) > byte_run) flush(), used = 0;
      Bytes sum = nothing;
      for (; run->end - i > byte_run; sum = nothing) {  // a long run, in pieces
        for (const std::uint32_t end = i + byte_run; i < end; ++i) sum += step(i);
        passed[run->label] += B::template widen<Wide<T>>(sum);
      }
      used += run->end - i;
      for (; i < run->end; ++i) sum += step(i);
      count[run->label] += sum;
      if (!is_pending[run->label]) is_pending[run->label] = 1, pending.push_back(run->label);
      if (!run->can_cut) continue;
      for (const std::uint16_t a : pending) {
        if (!is_looked[a]) is_looked[a] = 1, looked.push_back(a);
        is_pending[a] = 0;
        const Bytes own = count[a];
        Bytes* best = &top[a * k];
        for (std::size_t b = 0; b < k; ++b) best[b] = B::larger(best[b], own - count[b]);
      }
      pending.clear();
    }
    flush();
    found.lead.resize(k * k * count_lanes);
    for (std::size_t pair = 0; pair < k * k; ++pair) tell<T>(lead[pair], found.lead.data() + pair * count_lanes);
  }

  // Lanes whose cut leaves enough rows on both sides.
  struct Enough {
    Reals total, least, seen;
    Enough(const RealSides& sides, std::size_t first)
        : total{read<Reals>(sides.rows.data() + first)},
          least{B::template all<Reals>(sides.min_leaf_rows)},
          seen{B::template all<Reals>(0.0)} {}
    Reals keep(const Reals& lanes, double otherwise) const {
      const Reals other = B::template all<Reals>(otherwise);
      return B::where_not_less(seen, least, B::where_not_less(total - seen, least, lanes, other), other);
    }
  };

  template <bool limited>
  static void two_credits(const Walk& walk, const RealSides& sides, std::size_t first, TwoReals& found) {
    Reals sum = B::template all<Reals>(0.0), high = B::template all<Reals>(-far), low = B::template all<Reals>(far);
    Enough enough{sides, first};
    for (std::uint32_t i = 0; i < walk.rows; ++i) {
      const Row row = walk.order[i];
      const Reals member = read<Reals>(sides.member + sides.cell[row] * real_lanes + first);
      sum += member * sides.value[row];
      if constexpr (limited) enough.seen += member;
      if (walk.edge[i] == 0) continue;
      high = B::larger(high, limited ? enough.keep(sum, -far) : sum);
      low = B::smaller(low, limited ? enough.keep(sum, far) : sum);
    }
    tell(high, found.high.data() + first), tell(low, found.low.data() + first);
  }

  template <bool limited>
  static void many_credits(const Walk& walk, const RealSides& sides, std::size_t first, RealLeads& found) {
    const std::size_t k = sides.n_labels;
    Many<Reals> earned(k, B::template all<Reals>(0.0)), lead(k * k, B::template all<Reals>(-far));
    std::vector<std::uint8_t> grown(k, 1);
    Enough enough{sides, first};
    for (std::uint32_t i = 0; i < walk.rows; ++i) {
      const Row row = walk.order[i];
      const Reals member = read<Reals>(sides.member + sides.cell[row] * real_lanes + first);
      const std::size_t own = sides.label[row];
      if (sides.one_credit) {
        earned[own] += member * sides.weight[row];
        grown[own] = 1;
      } else {
        for (std::size_t a = 0; a < k; ++a) {
          earned[a] += member * (sides.weight[row] * sides.credit[own * k + a]);
          grown[a] = 1;
        }
      }
      if constexpr (limited) enough.seen += member;
      if (walk.edge[i] == 0) continue;
      // A cut where a label has not grown may still be the first that leaves enough rows.
      for (std::size_t a = 0; a < k; ++a) {
        if (!limited && grown[a] == 0) continue;
        grown[a] = 0;
        for (std::size_t b = 0; b < k; ++b) {
          const Reals ahead = earned[a] - earned[b];
          lead[a * k + b] = B::larger(lead[a * k + b], limited ? enough.keep(ahead, -far) : ahead);
        }
      }
    }
    found.lead.resize(k * k * real_lanes);
    for (std::size_t pair = 0; pair < k * k; ++pair) tell(lead[pair], found.lead.data() + pair * real_lanes + first);
  }

  // A stump gains z² W / (w (W - w)), z the sum of what its left rows are above the mean. W is left out until the end,
  // and it is divided only where it is more than the most so far. Rows of equal weight save the multiplications by it.
  template <bool limited, bool even>
  static void squares(const Walk& walk, const RealSides& sides, std::size_t first, Lane& found) {
    const Reals total = read<Reals>(sides.weights.data() + first), centre = read<Reals>(sides.centre.data() + first);
    const Reals zero = B::template all<Reals>(0.0), tiny = B::template all<Reals>(1e-300);
    Many<Reals> shift{sides.n_cells, zero};
    for (std::size_t c = 0; c < sides.n_cells; ++c)
      shift[c] = read<Reals>(sides.member + c * real_lanes + first) * centre;
    Reals z = zero, w = zero, most = zero;
    Enough enough{sides, first};
    for (std::uint32_t i = 0; i + 1 < walk.rows; ++i) {
      const Row row = walk.order[i];
      const std::size_t cell = sides.cell[row];
      const Reals member = read<Reals>(sides.member + cell * real_lanes + first);
      const Reals above = member * sides.value[row] - shift[cell];
      if constexpr (even) z += above, w += member;
      else z += above * sides.weight[row], w += member * sides.weight[row];
      if constexpr (limited) enough.seen += member;
      if (walk.edge[i] == 0) continue;
      const Reals product = w * (total - w);
      Reals square = z * z;
      if constexpr (limited) square = enough.keep(square, 0.0);
      if (B::any_more(square, most * product))
        most = B::where_more(square, most * product, product, square / B::larger(product, tiny), most);
    }
    tell(most * total, found.data() + first);
  }

  // A question tells two classes apart while all ranks of one are below those of the other. Before there is a second
  // class, its least rank is the greatest number there is.
  static std::size_t apart(const Ranked& rows, std::size_t first) {
    constexpr std::uint32_t nobody = ~std::uint32_t{0};
    std::uint32_t label[2] = {nobody, nobody};
    Ranks low[2] = {B::template all<Ranks>(32767), B::template all<Ranks>(32767)};
    Ranks high[2] = {B::template all<Ranks>(-32768), B::template all<Ranks>(-32768)};
    const Row* at = rows.row;
    std::size_t i = 0;
    for (; i < rows.n; ++i, at += rows.step) {
      if (rows.weight != nullptr && rows.weight[*at] == 0.0) continue;
      const std::uint32_t own = rows.label[*at];
      if (label[0] == nobody) label[0] = own;
      const std::size_t which = own == label[0] ? 0 : 1;
      if (which == 1 && label[1] == nobody) label[1] = own;
      if (label[which] != own) break;
      const Ranks rank = read<Ranks>(rows.ranks + *at * rows.width + first);
      low[which] = B::smaller(low[which], rank), high[which] = B::larger(high[which], rank);
      if (!B::any_more(low[1], high[0]) && !B::any_more(low[0], high[1])) break;
    }
    return i;
  }

  // Calls `walk_with(first)` for each group of lanes that is in use.
  template <class WalkWith>
  static void by_group(const RealSides& sides, WalkWith&& walk_with) {
    for (std::size_t first = 0; first < real_lanes; first += real_group)
      if (sides.uses_group(first)) walk_with(first);
  }

  static constexpr Passes all() {
    return {
        [](const Walk& walk, const CountSides& sides, bool wide, TwoCounts& found) {
          wide ? two_counts<std::int32_t>(walk, sides, found) : two_counts<std::int16_t>(walk, sides, found);
        },
        [](const Walk& walk, const CountSides& sides, bool wide, Leads& found) {
          wide ? many_counts<std::int32_t>(walk, sides, found) : many_counts<std::int16_t>(walk, sides, found);
        },
        [](const Walk& walk, const RealSides& sides, bool limited, TwoReals& found) {
          by_group(sides, [&](std::size_t first) {
            limited ? two_credits<true>(walk, sides, first, found) : two_credits<false>(walk, sides, first, found);
          });
        },
        [](const Walk& walk, const RealSides& sides, bool limited, RealLeads& found) {
          by_group(sides, [&](std::size_t first) {
            limited ? many_credits<true>(walk, sides, first, found) : many_credits<false>(walk, sides, first, found);
          });
        },
        [](const Walk& walk, const RealSides& sides, bool limited, Lane& most) {
          by_group(sides, [&](std::size_t first) {
            if (sides.even)
              limited ? squares<true, true>(walk, sides, first, most) : squares<false, true>(walk, sides, first, most);
            else
              limited ? squares<true, false>(walk, sides, first, most)
                      : squares<false, false>(walk, sides, first, most);
          });
        },
        [](const Ranked& rows) {
          std::size_t most = 0;
          for (std::size_t first = 0; first < rows.width && most < rows.n; first += rank_group) {
            const std::size_t here = apart(rows, first);
            if (here > most) most = here;
          }
          return most;
        }};
  }
};

}  // namespace
}  // namespace arboretum::optimal
