#include "core/grow/grow.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "bindings/dataset.hpp"
#include "core/grow/grow_several.hpp"
#include "core/registry.hpp"
#include "core/sources/fast_criterion.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

template <class C>
C make_criterion(const Targets& targets, const GrowOptions& options) {
  C criterion;
  if constexpr (C::target == TargetKind::classes) {
    criterion.n_classes = targets.n_classes;
    criterion.smoothing = {options.smoothing_m, options.smoothing_prior};
  }
  return criterion;
}

void check(const Dataset& data, const Targets& targets, const GrowOptions& options, std::span<const Row> sample) {
  const std::size_t n = data.n_rows;
  const bool fits = (targets.classes.empty() || targets.classes.size() == n) &&
                    (targets.numbers.empty() || targets.numbers.size() == n) &&
                    (targets.weights.empty() || targets.weights.size() == n) &&
                    (targets.case_weights.empty() || targets.case_weights.size() == n);
  if (!fits || n == 0)
    throw std::invalid_argument("targets and weights must have one entry per row, and at least one row");
  for (std::int32_t label : targets.classes)
    if (label < 0 || static_cast<std::uint32_t>(label) >= targets.n_classes)
      throw std::invalid_argument("class " + std::to_string(label) + " is not one of " +
                                  std::to_string(targets.n_classes));
  if (options.drawn_columns == 0) throw std::invalid_argument("a node must draw at least one column");
  for (const Row row : sample)
    if (row >= n) throw std::out_of_range("a row of the sample is not there");
  if (!options.monotone.empty() && options.monotone.size() != data.columns.size())
    throw std::invalid_argument("monotone constraints must have one entry per column");
}

Tree grow(const PyDataset& dataset, const std::string& name, std::optional<Array<std::int32_t>> classes,
          std::uint32_t n_classes, std::optional<Array<double>> numbers, std::optional<Array<double>> weights,
          std::optional<Array<double>> case_weights, const GrowOptions& options,
          const std::optional<Array<Row>>& sample, const std::optional<Array<std::uint8_t>>& scale) {
  Targets targets{.n_classes = n_classes};
  FastScale given;
  if (scale) {
    if (scale->shape(0) != sizeof given) throw std::invalid_argument("a scale has another size");
    std::memcpy(&given, scale->data(), sizeof given);
    targets.scale = &given;
  }
  if (classes) targets.classes = as_span(*classes);
  if (numbers) targets.numbers = as_span(*numbers);
  if (weights) targets.weights = as_span(*weights);
  if (case_weights) targets.case_weights = as_span(*case_weights);
  const std::span<const Row> rows = sample ? as_span(*sample) : std::span<const Row>{};
  const Dataset data = rows.empty() ? dataset.data() : dataset.to_sample_from();
  check(data, targets, options, rows);
  Interrupt interrupt = python_interrupt();
  Tree tree;
  with_criterion(name, [&]<class C>(std::type_identity<C>) {
    const bool has_targets = C::target == TargetKind::classes ? !targets.classes.empty() : !targets.numbers.empty();
    if (!has_targets) throw std::invalid_argument("the criterion asks for another kind of target");
    const nb::gil_scoped_release release;
    tree = arboretum::grow(data, targets, make_criterion<C>(targets, options), options, interrupt, rows);
  });
  return tree;
}

// One output of several: its criterion, targets and weights, and its share of the combined criterion.
struct Output {
  std::string criterion;
  std::optional<Array<std::int32_t>> classes;
  std::uint32_t n_classes;
  std::optional<Array<double>> numbers;
  std::optional<Array<double>> weights;
  double share;

  OutputTask task() const {
    OutputTask task{.criterion = criterion, .targets = {.n_classes = n_classes}, .share = share};
    if (classes) task.targets.classes = as_span(*classes);
    if (numbers) task.targets.numbers = as_span(*numbers);
    if (weights) task.targets.weights = as_span(*weights);
    return task;
  }
};

