#include "core/search/optimal/optimal.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/dataset.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

// A tree that was found, until it is grown.
struct PyPlan {
  std::shared_ptr<const PlannedTree> tree;
};

const char* name_of(optimal::Stop stop) {
  constexpr const char* names[] = {"proof", "gap", "time", "work", "memory", "interrupt"};
  return names[static_cast<std::size_t>(stop)];
}

nb::tuple as_tuple(optimal::Found found) {
  return nb::make_tuple(found.column, found.objective, found.bound,
                        PyPlan{std::make_shared<const PlannedTree>(std::move(found.tree))});
}

nb::dict as_dict(optimal::Outcome outcome) {
  nb::dict found;
  found["best"] = as_tuple(std::move(outcome.best));
  found["stopped_by"] = name_of(outcome.stop);
  found["seconds"] = outcome.seconds;
  found["passes"] = outcome.passes;
  nb::list history, alternatives;
  for (const optimal::Moment& moment : outcome.history)
    history.append(nb::make_tuple(moment.seconds, moment.objective, moment.bound));
  for (optimal::Found& other : outcome.alternatives) alternatives.append(as_tuple(std::move(other)));
  found["history"] = history, found["alternatives"] = alternatives;
  return found;
}

void check(const Dataset& data, const Targets& targets, const optimal::OptimalOptions& options) {
  const std::size_t n = data.n_rows, k = targets.n_classes;
  const bool fits = n > 0 && (targets.classes.size() == n) != (targets.numbers.size() == n) &&
                    (targets.weights.empty() || targets.weights.size() == n) &&
                    (options.loss.empty() || options.loss.size() == k * k);
  if (!fits) throw std::invalid_argument("targets, weights and losses must fit the rows and the classes");
  for (const std::int32_t label : targets.classes)
    if (label < 0 || static_cast<std::size_t>(label) >= k) throw std::invalid_argument("a class is out of range");
}

}  // namespace

void bind_optimal(nb::module_& m) {
  using optimal::OptimalOptions;
  nb::class_<PyPlan>(m, "Plan", "A tree that was found as a whole: its questions, to be grown as they are.")
      .def("set_in", [](const PyPlan& plan, GrowOptions& options) { options.plan = plan.tree; }, "options"_a);
  nb::class_<OptimalOptions>(m, "OptimalOptions", "What the search for an optimal tree is limited by.")
      .def(nb::init<>())
      .def_rw("max_depth", &OptimalOptions::max_depth)
      .def_rw("max_leaves", &OptimalOptions::max_leaves)
      .def_rw("min_leaf_rows", &OptimalOptions::min_leaf_rows)
      .def_rw("min_split_rows", &OptimalOptions::min_split_rows)
      .def_rw("leaf_penalty", &OptimalOptions::leaf_penalty)
      .def_rw("nominal", &OptimalOptions::nominal)
      .def_rw("most_levels", &OptimalOptions::most_levels)
      .def_rw("seconds", &OptimalOptions::seconds)
      .def_rw("passes", &OptimalOptions::passes)
      .def_rw("bytes", &OptimalOptions::bytes)
      .def_rw("gap", &OptimalOptions::gap)
      .def_rw("keep_when_interrupted", &OptimalOptions::keep_when_interrupted)
      .def_rw("alternatives", &OptimalOptions::alternatives)
      .def_rw("simd", &OptimalOptions::simd)
      .def_rw("n_threads", &OptimalOptions::n_threads)
      .def_rw("n_cuts", &OptimalOptions::n_cuts)
      .def_rw("loss", &OptimalOptions::loss);
  nb::exception<optimal::TooManyLevels>(m, "TooManyLevels");
  m.def(
      "optimal_tree",
      [](const PyDataset& dataset, std::optional<Array<std::int32_t>> classes, std::uint32_t n_classes,
         std::optional<Array<double>> numbers, std::optional<Array<double>> weights, const OptimalOptions& options,
         std::optional<std::function<void(double, double, double)>> report) {
        Targets targets{.n_classes = n_classes};
        if (classes) targets.classes = as_span(*classes);
        if (numbers) targets.numbers = as_span(*numbers);
        if (weights) targets.weights = as_span(*weights);
        check(dataset.data(), targets, options);
        Interrupt interrupt = python_interrupt();
        optimal::Outcome outcome;
        {
          const nb::gil_scoped_release release;
          optimal::Report tell;
          if (report)
            tell = [&](const optimal::Moment& now) {
              const nb::gil_scoped_acquire hold;
              (*report)(now.seconds, now.objective, now.bound);
            };
          outcome = optimal::search(dataset.data(), targets, options, interrupt, tell);
        }
        return as_dict(std::move(outcome));
      },
      "dataset"_a, "classes"_a.noconvert().none(), "n_classes"_a, "numbers"_a.noconvert().none(),
      "weights"_a.noconvert().none(), "options"_a, "report"_a = nb::none(),
      nb::sig("def optimal_tree(dataset: Dataset, classes: numpy.typing.NDArray[numpy.int32] | None, n_classes: int, "
              "numbers: numpy.typing.NDArray[numpy.float64] | None, "
              "weights: numpy.typing.NDArray[numpy.float64] | None, options: OptimalOptions, "
              "report: collections.abc.Callable[[float, float, float], None] | None = None) -> dict[str, typing.Any]"),
      "The tree of least misclassification cost or least squared error, with a bound on what any other costs.");
}

}  // namespace arboretum
