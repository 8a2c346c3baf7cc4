// The rows of one partition, as Python sees them: each call takes and returns arrays, which travel between machines.
#include "core/shares/share.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings/shares.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

using SomeNumbers = std::optional<Array<double>>;

// The targets of the rows, with the arrays that they are read from.
struct KeptTargets {
  std::optional<Array<std::int32_t>> classes;
  std::uint32_t n_classes;
  SomeNumbers numbers, weights, case_weights;

  Targets targets() const {
    Targets targets{.n_classes = n_classes};
    if (classes) targets.classes = as_span(*classes);
    if (numbers) targets.numbers = as_span(*numbers);
    if (weights) targets.weights = as_span(*weights);
    if (case_weights) targets.case_weights = as_span(*case_weights);
    return targets;
  }

  void check(std::size_t n_rows) const {
    if (classes.has_value() == numbers.has_value())
      throw std::invalid_argument("targets are either classes or numbers");
    auto fits = [&](const auto& array) { return !array || array->shape(0) == n_rows; };
    if (!fits(classes) || !fits(numbers) || !fits(weights) || !fits(case_weights))
      throw std::invalid_argument("targets and weights must have one entry per row");
    for (const std::int32_t label : targets().classes)
      if (label < 0 || static_cast<std::uint32_t>(label) >= n_classes)
        throw std::invalid_argument("class " + std::to_string(label) + " is not one of " + std::to_string(n_classes));
  }
};

// The rows of one partition, with the arrays that they are read from.
class PyShare {
 public:
  PyShare(const PyDataset& dataset, const PyForm& form, KeptTargets targets, const std::vector<Array<Key>>& edges)
      : dataset_{dataset}, targets_{std::move(targets)} {
    targets_.check(dataset_.data().n_rows);
    Interrupt interrupt;
    share_ = make_share(dataset_.data(), targets_.targets(), form.form(), as_edges(edges, dataset_.data()), interrupt);
    if (!share_) throw std::invalid_argument("shares cannot hold such targets");
  }

  const Share& share() const { return *share_; }

 private:
  PyDataset dataset_;
  KeptTargets targets_;
  std::unique_ptr<Share> share_;
};

// Rows that do not exist would be read from memory that is not there.
NodeRows open_rows(const Array<Row>& rows, const Array<std::int64_t>& begins, const Share& share) {
  const NodeRows open{as_span(rows), as_span(begins)};
  if (open.begins.empty() || open.begins.front() != 0 || open.begins.back() != static_cast<std::int64_t>(rows.shape(0)))
    throw std::invalid_argument("the rows of the nodes do not begin and end where they should");
  if (!std::ranges::is_sorted(open.begins)) throw std::invalid_argument("the nodes are not in order");
  const std::size_t n_rows = share.n_rows();
  if (std::ranges::any_of(open.rows, [&](Row row) { return row >= n_rows; }))
    throw std::out_of_range("a row is not there");
  return open;
}

std::vector<FastScale> scales_for(const Bytes& bytes, const NodeRows& open) {
  std::vector<FastScale> scales = from_bytes<FastScale>(bytes);
  if (scales.size() != open.n_nodes()) throw std::invalid_argument("every node has a scale");
  return scales;
}

// Three of each a node: of weights, numbers and products.
nb::dict arrays_of(const std::vector<TargetExtents>& extents) {
  std::vector<double> lowest, highest;
  std::vector<std::int32_t> finest;
  for (const TargetExtents& own : extents)
    for (const Extent* extent : {&own.weights, &own.numbers, &own.products})
      lowest.push_back(extent->lowest), highest.push_back(extent->highest), finest.push_back(extent->finest);
  nb::dict arrays;
  arrays["lowest"] = as_numpy(std::move(lowest), 3);
  arrays["highest"] = as_numpy(std::move(highest), 3);
  arrays["finest"] = as_numpy(std::move(finest), 3);
  return arrays;
}

template <class Numbers>
void check_nodes(const Numbers& nodes, const NodeRows& open) {
  for (const auto node : nodes)
    if (node >= open.n_nodes()) throw std::out_of_range("a node is not there");
}

nb::dict arrays_of(Cells cells) {
  nb::dict arrays;
  arrays["interval"] = as_numpy(std::move(cells.interval));
  arrays["cell"] = as_numpy(std::move(cells.cell));
  arrays["low"] = as_numpy(std::move(cells.low));
  arrays["high"] = as_numpy(std::move(cells.high));
  arrays["summaries"] = as_numpy_bytes(cells.summaries);
  return arrays;
}

}  // namespace

