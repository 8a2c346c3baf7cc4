// SurrogateFinder: the surrogates of a node's question, and where rows go that the question cannot send. It works on
// coded rows and on where the question sends them; targets play no part.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/grow/candidate.hpp"
#include "core/interrupt.hpp"
#include "core/questions/surrogates.hpp"
#include "core/sources/coded_rows.hpp"

namespace arboretum {

class SurrogateFinder {
 public:
  SurrogateFinder(const Dataset& data, const Targets& targets, const GrowOptions& options, CodedRows& rows,
                  Interrupt& interrupt);

  // Marks where every row of the node goes and completes the split. `columns` may still vary in the node.
  void prepare(Range range, std::span<const std::uint32_t> columns, unsigned n_workers, ChosenSplit& split);

 private:
  struct Scratch {
    std::vector<Lean> leans;
    std::vector<std::uint8_t> seen;
  };

  template <class Leaning, class WeightOf>
  void find(Range range, std::span<const std::uint32_t> columns, unsigned n_workers, ChosenSplit& split,
            std::vector<Leaning>& leanings, WeightOf&& weight_of);
  template <class Leaning>
  std::optional<SurrogateSplit> best_of_column(const SurrogateSearch& search, std::uint32_t column, Range range,
                                               const Lean& primary, std::span<const Leaning> leanings,
                                               Scratch& scratch) const;
  void send_missing(Range range, ChosenSplit& split);

  const Dataset& data_;
  const GrowOptions& options_;
  CodedRows& rows_;
  Interrupt& interrupt_;
  Interrupt never_;                  // for threads that have nobody to ask
  std::vector<Fixed> case_weights_;  // by row, as integers, which add up to the same sum in any order; empty: all are 1
  std::vector<Fixed> leanings_;
  std::vector<std::int8_t> unit_leanings_;
  std::vector<Scratch> scratch_;  // one per thread
};

}  // namespace arboretum
