#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/dataset.hpp"
#include "core/explain/contributions.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

using NodeValues = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check(const Router& router, const Dataset& data, const Dataset* background, const NodeValues& values) {
  const bool fits = !background || (background->columns.size() == data.columns.size() && background->n_rows > 0);
  if (router.n_columns() > data.columns.size() || values.shape(0) != router.n_nodes() || !fits)
    throw std::invalid_argument("the tree, its values and the tables do not belong together");
}

nb::tuple contributions(const Router& router, const Dataset& data, const NodeValues& values, const Dataset* background,
                        bool interactions, unsigned n_threads, std::size_t most_steps, bool plain) {
  check(router, data, background, values);
  const std::size_t n_targets = values.shape(1), n_columns = data.columns.size();
  std::vector<double> found(data.n_rows * n_columns * n_targets);
  std::vector<double> pairs(interactions ? found.size() * n_columns : 0);
  const Explained explained{&router, {{values.data(), values.size()}, n_targets}, &data};
  std::vector<double> base;
  {
    const nb::gil_scoped_release release;
    const ExplainOptions options{n_threads, plain ? Way::plain : Way::fast, most_steps};
    const MakePoll make_poll = [] { return [interrupt = python_interrupt()]() mutable { interrupt.poll(); }; };
    if (background) add_contributions(explained, *background, options, {found, pairs}, make_poll);
    else add_contributions(explained, options, {found, pairs}, make_poll);
    base = weighted_base(explained);
  }
  return nb::make_tuple(as_numpy(std::move(found)), as_numpy(std::move(pairs)), as_numpy(std::move(base)));
}

}  // namespace

void bind_explain(nb::module_& m) {
  nb::exception<TooManyWays>(m, "TooManyWays");
  m.def(
      "contributions",
      [](const Router& router, const PyDataset& dataset, const NodeValues& values, const PyDataset* background,
         bool interactions, unsigned n_threads, std::size_t most_steps, bool plain) {
        return contributions(router, dataset.data(), values, background ? &background->data() : nullptr, interactions,
                             n_threads, most_steps, plain);
      },
      "router"_a, "dataset"_a, "values"_a.noconvert(), "background"_a.none(), "interactions"_a, "n_threads"_a,
      "most_steps"_a, "plain"_a = false,
      nb::sig(
          "def contributions(router: Router, dataset: Dataset, values: numpy.typing.NDArray[numpy.float64], "
          "background: Dataset | None, interactions: bool, n_threads: int, most_steps: int, plain: bool = False) -> "
          "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
          "numpy.typing.NDArray[numpy.float64]]"),
      "What columns contribute to the predictions of rows, and pairs of columns, and what is predicted if no column is "
      "known. The values are those of the nodes; one row, or pair of rows, may take `most_steps`; `plain` goes row by "
      "row, to the same numbers.");
}

}  // namespace arboretum