void bind_share(nb::module_& m) {
  nb::class_<PyShare>(m, "Share", "The rows of one partition of a table.")
      .def(
          "__init__",
          [](PyShare* self, const PyDataset& dataset, const PyForm& form, std::optional<Array<std::int32_t>> classes,
             SomeNumbers numbers, SomeNumbers weights, SomeNumbers case_weights, const std::vector<Array<Key>>& edges) {
            new (self) PyShare{dataset, form,
                               KeptTargets{std::move(classes), form.n_classes, std::move(numbers), std::move(weights),
                                           std::move(case_weights)},
                               edges};
          },
          "dataset"_a, "form"_a, "classes"_a.noconvert().none(), "numbers"_a.noconvert().none(),
          "weights"_a.noconvert().none(), "case_weights"_a.noconvert().none(), "edges"_a)
      .def(
          "facts",
          [](const PyShare& self) {
            nb::list singles, missing;
            for (const CoarseColumn& column : self.share().columns())
              singles.append(as_numpy(std::vector(column.single))), missing.append(column.has_missing);
            return nb::make_tuple(singles, missing);
          },
          nb::sig("def facts(self) -> tuple[list[numpy.typing.NDArray[numpy.uint8]], list[bool]]"))
      .def(
          "extents",
          [](const PyShare& self, const Array<Row>& rows, const Array<std::int64_t>& begins) {
            return arrays_of(self.share().extents(open_rows(rows, begins, self.share())));
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(),
          nb::sig("def extents(self, rows: numpy.typing.NDArray[numpy.uint32], begins: "
                  "numpy.typing.NDArray[numpy.int64]) -> dict[str, numpy.typing.NDArray[numpy.generic]]"))
      .def(
          "totals",
          [](const PyShare& self, const Array<Row>& rows, const Array<std::int64_t>& begins, const Bytes& scales) {
            const NodeRows open = open_rows(rows, begins, self.share());
            std::vector<double> reach;
            const std::vector<std::byte> totals = self.share().totals(open, scales_for(scales, open), reach);
            return nb::make_tuple(as_numpy_bytes(totals), as_numpy(std::move(reach)));
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(), "scales"_a.noconvert(),
          nb::sig("def totals(self, rows: numpy.typing.NDArray[numpy.uint32], begins: "
                  "numpy.typing.NDArray[numpy.int64], scales: numpy.typing.NDArray[numpy.uint8]) -> "
                  "tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.float64]]"))
      .def(
          "chance_sums",
          [](const PyShare& self, const Array<Row>& rows, const Array<std::int64_t>& begins,
             const Array<std::uint32_t>& nodes, const Bytes& totals, const Bytes& scales) {
            const NodeRows open = open_rows(rows, begins, self.share());
            check_nodes(as_span(nodes), open);
            return to_bytes(self.share().chance_sums(open, as_span(nodes), as_bytes(totals), scales_for(scales, open)));
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(), "nodes"_a.noconvert(), "totals"_a.noconvert(),
          "scales"_a.noconvert())
      .def(
          "class_weights",
          [](const PyShare& self, const Array<Row>& rows, const Array<std::int64_t>& begins,
             const Array<std::uint32_t>& nodes) {
            const NodeRows open = open_rows(rows, begins, self.share());
            check_nodes(as_span(nodes), open);
            return to_bytes(self.share().class_weights(open, as_span(nodes)));
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(), "nodes"_a.noconvert())
      .def(
          "real_sums",
          [](const PyShare& self, const Array<Row>& rows, const Array<std::int64_t>& begins,
             const Array<std::uint32_t>& nodes, const Array<double>& lowest, const Array<double>& highest,
             bool with_logs) {
            const NodeRows open = open_rows(rows, begins, self.share());
            check_nodes(as_span(nodes), open);
            const auto low = as_span(lowest), high = as_span(highest);
            if (low.size() != nodes.shape(0) || high.size() != nodes.shape(0))
              throw std::invalid_argument("every node has a lowest and a highest target");
            if (with_logs) return to_bytes(self.share().real_sums<true>(open, as_span(nodes), low, high));
            return to_bytes(self.share().real_sums<false>(open, as_span(nodes), low, high));
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(), "nodes"_a.noconvert(), "lowest"_a.noconvert(),
          "highest"_a.noconvert(), "with_logs"_a)
      .def(
          "divergences",
          [](const PyShare& self, const Array<Row>& rows, const Array<std::int64_t>& begins,
             const Array<std::uint32_t>& nodes, const Array<double>& means) {
            const NodeRows open = open_rows(rows, begins, self.share());
            check_nodes(as_span(nodes), open);
            if (means.shape(0) != nodes.shape(0)) throw std::invalid_argument("every node has a mean");
            return to_bytes(self.share().divergences(open, as_span(nodes), as_span(means)));
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(), "nodes"_a.noconvert(), "means"_a.noconvert())
      .def(
          "count",
          [](const PyShare& self, const Array<Row>& rows, const Array<std::int64_t>& begins,
             const Array<std::uint32_t>& nodes, const Array<std::uint32_t>& views, const Bytes& scales) {
            const NodeRows open = open_rows(rows, begins, self.share());
            check_nodes(as_span(nodes), open);
            if (as_views(views).size() != nodes.shape(0) * self.share().columns().size())
              throw std::invalid_argument("a view for every column of every node");
            std::vector<std::byte> buckets;
            const std::vector<FastScale> own = scales_for(scales, open);
            {
              const nb::gil_scoped_release release;
              buckets = self.share().count(open, as_span(nodes), as_views(views), own);
            }
            return as_numpy_bytes(buckets);
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(), "nodes"_a.noconvert(), "views"_a.noconvert(),
          "scales"_a.noconvert())
      .def(
          "refine",
          [](const PyShare& self, const Array<Row>& rows, const Array<std::int64_t>& begins,
             const Array<std::uint32_t>& node, const Array<std::uint32_t>& column, const Array<Key>& low,
             const Array<Key>& high, const Array<std::uint64_t>& n_cells, const Bytes& scales) {
            const NodeRows open = open_rows(rows, begins, self.share());
            check_nodes(as_span(node), open);
            std::vector<Interval> intervals;
            for (std::size_t i = 0; i < node.shape(0); ++i)
              intervals.push_back({node.data()[i], column.data()[i], low.data()[i], high.data()[i], n_cells.data()[i]});
            Cells cells;
            const std::vector<FastScale> own = scales_for(scales, open);
            {
              const nb::gil_scoped_release release;
              cells = self.share().refine(open, intervals, own);
            }
            return arrays_of(std::move(cells));
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(), "node"_a.noconvert(), "column"_a.noconvert(),
          "low"_a.noconvert(), "high"_a.noconvert(), "n_cells"_a.noconvert(), "scales"_a.noconvert(),
          nb::sig("def refine(self, rows: numpy.typing.NDArray[numpy.uint32], begins: "
                  "numpy.typing.NDArray[numpy.int64], node: numpy.typing.NDArray[numpy.uint32], column: "
                  "numpy.typing.NDArray[numpy.uint32], low: numpy.typing.NDArray[numpy.uint64], high: "
                  "numpy.typing.NDArray[numpy.uint64], n_cells: numpy.typing.NDArray[numpy.uint64], "
                  "scales: numpy.typing.NDArray[numpy.uint8]) -> dict[str, "
                  "numpy.typing.NDArray[numpy.generic]]"))
      .def(
          "keys_beside",
          [](const PyShare& self, const Array<Row>& rows, const Array<std::int64_t>& begins,
             const Array<std::uint32_t>& node, const Array<std::uint32_t>& column, const Array<std::uint32_t>& code) {
            const NodeRows open = open_rows(rows, begins, self.share());
            check_nodes(as_span(node), open);
            std::vector<CutAfter> cuts;
            for (std::size_t i = 0; i < node.shape(0); ++i)
              cuts.push_back({node.data()[i], column.data()[i], code.data()[i]});
            auto [below, above] = self.share().keys_beside(open, cuts);
            return nb::make_tuple(as_numpy(std::move(below)), as_numpy(std::move(above)));
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(), "node"_a.noconvert(), "column"_a.noconvert(),
          "code"_a.noconvert(),
          nb::sig("def keys_beside(self, rows: numpy.typing.NDArray[numpy.uint32], begins: "
                  "numpy.typing.NDArray[numpy.int64], node: numpy.typing.NDArray[numpy.uint32], column: "
                  "numpy.typing.NDArray[numpy.uint32], code: numpy.typing.NDArray[numpy.uint32]) -> "
                  "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint64]]"))
      .def(
          "divide",
          [](const PyShare& self, const Array<Row>& rows, const Array<std::int64_t>& begins,
             const std::vector<std::optional<SharedQuestion>>& questions) {
            const NodeRows open = open_rows(rows, begins, self.share());
            if (questions.size() != open.n_nodes()) throw std::invalid_argument("a question or none for every node");
            std::vector<const SharedQuestion*> asked;
            for (const auto& question : questions) asked.push_back(question ? &*question : nullptr);
            std::vector<std::int64_t> ends;
            std::vector<Row> divided;
            {
              const nb::gil_scoped_release release;
              divided = self.share().divide(open, asked, ends);
            }
            return nb::make_tuple(as_numpy(std::move(divided)), as_numpy(std::move(ends)));
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(), "questions"_a,
          nb::sig("def divide(self, rows: numpy.typing.NDArray[numpy.uint32], begins: "
                  "numpy.typing.NDArray[numpy.int64], questions: collections.abc.Sequence[SharedQuestion "
                  "| None]) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.int64]]"));
}

}  // namespace arboretum
