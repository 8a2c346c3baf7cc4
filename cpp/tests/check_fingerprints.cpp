// The same trees on every machine: trees of all criteria and kinds of questions, grown from tables that are the same
// everywhere, have the fingerprints of known_fingerprints.hpp. Prints "N passed, M failed" and returns 1 if anything
// failed; with --print, what that file should hold.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/fingerprint.hpp"
#include "core/grow/grow.hpp"
#include "core/registry.hpp"
#include "tests/expect.hpp"
#include "tests/known_fingerprints.hpp"
#include "tests/random_table.hpp"

namespace arboretum {
namespace {

template <class T>
void add_all(Fingerprint& print, const std::vector<T>& values) {
  for (const T& value : values) print.add_value(value);
}

struct Prints {
  Fingerprint questions, numbers;

  void add(const Tree& tree) {
    for (const auto* all : {&tree.first_child, &tree.n_children, &tree.column, &tree.missing_child, &tree.level,
                            &tree.level_child, &tree.others.column, &tree.others.level})
      add_all(questions, *all);
    add_all(questions, tree.kind), add_all(questions, tree.n_rows);
    add_all(questions, tree.threshold), add_all(questions, tree.others.threshold);
    add_all(questions, tree.threshold_floor);
    for (const auto* all : {&tree.weight, &tree.counts, &tree.value, &tree.impurity, &tree.gain, &tree.others.gain})
      add_all(numbers, *all);
  }
};

template <class C>
Prints fingerprints_of_trees() {
  std::mt19937 random{20'260'108};
  Prints prints;
  for (int round = 0; round < 24; ++round) {
    const Row n_rows = round < 20 ? 30 + static_cast<Row>(random() % 400) : 8'000;
    const std::uint32_t n_classes = 2 + static_cast<std::uint32_t>(random() % 3);
    const Table table{random, n_rows, round % 2 ? 30u : 4u, n_classes};
    GrowOptions options;
    options.missing = static_cast<Missing>(round % 3);
    options.nominal = options.missing == Missing::surrogate ? Nominal::subset : static_cast<Nominal>(round % 4 % 3);
    options.competitors = round % 2 ? 2 : 0;
    options.min_leaf_rows = 1 + static_cast<Row>(random() % 3);
    Targets targets{.n_classes = n_classes};
    if (C::target == TargetKind::classes) targets.classes = table.classes;
    else targets.numbers = table.numbers;
    if (round % 4 == 1) targets.weights = table.weights;
    C criterion{};
    if constexpr (C::target == TargetKind::classes) criterion.n_classes = n_classes;
    Interrupt interrupt;
    prints.add(grow(table.data, targets, criterion, options, interrupt));
  }
  return prints;
}

}  // namespace
}  // namespace arboretum

int main(int n_arguments, char** arguments) {
  using namespace arboretum;
  const bool wanted = n_arguments > 1 && std::strcmp(arguments[1], "--print") == 0;
  Criteria::for_each([&]<class C>(std::type_identity<C>) {
    const Prints prints = fingerprints_of_trees<C>();
    const Known found{C::name, prints.questions.finish(), prints.numbers.finish()};
    if (wanted) {
      std::printf("    {\"%s\", 0x%016llxu, 0x%016llxu},\n", C::name, static_cast<unsigned long long>(found.questions),
                  static_cast<unsigned long long>(found.numbers));
      return;
    }
    const Known* known = find_known(C::name);
    const std::string who = std::string{"the trees of "} + C::name + " have ";
    expect(known != nullptr && known->questions == found.questions, who + "other questions than elsewhere");
    if (same_logarithms || !takes_logarithms(C::name))
      expect(known != nullptr && known->numbers == found.numbers, who + "other numbers than elsewhere");
  });
  return wanted ? 0 : finish();
}
