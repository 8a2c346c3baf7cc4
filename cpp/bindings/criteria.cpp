// The criteria as Python sees them: their names, and the impurity of many nodes at once.
#include <algorithm>
#include <span>

#include <nanobind/stl/string.h>

#include "bindings/dataset.hpp"
#include "core/real_sums.hpp"
#include "core/registry.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

using Tables = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Class weights as Python holds them; what the core itself counts are integers.
struct RealCounts {
  std::span<const double> counts;
  double sum = 0.0;

  explicit RealCounts(std::span<const double> weights) : counts{weights} {
    for (const double weight : weights) sum += weight;
  }
  std::size_t n_classes() const { return counts.size(); }
  double count(std::size_t k) const { return counts[k]; }
  double total() const { return sum; }
};

template <class C>
double impurity_of(const std::span<const double> table) {
  if constexpr (C::target == TargetKind::classes) {
    const RealCounts counts{table};
    return counts.total() > 0.0 ? C::impurity_of(counts) : 0.0;
  } else {
    if (!(table[0] > 0.0)) return 0.0;
    return std::max(0.0, C{}.impurity(RealSums<C::needs_logs>::of_sums(table[0], table[1], table[2])));
  }
}

template <class C>
constexpr bool is_made_of_sums = C::target == TargetKind::classes ||
                                 requires(C criterion, RealSums<C::needs_logs> sums) { criterion.impurity(sums); };

nb::ndarray<nb::numpy, double> impurities(const std::string& name, const Tables& tables) {
  const std::size_t n_tables = tables.shape(0), width = tables.shape(1);
  std::vector<double> found(n_tables);
  with_criterion(name, [&]<class C>(std::type_identity<C>) {
    if constexpr (is_made_of_sums<C>) {
      if (C::target == TargetKind::classes ? width == 0 : width != 3)
        throw std::invalid_argument("a table holds the weight of each class, or three sums of numbers");
      for (std::size_t i = 0; i < n_tables; ++i) found[i] = impurity_of<C>({tables.data() + i * width, width});
    } else {
      throw std::invalid_argument("the impurity '" + name + "' is not a function of sums");
    }
  });
  return as_numpy(std::move(found));
}

nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str>> criteria() {
  nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str>> names;
  Criteria::for_each([&]<class C>(std::type_identity<C>) {
    names.append(nb::make_tuple(C::name, C::target == TargetKind::classes ? "classes" : "numbers"));
  });
  return names;
}

}  // namespace

void bind_criteria(nb::module_& m) {
  m.def("criteria", &criteria, "The name of every criterion and the kind of its targets.");
  m.def("impurities", &impurities, "criterion"_a, "tables"_a.noconvert(),
        nb::sig("def impurities(criterion: str, tables: numpy.typing.NDArray[numpy.float64]) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        "Return the impurity of each row of `tables`, a C-ordered matrix: for classes the weight of each class, for "
        "numbers the sums of w, w y and w y**2 ('poisson': w y log y). A row without weight has impurity 0. "
        "'absolute_error' is not a function of sums and is refused.");
}

}  // namespace arboretum
