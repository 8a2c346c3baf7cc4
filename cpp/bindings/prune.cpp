#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/dataset.hpp"
#include "bindings/shape.hpp"
#include "core/prune/node_errors.hpp"
#include "core/prune/pessimistic.hpp"
#include "core/prune/reduced_error.hpp"
#include "core/prune/shrinkage.hpp"
#include "core/prune/weakest_link.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

using Numbers = nb::ndarray<nb::numpy, double>;

NumberLoss number_loss(const std::string& name) {
  if (name == "squared_error") return NumberLoss::squared;
  if (name == "absolute_error") return NumberLoss::absolute;
  if (name == "poisson") return NumberLoss::poisson;
  throw nb::value_error("numbers cost a squared error, an absolute error or a poisson deviance");
}

Targets targets_of(const PyDataset& dataset, const std::optional<Array<std::int32_t>>& classes, std::uint32_t n_classes,
                   const std::optional<Array<double>>& numbers, const std::optional<Array<double>>& weights) {
  Targets targets{.n_classes = n_classes};
  if (classes) targets.classes = as_span(*classes);
  if (numbers) targets.numbers = as_span(*numbers);
  if (weights) targets.weights = as_span(*weights);
  const std::size_t n = dataset.data().n_rows;
  require((n_classes > 0 ? targets.classes.size() : targets.numbers.size()) == n &&
              (targets.weights.empty() || targets.weights.size() == n),
          "targets and weights must have one entry per row");
  for (const std::int32_t label : targets.classes)
    require(label >= 0 && static_cast<std::uint32_t>(label) < n_classes, "a class is out of range");
  return targets;
}

nb::ndarray<nb::numpy, std::uint8_t> node_errors(const Router& router, const PyShape& shape, const PyDataset& dataset,
                                                 const std::optional<Array<std::int32_t>>& classes,
                                                 std::uint32_t n_classes, const std::optional<Array<double>>& numbers,
                                                 const std::optional<Array<double>>& weights,
                                                 const Array<double>& predictions, const std::string& loss,
                                                 double unit) {
  require(router.n_nodes() == shape.shape.size() && router.n_columns() <= dataset.data().columns.size(),
          "the tree and the data do not belong together");
  const Targets targets = targets_of(dataset, classes, n_classes, numbers, weights);
  Losses losses{.n_classes = n_classes, .unit = unit};
  if (n_classes > 0) losses.of_class = as_span(predictions);
  else losses.value = as_span(predictions), losses.number = number_loss(loss);
  require(predictions.shape(0) == shape.shape.size() * std::max(1u, n_classes), "every node needs a prediction");
  NodeErrors errors;
  {
    const nb::gil_scoped_release release;
    Interrupt interrupt = python_interrupt();
    errors = errors_at_nodes(router, shape.shape, dataset.data(), targets, losses, [&interrupt] { interrupt.poll(); });
  }
  std::vector<Twofold> all;
  for (const auto& sums : {errors.sum, errors.squares, errors.infinite})
    all.insert(all.end(), sums.begin(), sums.end());
  return to_bytes(all);
}

nb::ndarray<nb::numpy, std::uint8_t> bin_sums(const Array<std::int32_t>& bins, const Array<double>& values,
                                              std::size_t n_bins) {
  require(bins.shape(0) == values.shape(0), "every value needs a bin");
  std::vector<Twofold> sums(n_bins);
  for (std::size_t i = 0; i < values.shape(0); ++i) {
    const auto bin = static_cast<std::size_t>(as_span(bins)[i]);
    require(bin < n_bins, "a bin is out of range");
    sums[bin] += as_span(values)[i];
  }
  return to_bytes(sums);
}

Numbers shrunken(const Array<NodeId>& parent, const Array<std::int64_t>& n_rows, const Array<double>& own,
                 const Array<double>& start, const Array<double>& strengths) {
  const std::size_t n = parent.shape(0), width = start.shape(0), size = n * width;
  require(n > 0 && n_rows.shape(0) == n && own.shape(0) == size, "every node needs its rows and its own prediction");
  for (std::size_t node = 1; node < n; ++node)
    require(as_span(parent)[node] >= 0 && static_cast<std::size_t>(as_span(parent)[node]) < node,
            "a node is listed before its parent");
  std::vector<double> predicted(strengths.shape(0) * size);
  const std::span<double> all{predicted};
  for (std::size_t i = 0; i < strengths.shape(0); ++i) {
    const std::span<double> each = all.subspan(i * size, size);
    std::ranges::copy(as_span(own), each.begin());
    std::ranges::copy(as_span(start), each.begin());
    // Without strength they stay as they are, to the last bit.
    const double strength = as_span(strengths)[i];
    if (strength > 0.0) shrink(as_span(parent), as_span(n_rows), as_span(own), width, strength, each);
  }
  return Numbers{as_numpy(std::move(predicted))};
}

PruneOrder order_of(const std::string& name) {
  if (name == "greedy") return PruneOrder::greedy;
  if (name == "leaves") return PruneOrder::leaves;
  if (name == "bottom_up") return PruneOrder::bottom_up;
  throw nb::value_error("nodes are tried greedily, from the leaves, or bottom_up");
}