std::vector<Tree> grow_outputs(const PyDataset& dataset, const std::vector<Output>& outputs,
                               const std::optional<Array<double>>& weights, const GrowOptions& options) {
  Targets rows;
  if (weights) rows.weights = as_span(*weights);
  check(dataset.data(), rows, options, {});
  std::vector<OutputTask> tasks;
  for (const Output& output : outputs) {
    check(dataset.data(), tasks.emplace_back(output.task()).targets, options, {});
    if (tasks.back().targets.classes.empty() == tasks.back().targets.numbers.empty())
      throw std::invalid_argument("an output holds either classes or numbers");
  }
  Interrupt interrupt = python_interrupt();
  const nb::gil_scoped_release release;
  return grow_several(dataset.data(), rows, tasks, options, interrupt);
}

// Asks Python for the columns of each node. What is given is a copy: the core moves its rows on.
ChooseColumns asking(nb::object choose) {
  return [choose = std::move(choose)](std::span<const Row> rows, std::span<const double> shares) {
    const nb::gil_scoped_acquire hold;
    const nb::object given =
        shares.empty() ? nb::none() : nb::cast(as_numpy(std::vector(shares.begin(), shares.end())));
    const nb::object answer = choose(as_numpy(std::vector(rows.begin(), rows.end())), given);
    auto [columns, p_value] = nb::cast<std::pair<std::vector<std::uint32_t>, double>>(answer);
    return ColumnChoice{std::move(columns), p_value};
  };
}

nb::dict arrays_of(OtherQuestions others) {
  nb::dict arrays;
  arrays["begin"] = as_numpy(std::move(others.begin));
  arrays["role"] = as_numpy(std::move(others.role));
  arrays["kind"] = as_numpy(std::move(others.kind));
  arrays["flipped"] = as_numpy(std::move(others.flipped));
  arrays["column"] = as_numpy(std::move(others.column));
  arrays["n_children"] = as_numpy(std::move(others.n_children));
  arrays["missing_child"] = as_numpy(std::move(others.missing_child));
  arrays["missing_seen"] = as_numpy(std::move(others.missing_seen));
  arrays["threshold"] = as_numpy(std::move(others.threshold));
  arrays["threshold_floor"] = as_numpy(std::move(others.threshold_floor));
  arrays["n_rows"] = as_numpy(std::move(others.n_rows));
  arrays["gain"] = as_numpy(std::move(others.gain));
  arrays["gain_ratio"] = as_numpy(std::move(others.gain_ratio));
  if (!others.corrected_gain.empty()) arrays["corrected_gain"] = as_numpy(std::move(others.corrected_gain));
  arrays["agreement"] = as_numpy(std::move(others.agreement));
  arrays["adjusted_agreement"] = as_numpy(std::move(others.adjusted_agreement));
  arrays["level_begin"] = as_numpy(std::move(others.level_begin));
  arrays["level"] = as_numpy(std::move(others.level));
  arrays["level_child"] = as_numpy(std::move(others.level_child));
  return arrays;
}

nb::dict arrays_of(TermArrays terms) {
  nb::dict arrays;
  if (terms.size() == 0) return arrays;
  arrays["begin"] = as_numpy(std::move(terms.begin));
  arrays["column"] = as_numpy(std::move(terms.column));
  arrays["kind"] = as_numpy(std::move(terms.kind));
  arrays["negated"] = as_numpy(std::move(terms.negated));
  arrays["threshold"] = as_numpy(std::move(terms.threshold));
  arrays["threshold_floor"] = as_numpy(std::move(terms.threshold_floor));
  arrays["level"] = as_numpy(std::move(terms.level));
  arrays["coefficient"] = as_numpy(std::move(terms.coefficient));
  arrays["fill"] = as_numpy(std::move(terms.fill));
  return arrays;
}

