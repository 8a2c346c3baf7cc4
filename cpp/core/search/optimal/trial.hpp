// Trial: several questions about one column are tried at once. What comes back for each is the cost of its two sides,
// as leaves and as stumps.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/search/optimal/budget.hpp"
#include "core/search/optimal/node.hpp"
#include "core/search/optimal/pass.hpp"
#include "core/search/optimal/stump.hpp"

namespace arboretum::optimal {

// A question that is tried, and its sides.
struct Knot {
  std::size_t at = 0;        // rows on its left
  std::uint32_t number = 0;  // of a question about levels
  SideCost left{}, right{};
};

class Trial {
 public:
  Trial(const OptimalTable& table, const OptimalOptions& options);

  std::size_t n_cuts() const { return n_cuts_; }

  // From now on about this node, which must not change meanwhile.
  void open(const Node& node);

  // Fills in the sides of knots about one column, at most n_cuts() of them; thresholds in ascending order. False if the
  // budget is spent: then they say nothing. `limited` fills in `allowed`, which is far away otherwise.
  bool run(std::size_t column, std::span<Knot> knots, Budget& budget, bool asks);
  // The same for leaves of the size asked for; after `run`, if something may come of it.
  bool run_limited(std::size_t column, std::span<Knot> knots, Budget& budget, bool asks);

 private:
  struct Second {  // a column as the second one
    std::vector<std::int8_t> edge;
    std::vector<Block> blocks;
    std::vector<Run> runs;
  };

  void read_second(std::size_t column);
  void find_blocks(std::size_t column);
  void find_runs(std::size_t column);
  Walk walk(std::size_t column) const;
  void put_in_cells(std::size_t column, std::span<const Knot> knots);
  void count_in_cells(std::size_t column, std::span<const Knot> knots);
  void count_steps();
  void find_steps();
  void find_members(std::size_t n);
  void sum_up(std::size_t n);
  void sum_squares();
  bool pass_counts(Budget& budget, bool asks);
  bool pass_reals(bool limited, Budget& budget, bool asks);
  void earn_from_levels(std::size_t column, bool limited);
  void set_sides(std::span<Knot> knots, bool limited);
  Cost side_cost(double leaf, double stump, std::size_t lane) const;

  const OptimalTable& table_;
  const Passes& passes_;
  std::size_t n_cuts_, lanes_;
  bool only_counts_;  // rows that count 1, and thresholds: sides are counted, not added up
  const Node* node_ = nullptr;
  std::vector<std::size_t> present_;  // the labels that matter in the node …
  std::vector<std::uint16_t> local_;  // … and their numbers
  std::vector<Second> second_;

  std::size_t n_cells_ = 0;
  std::vector<std::uint32_t> pattern_;              // of each cell: which knots send it left
  std::vector<std::uint16_t> cell_, code_, label_;  // by row
  std::vector<double> value_;                       // by row, of two labels
  std::vector<std::int8_t> step_;
  std::vector<std::int32_t> counts_, leads_by_lane_;
  std::vector<double> member_, by_cell_;
  RealSides sides_;
  std::vector<double> total_;  // [label][lane]: what each side earns with one label everywhere
  std::vector<double> rows_, weights_, sums_, squares_, full_;  // by lane
  std::vector<double> leaf_, stump_;                            // by lane: what the best leaf and the best stump earn
  TwoCounts two_counts_;
  Leads leads_;
  TwoReals two_reals_{};
  RealLeads real_leads_;
};

}  // namespace arboretum::optimal