nb::dict reduce_error(const PyShape& shape, const Array<double>& own, const Array<double>& resting,
                      const std::string& order) {
  require(own.shape(0) == shape.shape.size() && resting.shape(0) == own.shape(0), "every node needs an error");
  ReducedError pruner{shape.shape, as_span(own), as_span(resting)};
  std::vector<PruneStep> steps;
  {
    const PruneOrder how = order_of(order);
    const nb::gil_scoped_release release;
    Interrupt interrupt = python_interrupt();
    steps = pruner.prune(how, [&interrupt] { interrupt.poll(); });
  }
  std::vector<NodeId> node;
  std::vector<double> before, after;
  std::vector<std::uint8_t> pruned;
  for (const PruneStep& step : steps)
    node.push_back(step.node), before.push_back(step.before), after.push_back(step.after),
        pruned.push_back(step.pruned);
  nb::dict result;
  result["leaves"] = as_numpy(std::vector<std::uint8_t>(pruner.leaves()));
  result["node"] = as_numpy(std::move(node));
  result["before"] = as_numpy(std::move(before));
  result["after"] = as_numpy(std::move(after));
  result["action"] = as_numpy(std::move(pruned));
  return result;
}

nb::dict prune_pessimistically(const Router& router, const PyShape& shape, const PyDataset& dataset,
                               const Array<std::int32_t>& classes, std::uint32_t n_classes,
                               const std::optional<Array<double>>& weights, double confidence, double quantile,
                               bool raise_subtrees, double unit) {
  require(router.n_nodes() == shape.shape.size() && router.n_columns() <= dataset.data().columns.size(),
          "the tree and the data do not belong together");
  require(n_classes > 0, "only trees of classes are pruned pessimistically");
  const Targets targets = targets_of(dataset, classes, n_classes, std::nullopt, weights);
  const PessimisticOptions options{.limit = {confidence, quantile}, .raise = raise_subtrees, .unit = unit};
  Regrown tree;
  std::vector<PessimisticStep> steps;
  {
    const nb::gil_scoped_release release;
    Interrupt interrupt = python_interrupt();
    Pessimistic pruner{router, shape.shape, dataset.data(), targets, options, [&interrupt] { interrupt.poll(); }};
    pruner.prune();
    tree = pruner.result(), steps = pruner.steps();
  }
  std::vector<NodeId> node;
  std::vector<double> before, after;
  std::vector<std::uint8_t> action;
  for (const PessimisticStep& step : steps)
    node.push_back(step.node), before.push_back(step.before), after.push_back(step.after),
        action.push_back(static_cast<std::uint8_t>(step.action));
  nb::dict result;
  result["source"] = as_numpy(std::move(tree.source));
  result["parent"] = as_numpy(std::move(tree.parent));
  result["leaf"] = as_numpy(std::move(tree.leaf));
  result["moved"] = as_numpy(std::move(tree.moved));
  result["counts"] = as_numpy(std::move(tree.counts), n_classes);
  result["n_rows"] = as_numpy(std::move(tree.n_rows));
  result["node"] = as_numpy(std::move(node));
  result["before"] = as_numpy(std::move(before));
  result["after"] = as_numpy(std::move(after));
  result["action"] = as_numpy(std::move(action));
  return result;
}

}  // namespace