nb::dict arrays_of(Tree tree, std::uint32_t n_classes) {
  nb::dict arrays;
  arrays["parent"] = as_numpy(std::move(tree.parent));
  arrays["first_child"] = as_numpy(std::move(tree.first_child));
  arrays["n_children"] = as_numpy(std::move(tree.n_children));
  arrays["depth"] = as_numpy(std::move(tree.depth));
  arrays["kind"] = as_numpy(std::move(tree.kind));
  arrays["column"] = as_numpy(std::move(tree.column));
  arrays["threshold"] = as_numpy(std::move(tree.threshold));
  arrays["threshold_floor"] = as_numpy(std::move(tree.threshold_floor));
  arrays["missing_child"] = as_numpy(std::move(tree.missing_child));
  arrays["missing_seen"] = as_numpy(std::move(tree.missing_seen));
  arrays["level_begin"] = as_numpy(std::move(tree.level_begin));
  arrays["level"] = as_numpy(std::move(tree.level));
  arrays["level_child"] = as_numpy(std::move(tree.level_child));
  arrays["n_rows"] = as_numpy(std::move(tree.n_rows));
  arrays["weight"] = as_numpy(std::move(tree.weight));
  arrays["impurity"] = as_numpy(std::move(tree.impurity));
  arrays["gain"] = as_numpy(std::move(tree.gain));
  arrays["improvement"] = as_numpy(std::move(tree.improvement));
  if (!tree.gain_ratio.empty()) arrays["gain_ratio"] = as_numpy(std::move(tree.gain_ratio));
  if (!tree.corrected_gain.empty()) arrays["corrected_gain"] = as_numpy(std::move(tree.corrected_gain));
  if (!tree.value.empty()) arrays["value"] = as_numpy(std::move(tree.value));
  if (!tree.counts.empty()) arrays["counts"] = as_numpy(std::move(tree.counts), n_classes);
  if (!tree.p_value.empty()) arrays["p_value"] = as_numpy(std::move(tree.p_value));
  if (!tree.lower.empty())
    arrays["lower"] = as_numpy(std::move(tree.lower)), arrays["upper"] = as_numpy(std::move(tree.upper));
  return arrays;
}

}  // namespace

