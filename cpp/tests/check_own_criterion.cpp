// Criteria as someone might add them: one file, a score and no bound. Every source takes them, and they grow the same trees as
// the criteria whose scores they borrow. Prints "N passed, M failed" and returns 1 if anything failed.
#include <random>
#include <string>
#include <vector>

#include "core/criteria/gini.hpp"
#include "core/criteria/squared_error.hpp"
#include "core/grow/choose_source.hpp"
#include "tests/expect.hpp"

namespace arboretum {

// The registry's own are compiled already.
extern template Tree grow(const Dataset&, const Targets&, const Gini&, const GrowOptions&, Interrupt&,
                          std::span<const Row>);
extern template Tree grow(const Dataset&, const Targets&, const SquaredError&, const GrowOptions&, Interrupt&,
                          std::span<const Row>);

namespace {

struct UnboundedGini : OnClasses<UnboundedGini> {
  template <class Counts>
  using Score = Gini::Score<Counts>;
  template <class Counts>
  static double impurity_of(const Counts& node) {
    return Gini::impurity_of(node);
  }
  static double decrease_of(double score, double weight) { return Gini::decrease_of(score, weight); }
};

struct UnboundedError : OnMoments<UnboundedError> {
  static constexpr Centre centre = SquaredError::centre;
  static double score(const Moments& total, const Moments& left) { return SquaredError::score(total, left); }
  static double of_parts(const Moments& total, std::span<const Moments> parts) {
    return SquaredError::of_parts(total, parts);
  }
  static double of_part(const Moments& total, const Moments& part) { return SquaredError::of_part(total, part); }
  static double decrease_of(double score, double weight, const RealScale& scale) {
    return SquaredError::decrease_of(score, weight, scale);
  }
  static double impurity(const RealSums<false>& sums) { return SquaredError::impurity(sums); }
};

void expect_same(const Tree& a, const Tree& b, const std::string& what) {
  expect(a.column == b.column && a.kind == b.kind && a.threshold == b.threshold && a.level == b.level &&
             a.level_child == b.level_child && a.gain == b.gain && a.impurity == b.impurity && a.value == b.value &&
             a.counts == b.counts && a.size() > 1,
         what);
}

void check(std::mt19937& random, Row n_rows) {
  std::vector<double> numbers, targets, weights;
  std::vector<std::int32_t> levels, classes;
  for (Row row = 0; row < n_rows; ++row) {
    numbers.push_back(random() % 1000), levels.push_back(static_cast<std::int32_t>(random() % 5));
    classes.push_back(static_cast<std::int32_t>((random() % 3 + (numbers.back() > 400) + levels.back() % 2) % 3));
    targets.push_back(numbers.back() * 0.01 + levels.back() + random() % 7), weights.push_back(1 + random() % 4);
  }
  Dataset data{.n_rows = n_rows, .columns = std::vector<ColumnView>(2)};
  data.columns[0].values = reinterpret_cast<const std::byte*>(numbers.data()), data.columns[0].stride = sizeof(double);
  data.columns[1] = {.kind = Kind::nominal, .type = ValueType::int32};
  data.columns[1].values = reinterpret_cast<const std::byte*>(levels.data());
  data.columns[1].stride = sizeof(std::int32_t), data.columns[1].n_levels = 5;
  Gini gini;
  UnboundedGini unbounded;
  gini.n_classes = unbounded.n_classes = 3;
  Interrupt interrupt;
  for (const bool weighted : {false, true})
    for (const bool fast : {false, true})
      for (const Missing missing : {Missing::category, Missing::surrogate, Missing::fractional})
        for (const Nominal nominal : {Nominal::subset, Nominal::multiway}) {
          GrowOptions options;
          options.fast = fast, options.missing = missing;
          options.nominal = missing == Missing::surrogate ? Nominal::subset : nominal;
          Targets of_classes{.classes = classes, .n_classes = 3}, of_numbers{.numbers = targets};
          if (weighted) of_classes.weights = of_numbers.weights = weights;
          const std::string how = std::string{weighted ? "weighted" : "plain"} + (fast ? ", fast" : "");
          expect_same(grow(data, of_classes, gini, options, interrupt),
                      grow(data, of_classes, unbounded, options, interrupt), "classes, " + how);
          expect_same(grow(data, of_numbers, SquaredError{}, options, interrupt),
                      grow(data, of_numbers, UnboundedError{}, options, interrupt), "numbers, " + how);
        }
}

}  // namespace
}  // namespace arboretum

int main() {
  using namespace arboretum;
  static_assert(ScoresFast<UnboundedGini, UnitCounts<32>> && ScoresFast<UnboundedError, Sums>);
  std::mt19937 random{20'260'103};
  check(random, 60), check(random, 3'000);
  return finish();
}
