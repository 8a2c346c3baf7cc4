#include "core/leaves/linear_models.hpp"

#include "bindings/dataset.hpp"
#include "bindings/shape.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::dict fit_linear_models(const PyShape& shape, const Array<NodeId>& resting, const Matrix& values,
                           const Array<double>& targets, const Array<double>& weights, const Flags& used,
                           double ridge) {
  const std::size_t n = resting.shape(0), p = values.shape(1), n_nodes = shape.shape.size();
  require(values.shape(0) == n && targets.shape(0) == n && weights.shape(0) == n && used.shape(0) == n_nodes &&
              used.shape(1) == p && ridge >= 0.0,
          "the rows, their values and the columns used do not belong together");
  for (const NodeId node : as_span(resting))
    require(node >= 0 && static_cast<std::size_t>(node) < n_nodes, "a row rests at a node that is not there");
  const LinearRows rows{as_span(resting), {values.data(), n * p}, as_span(targets), as_span(weights), p};
  LinearModels found;
  {
    const nb::gil_scoped_release release;
    Interrupt interrupt = python_interrupt();
    found = linear_models(shape.shape, rows, {used.data(), n_nodes * p}, ridge, interrupt);
  }
  nb::dict result;
  result["intercept"] = as_numpy(std::move(found.intercept));
  result["coefficient"] = as_numpy(std::move(found.coefficient), p);
  result["fill"] = as_numpy(std::move(found.fill), p);
  result["low"] = as_numpy(std::move(found.low));
  result["high"] = as_numpy(std::move(found.high));
  result["error"] = as_numpy(std::move(found.error));
  return result;
}

}  // namespace

void bind_leaves(nb::module_& m) {
  m.def("linear_models", &fit_linear_models, "shape"_a, "resting"_a.noconvert(), "values"_a.noconvert(),
        "targets"_a.noconvert(), "weights"_a.noconvert(), "used"_a.noconvert(), "ridge"_a,
        nb::sig("def linear_models(shape: Shape, resting: numpy.typing.NDArray[numpy.int32], "
                "values: numpy.typing.NDArray[numpy.float64], targets: numpy.typing.NDArray[numpy.float64], "
                "weights: numpy.typing.NDArray[numpy.float64], used: numpy.typing.NDArray[numpy.uint8], "
                "ridge: float) -> dict[str, numpy.typing.NDArray[numpy.float64]]"),
        "Ridge regression on the rows that pass each node, with the columns that it may use.");
}

}  // namespace arboretum