void bind_grow(nb::module_& m) {
  nb::enum_<Thresholds>(m, "Thresholds")
      .value("midpoint", Thresholds::midpoint)
      .value("observed", Thresholds::observed)
      .value("table", Thresholds::table)
      .value("round", Thresholds::round);
  nb::class_<RoundSteps>(m, "RoundSteps", "What is short to write among the whole numbers of a column.")
      .def(nb::init<>())
      .def_rw("steps", &RoundSteps::steps)
      .def_rw("calendar", &RoundSteps::calendar)
      .def_rw("offset", &RoundSteps::offset);
  nb::enum_<Nominal>(m, "Nominal")
      .value("subset", Nominal::subset)
      .value("one_vs_rest", Nominal::one_vs_rest)
      .value("multiway", Nominal::multiway);
  nb::enum_<Missing>(m, "Missing")
      .value("category", Missing::category)
      .value("surrogate", Missing::surrogate)
      .value("fractional", Missing::fractional);
  nb::enum_<Guard>(m, "Guard").value("none", Guard::none).value("average", Guard::average).value("c45", Guard::c45);
  nb::enum_<Send>(m, "Send")
      .value("always", Send::always)
      .value("surrogates", Send::surrogates)
      .value("never", Send::never);
  nb::enum_<Agreement>(m, "Agreement").value("node", Agreement::node).value("known", Agreement::known);
  nb::class_<GainRatio>(m, "GainRatio", "How columns compete where the gain ratio decides.")
      .def_rw("decides", &GainRatio::decides)
      .def_rw("guard", &GainRatio::guard)
      .def_rw("numeric_penalty", &GainRatio::numeric_penalty);
  nb::class_<SurrogateOptions>(m, "SurrogateOptions", "Surrogates: how many, and what they are for.")
      .def_rw("most", &SurrogateOptions::most)
      .def_rw("send", &SurrogateOptions::send)
      .def_rw("agreement", &SurrogateOptions::agreement);
  nb::enum_<Questions>(m, "Questions")
      .value("axis", Questions::axis)
      .value("m_of_n", Questions::m_of_n)
      .value("oblique", Questions::oblique);
  nb::class_<MofNOptions>(m, "MofNOptions", "How m-of-n questions are looked for.")
      .def_rw("max_n", &MofNOptions::max_n)
      .def_rw("beam", &MofNOptions::beam)
      .def_rw("deletion", &MofNOptions::deletion)
      .def_rw("dips", &MofNOptions::dips);
  nb::class_<ObliqueOptions>(m, "ObliqueOptions", "How questions about sums are looked for.")
      .def_rw("max_terms", &ObliqueOptions::max_terms)
      .def_rw("restarts", &ObliqueOptions::restarts)
      .def_rw("sweeps", &ObliqueOptions::sweeps)
      .def_rw("seed", &ObliqueOptions::seed)
      .def_rw("usable", &ObliqueOptions::usable);
  nb::class_<LookaheadOptions>(m, "LookaheadOptions", "How far questions are looked behind; depth 0: not at all.")
      .def_rw("depth", &LookaheadOptions::depth)
      .def_rw("top", &LookaheadOptions::top)
      .def_rw("seconds", &LookaheadOptions::seconds);
  nb::enum_<Order>(m, "Order").value("depth_first", Order::depth_first).value("best_first", Order::best_first);
  nb::class_<GrowOptions>(m, "GrowOptions", "Everything that steers growth.")
      .def(nb::init<>())
      .def_rw("thresholds", &GrowOptions::thresholds)
      .def_rw("round_steps", &GrowOptions::round_steps)
      .def_rw("nominal", &GrowOptions::nominal)
      .def_rw("order", &GrowOptions::order)
      .def_rw("missing", &GrowOptions::missing)
      .def_rw("ratio", &GrowOptions::ratio)
      .def_rw("surrogates", &GrowOptions::surrogates)
      .def_rw("questions", &GrowOptions::questions)
      .def_rw("m_of_n", &GrowOptions::m_of_n)
      .def_rw("oblique", &GrowOptions::oblique)
      .def_rw("lookahead", &GrowOptions::lookahead)
      .def_rw("competitors", &GrowOptions::competitors)
      .def_rw("max_depth", &GrowOptions::max_depth)
      .def_rw("max_leaves", &GrowOptions::max_leaves)
      .def_rw("min_split_rows", &GrowOptions::min_split_rows)
      .def_rw("min_leaf_rows", &GrowOptions::min_leaf_rows)
      .def_rw("min_leaf_weight", &GrowOptions::min_leaf_weight)
      .def_rw("row_weight", &GrowOptions::row_weight)
      .def_rw("min_decrease", &GrowOptions::min_decrease)
      .def_rw("root_weight", &GrowOptions::root_weight)
      .def_rw("max_bins", &GrowOptions::max_bins)
      .def_rw("correct_levels", &GrowOptions::correct_levels)
      .def_rw("max_exhaustive_levels", &GrowOptions::max_exhaustive_levels)
      .def_rw("monotone", &GrowOptions::monotone)
      .def_rw("costs", &GrowOptions::costs)
      .def_rw("smoothing_m", &GrowOptions::smoothing_m)
      .def_rw("smoothing_prior", &GrowOptions::smoothing_prior)
      .def_rw("drawn_columns", &GrowOptions::drawn_columns)
      .def_rw("draw_seed", &GrowOptions::draw_seed)
      .def_rw("n_threads", &GrowOptions::n_threads)
      .def_rw("fast", &GrowOptions::fast)
      .def_rw("bounds", &GrowOptions::bounds)
      .def_rw("subtraction", &GrowOptions::subtraction)
      .def_rw("simd", &GrowOptions::simd)
      .def_rw("small_limit", &GrowOptions::small_limit);
  nb::exception<TooManyNodes>(m, "TooManyNodes");
  m.def(
      "grow_tree",
      [](const PyDataset& dataset, const std::string& criterion, std::optional<Array<std::int32_t>> classes,
         std::uint32_t n_classes, std::optional<Array<double>> numbers, std::optional<Array<double>> weights,
         std::optional<Array<double>> case_weights, GrowOptions options, nb::object choose_columns,
         const std::optional<Array<Row>>& sample, const std::optional<Array<std::uint8_t>>& scale) {
        if (!choose_columns.is_none()) options.choose_columns = asking(std::move(choose_columns));
        Tree tree = grow(dataset, criterion, std::move(classes), n_classes, std::move(numbers), std::move(weights),
                         std::move(case_weights), options, sample, scale);
        nb::dict others = tree.others.size() > 0 ? arrays_of(std::move(tree.others)) : nb::dict();
        nb::dict terms = arrays_of(std::move(tree.terms));
        return nb::make_tuple(arrays_of(std::move(tree), n_classes), others, terms);
      },
      "dataset"_a, "criterion"_a, "classes"_a.noconvert().none(), "n_classes"_a, "numbers"_a.noconvert().none(),
      "weights"_a.noconvert().none(), "case_weights"_a.noconvert().none(), "options"_a, "choose_columns"_a = nb::none(),
      "sample"_a.noconvert() = nb::none(), "scale"_a.noconvert() = nb::none(),
      nb::sig(
          "def grow_tree(dataset: Dataset, criterion: str, classes: numpy.typing.NDArray[numpy.int32] | None, "
          "n_classes: int, numbers: numpy.typing.NDArray[numpy.float64] | None, "
          "weights: numpy.typing.NDArray[numpy.float64] | None, "
          "case_weights: numpy.typing.NDArray[numpy.float64] | None, options: GrowOptions, "
          "choose_columns: collections.abc.Callable[[numpy.typing.NDArray[numpy.uint32], "
          "numpy.typing.NDArray[numpy.float64] | None], tuple[collections.abc.Sequence[int], float]] | None = None, "
          "sample: numpy.typing.NDArray[numpy.uint32] | None = None, "
          "scale: numpy.typing.NDArray[numpy.uint8] | None = None) "
          "-> tuple[dict[str, numpy.typing.NDArray[numpy.generic]], "
          "dict[str, numpy.typing.NDArray[numpy.generic]], dict[str, numpy.typing.NDArray[numpy.generic]]]"),
      "Grow a tree; by name the arrays that describe it, its competitors and surrogates, and the terms of questions "
      "about several columns. `choose_columns` tells from the rows of a node, and their shares, which columns to ask "
      "about, the best first, and the p-value of the node; without it the columns compete. `sample` names the rows to "
      "grow from, some of them several times; without it, each row counts once. `scale` is that of targets in a larger "
      "tree, of which this one is a part.");
  nb::class_<Output>(m, "Output", "One of several outputs of a tree: its targets, and what it counts.")
      .def(nb::init<std::string, std::optional<Array<std::int32_t>>, std::uint32_t, std::optional<Array<double>>,
                    std::optional<Array<double>>, double>(),
           "criterion"_a, "classes"_a.noconvert().none(), "n_classes"_a, "numbers"_a.noconvert().none(),
           "weights"_a.noconvert().none(), "share"_a,
           nb::sig("def __init__(self, criterion: str, classes: numpy.typing.NDArray[numpy.int32] | None, "
                   "n_classes: int, numbers: numpy.typing.NDArray[numpy.float64] | None, "
                   "weights: numpy.typing.NDArray[numpy.float64] | None, share: float) -> None"));
  m.def(
      "grow_several",
      [](const PyDataset& dataset, const std::vector<Output>& outputs, const std::optional<Array<double>>& weights,
         const GrowOptions& options) {
        std::vector<Tree> trees = grow_outputs(dataset, outputs, weights, options);
        nb::list arrays;
        for (std::size_t i = 0; i < trees.size(); ++i)
          arrays.append(arrays_of(std::move(trees[i]), i == 0 ? 0 : outputs[i - 1].n_classes));
        return arrays;
      },
      "dataset"_a, "outputs"_a, "weights"_a.noconvert().none(), "options"_a,
      nb::sig("def grow_several(dataset: Dataset, outputs: collections.abc.Sequence[Output], "
              "weights: numpy.typing.NDArray[numpy.float64] | None, options: GrowOptions) -> "
              "list[dict[str, numpy.typing.NDArray[numpy.generic]]]"),
      "Grow one tree for several outputs. Return by name the arrays of a tree that knows the weights of its nodes and "
      "no "
      "targets, then those of each output; gains are those of all outputs together.");
}

}  // namespace arboretum