void bind_prune(nb::module_& m) {
  nb::class_<PyShape>(m, "Shape", "Which node is whose child, checked.")
      .def(nb::init<Array<NodeId>, Array<NodeId>, Array<std::int32_t>>(), "parent"_a.noconvert(),
           "first_child"_a.noconvert(), "n_children"_a.noconvert(),
           nb::sig("def __init__(self, parent: numpy.typing.NDArray[numpy.int32], "
                   "first_child: numpy.typing.NDArray[numpy.int32], "
                   "n_children: numpy.typing.NDArray[numpy.int32]) -> None"));
  m.def(
      "weakest_links",
      [](const PyShape& shape, const Array<double>& risk) {
        require(risk.shape(0) == shape.shape.size(), "every node needs a risk");
        return Numbers{as_numpy(weakest_links(shape.shape, as_span(risk)))};
      },
      "shape"_a, "risk"_a.noconvert(),
      nb::sig("def weakest_links(shape: Shape, risk: numpy.typing.NDArray[numpy.float64]) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "For each node the alpha from which on it is a leaf of the smallest tree of least risk + alpha * leaves.");
  m.def(
      "sums_along",
      [](const PyShape& shape, const Array<std::int32_t>& step, std::int32_t n_steps, const Array<double>& at_node,
         const Array<double>& resting) {
        const std::size_t n = shape.shape.size();
        require(step.shape(0) == n && at_node.shape(0) == n && resting.shape(0) == n && n_steps >= 0,
                "every node needs a step and two numbers");
        return Numbers{as_numpy(sums_along(shape.shape, as_span(step), n_steps, as_span(at_node), as_span(resting)))};
      },
      "shape"_a, "step"_a.noconvert(), "n_steps"_a, "at_node"_a.noconvert(), "resting"_a.noconvert(),
      nb::sig("def sums_along(shape: Shape, step: numpy.typing.NDArray[numpy.int32], n_steps: int, "
              "at_node: numpy.typing.NDArray[numpy.float64], resting: numpy.typing.NDArray[numpy.float64]) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "The sum over the leaves of each of a sequence of trees, in which nodes become leaves at their step, and over "
      "what rests at inner nodes.");
  m.def(
      "nested_steps",
      [](const PyShape& shape, const Array<std::int32_t>& step) {
        require(step.shape(0) == shape.shape.size(), "every node needs a step");
        return as_numpy(nested_steps(shape.shape, as_span(step)));
      },
      "shape"_a, "step"_a.noconvert(),
      nb::sig("def nested_steps(shape: Shape, step: numpy.typing.NDArray[numpy.int32]) -> "
              "numpy.typing.NDArray[numpy.int32]"),
      "For each node the first step at which it, or a node above it, is a leaf.");
  m.def(
      "resting_places",
      [](const PyShape& shape, const Array<std::int32_t>& nested, std::int32_t at) {
        require(nested.shape(0) == shape.shape.size(), "every node needs a step");
        return as_numpy(resting_places(shape.shape, as_span(nested), at));
      },
      "shape"_a, "nested"_a.noconvert(), "at"_a,
      nb::sig("def resting_places(shape: Shape, nested: numpy.typing.NDArray[numpy.int32], at: int) -> "
              "numpy.typing.NDArray[numpy.int32]"),
      "For each node the one where rows rest that reach it, at one of the steps.");
  m.def("node_errors", &node_errors, "router"_a, "shape"_a, "dataset"_a, "classes"_a.noconvert().none(), "n_classes"_a,
        "numbers"_a.noconvert().none(), "weights"_a.noconvert().none(), "predictions"_a.noconvert(), "loss"_a,
        "unit"_a = 1.0,
        nb::sig("def node_errors(router: Router, shape: Shape, dataset: Dataset, "
                "classes: numpy.typing.NDArray[numpy.int32] | None, n_classes: int, "
                "numbers: numpy.typing.NDArray[numpy.float64] | None, "
                "weights: numpy.typing.NDArray[numpy.float64] | None, "
                "predictions: numpy.typing.NDArray[numpy.float64], loss: str, unit: float = 1.0) -> "
                "numpy.typing.NDArray[numpy.uint8]"),
        "What rows cost at every node that they pass, the same with losses squared, in a unit of losses, and the "
        "weight of those that cost infinitely much, which are in neither: sums of doubled precision, as bytes. "
        "Predictions: for each node the loss of each class, or a number.");
  m.def("bin_sums", &bin_sums, "bins"_a.noconvert(), "values"_a.noconvert(), "n_bins"_a,
        nb::sig("def bin_sums(bins: numpy.typing.NDArray[numpy.int32], values: numpy.typing.NDArray[numpy.float64], "
                "n_bins: int) -> numpy.typing.NDArray[numpy.uint8]"),
        "The sum of the values in each bin, in doubled precision, as bytes.");
  m.def("shrunken", &shrunken, "parent"_a.noconvert(), "n_rows"_a.noconvert(), "own"_a.noconvert(),
        "start"_a.noconvert(), "strengths"_a.noconvert(),
        nb::sig("def shrunken(parent: numpy.typing.NDArray[numpy.int32], n_rows: numpy.typing.NDArray[numpy.int64], "
                "own: numpy.typing.NDArray[numpy.float64], start: numpy.typing.NDArray[numpy.float64], "
                "strengths: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]"),
        "The predictions of all nodes, drawn towards those of the nodes above, for one strength after the other. The "
        "root predicts what `start` says.");
  m.def("reduce_error", &reduce_error, "shape"_a, "own"_a.noconvert(), "resting"_a.noconvert(), "order"_a,
        nb::sig("def reduce_error(shape: Shape, own: numpy.typing.NDArray[numpy.float64], "
                "resting: numpy.typing.NDArray[numpy.float64], order: str) -> "
                "dict[str, numpy.typing.NDArray[numpy.generic]]"),
        "Which nodes become leaves, and each step on the way.");
  m.def("prune_pessimistically", &prune_pessimistically, "router"_a, "shape"_a, "dataset"_a, "classes"_a.noconvert(),
        "n_classes"_a, "weights"_a.noconvert().none(), "confidence"_a, "quantile"_a, "raise_subtrees"_a, "unit"_a,
        nb::sig("def prune_pessimistically(router: Router, shape: Shape, dataset: Dataset, "
                "classes: numpy.typing.NDArray[numpy.int32], n_classes: int, "
                "weights: numpy.typing.NDArray[numpy.float64] | None, confidence: float, quantile: float, "
                "raise_subtrees: bool, unit: float) -> dict[str, numpy.typing.NDArray[numpy.generic]]"),
        "The tree as C4.5 prunes it: which node asks what, its class weights, and each step on the way.");
}

}  // namespace arboretum
