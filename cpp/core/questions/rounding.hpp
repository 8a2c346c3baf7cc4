// Round thresholds: of all numbers that separate two neighbouring values the one that is shortest to write, and of
// equally short ones the one nearest the middle; if two are equally near, the lower.
#pragma once
#include <cstdint>
#include <vector>

namespace arboretum {

// What is short to write among the whole numbers of a column.
struct RoundSteps {
  // Steps between round numbers, longest first; the last is 1. Empty: the values are no numbers that are written.
  std::vector<std::int64_t> steps{};
  // The values are instants, counted from 1970, and the first step is a day: years and months come before it.
  // Otherwise, of several multiples of the first step, those of the fewest digits come first.
  bool calendar = false;
  std::uint64_t offset = 0;  // what is written is the value plus this
};

// Some t such that low <= t < high, also after t is rounded to the type of the values; `middle` lies between them.
double shortest_between(float low, float high, double middle);
double shortest_between(double low, double high, double middle);
std::int64_t shortest_between(std::int64_t low, std::int64_t high, const RoundSteps& round);

}  // namespace arboretum
