// Growth over shares of the rows, as Python sees it: each call takes and returns arrays, which travel between machines.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "bindings/dataset.hpp"
#include "core/grow/chance.hpp"
#include "core/shares/node_search.hpp"
#include "core/shares/share.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

std::span<const std::byte> as_bytes(const Bytes& bytes) { return std::as_bytes(as_span(bytes)); }

nb::ndarray<nb::numpy, std::uint8_t> as_numpy_bytes(const std::vector<std::byte>& bytes) {
  std::vector<std::uint8_t> copy(bytes.size());
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  return as_numpy(std::move(copy));
}

// Three numbers a view.
std::span<const View> as_views(const Array<std::uint32_t>& numbers) {
  static_assert(sizeof(View) == 3 * sizeof(std::uint32_t));
  if (numbers.shape(0) % 3 != 0) throw std::invalid_argument("a view has three numbers");
  return {reinterpret_cast<const View*>(numbers.data()), numbers.shape(0) / 3};
}

nb::ndarray<nb::numpy, std::uint32_t> as_numpy_views(const std::vector<View>& views) {
  std::vector<std::uint32_t> numbers;
  for (const View& view : views) numbers.insert(numbers.end(), {view.first, view.shift, view.n_buckets});
  return as_numpy(std::move(numbers));
}

std::vector<std::vector<Key>> as_edges(const std::vector<Array<Key>>& edges, const Dataset& data) {
  if (edges.size() != data.columns.size()) throw std::invalid_argument("each column has a list of edges");
  std::vector<std::vector<Key>> lists;
  for (std::size_t c = 0; c < edges.size(); ++c) {
    lists.push_back(as_vector(edges[c]));
    if (data.columns[c].kind == Kind::numeric && (lists[c].empty() || lists[c].back() != ~Key{0}))
      throw std::invalid_argument("the last edge of a numeric column takes whatever lies above the others");
  }
  return lists;
}

template <class T>
nb::ndarray<nb::numpy, std::uint8_t> add_all(const Bytes& some, const Bytes& others) {
  std::vector<T> sums = from_bytes<T>(some);
  const std::vector<T> added = from_bytes<T>(others);
  if (sums.size() != added.size()) throw std::invalid_argument("sums of equal number are added");
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += added[i];
  return to_bytes(sums);
}

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

// What the targets of a criterion are, as the caller keeps it.
struct PyForm {
  std::string criterion;
  std::uint32_t n_classes;
  bool weighted;

  TargetForm form() const { return {criterion.c_str(), n_classes, weighted}; }
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

TargetExtents extents_of(const Array<double>& lowest, const Array<double>& highest, const Array<std::int32_t>& finest) {
  if (lowest.shape(0) != 3 || highest.shape(0) != 3 || finest.shape(0) != 3)
    throw std::invalid_argument("extents are of weights, numbers and products");
  TargetExtents extents;
  Extent* each[] = {&extents.weights, &extents.numbers, &extents.products};
  for (std::size_t i = 0; i < 3; ++i) *each[i] = {lowest.data()[i], highest.data()[i], finest.data()[i]};
  return extents;
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

nb::dict arrays_of(const std::vector<Interval>& intervals) {
  std::vector<std::uint32_t> column, n_rows;
  std::vector<Key> low, high;
  std::vector<std::uint64_t> n_cells;
  for (const Interval& interval : intervals) {
    column.push_back(interval.column), n_rows.push_back(interval.n_rows);
    low.push_back(interval.low), high.push_back(interval.high), n_cells.push_back(interval.n_cells);
  }
  nb::dict arrays;
  arrays["column"] = as_numpy(std::move(column));
  arrays["low"] = as_numpy(std::move(low));
  arrays["high"] = as_numpy(std::move(high));
  arrays["n_cells"] = as_numpy(std::move(n_cells));
  arrays["n_rows"] = as_numpy(std::move(n_rows));
  return arrays;
}

using QuestionState = nb::tuple;

QuestionState state_of(const SharedQuestion& q) {
  std::vector<std::uint32_t> levels, children;
  for (const auto& [level, child] : q.levels) levels.push_back(level), children.push_back(child);
  return nb::make_tuple(static_cast<int>(q.kind), q.column, q.missing_left, q.missing_seen, q.cut, q.inside, q.low,
                        q.high, q.has_values, levels, children);
}

SharedQuestion question_of(const QuestionState& state) {
  SharedQuestion q;
  q.kind = static_cast<QuestionKind>(nb::cast<int>(state[0]));
  q.column = nb::cast<std::uint32_t>(state[1]);
  q.missing_left = nb::cast<bool>(state[2]), q.missing_seen = nb::cast<bool>(state[3]);
  q.cut = nb::cast<Code>(state[4]), q.inside = nb::cast<bool>(state[5]);
  q.low = nb::cast<Key>(state[6]), q.high = nb::cast<Key>(state[7]), q.has_values = nb::cast<bool>(state[8]);
  const auto levels = nb::cast<std::vector<std::uint32_t>>(state[9]),
             children = nb::cast<std::vector<std::uint32_t>>(state[10]);
  for (std::size_t i = 0; i < levels.size(); ++i) q.levels.emplace_back(levels[i], children[i]);
  return q;
}

// What is known of the columns where no rows are.
class PySharedColumns {
 public:
  PySharedColumns(const PyDataset& dataset, const std::vector<Array<Key>>& edges,
                  const std::vector<Array<std::uint8_t>>& singles, const std::vector<bool>& missing,
                  const std::vector<std::uint8_t>& n_seen)
      : dataset_{dataset} {
    columns_.data = dataset_.data();
    auto lists = as_edges(edges, columns_.data);
    const std::size_t n = columns_.data.columns.size();
    if (singles.size() != n || missing.size() != n || n_seen.size() != n)
      throw std::invalid_argument("each column has its facts");
    for (std::size_t c = 0; c < n; ++c) {
      ColumnView& view = columns_.data.columns[c];
      view.n_seen = n_seen[c], view.some_missing = missing[c];
      CoarseColumn& column = columns_.coded.emplace_back();
      column.kind = view.kind, column.has_missing = missing[c], column.single = as_vector(singles[c]);
      column.n_codes = view.kind == Kind::numeric ? static_cast<Code>(lists[c].size()) : view.n_levels;
      column.edges = std::move(lists[c]);
      if (column.single.size() != column.n_codes + 1)
        throw std::invalid_argument("a flag for every code, and one more");
      column.all_single = std::all_of(column.single.begin(), column.single.end() - 1, [](auto s) { return s != 0; });
    }
  }
  const SharedColumns& columns() const { return columns_; }

 private:
  PyDataset dataset_;
  SharedColumns columns_;
};

// A search keeps its options and its columns.
class PyNodeSearch {
 public:
  PyNodeSearch(nb::object columns, const PyForm& form, const GrowOptions& options, const Bytes& total,
               const Bytes& scale, std::uint32_t depth, double root_weight, bool same_targets)
      : kept_{std::move(columns)}, options_{options} {
    const auto& own = nb::cast<const PySharedColumns&>(kept_).columns();
    const std::vector<FastScale> scales = from_bytes<FastScale>(scale);
    if (scales.size() != 1) throw std::invalid_argument("a node has one scale");
    search_ =
        search_node(form.form(), options_, own, {as_bytes(total), depth, root_weight, scales.front(), same_targets});
    if (!search_) throw std::invalid_argument("shares cannot hold such targets");
  }
  NodeSearch& search() const { return *search_; }

 private:
  nb::object kept_;
  GrowOptions options_;
  std::unique_ptr<NodeSearch> search_;
};

nb::object arrays_of(std::optional<SharedSplit> split) {
  if (!split) return nb::none();
  nb::dict found;
  found["question"] = split->question;
  found["gain"] = split->gain;
  found["corrected_gain"] = split->corrected;
  found["improvement"] = split->improvement;
  found["left"] = as_numpy_bytes(split->left);
  found["right"] = as_numpy_bytes(split->right);
  return found;
}

}  // namespace

void bind_shares(nb::module_& m) {
  nb::class_<SharedQuestion>(m, "SharedQuestion", "A question that shares of the rows are asked.")
      .def(
          "__getstate__", [](const SharedQuestion& self) { return state_of(self); },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](SharedQuestion& self, const QuestionState& state) { new (&self) SharedQuestion{question_of(state)}; },
          nb::sig("def __setstate__(self, state: tuple[object, ...]) -> None"))
      .def_prop_ro("kind", [](const SharedQuestion& self) { return static_cast<int>(self.kind); })
      .def_ro("column", &SharedQuestion::column)
      .def_ro("cut", &SharedQuestion::cut)
      .def_ro("missing_left", &SharedQuestion::missing_left)
      .def_ro("missing_seen", &SharedQuestion::missing_seen)
      .def_rw("low", &SharedQuestion::low)
      .def_rw("high", &SharedQuestion::high)
      .def_rw("has_values", &SharedQuestion::has_values)
      .def_prop_ro("levels", [](const SharedQuestion& self) { return self.levels; });
  nb::class_<PyForm>(m, "TargetForm", "What is learnt: the targets of a criterion, so many classes or numbers.")
      .def(nb::init<std::string, std::uint32_t, bool>(), "criterion"_a, "n_classes"_a, "weighted"_a)
      .def(
          "__getstate__",
          [](const PyForm& self) { return nb::make_tuple(self.criterion, self.n_classes, self.weighted); },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](PyForm& self, const nb::tuple& state) {
            new (&self)
                PyForm{nb::cast<std::string>(state[0]), nb::cast<std::uint32_t>(state[1]), nb::cast<bool>(state[2])};
          },
          nb::sig("def __setstate__(self, state: tuple[object, ...]) -> None"))
      .def_ro("criterion", &PyForm::criterion)
      .def_ro("n_classes", &PyForm::n_classes)
      .def_ro("weighted", &PyForm::weighted)
      .def(
          "n_codes", [](const PyForm& self, Row n_rows) { return n_shared_codes(self.form(), n_rows); }, "n_rows"_a)
      .def(
          "scale",
          [](const PyForm& self, const Array<double>& lowest, const Array<double>& highest,
             const Array<std::int32_t>& finest, Row n_rows) {
            return to_bytes(std::vector{choose_shared_scale(self.form(), extents_of(lowest, highest, finest), n_rows)});
          },
          "lowest"_a.noconvert(), "highest"_a.noconvert(), "finest"_a.noconvert(), "n_rows"_a)
      .def(
          "reaching",
          [](const PyForm& self, const Bytes& scale, double reach, Row n_rows) {
            std::vector<FastScale> scales = from_bytes<FastScale>(scale);
            for (FastScale& own : scales) set_shared_reach(self.form(), own, reach, n_rows);
            return to_bytes(scales);
          },
          "scale"_a.noconvert(), "reach"_a, "n_rows"_a)
      .def(
          "is_coarse",
          [](const PyForm& self, const Bytes& scale, const Array<double>& lowest, const Array<double>& highest,
             const Array<std::int32_t>& finest) {
            return is_coarse_for(self.form(), from_bytes<FastScale>(scale).at(0), extents_of(lowest, highest, finest));
          },
          "scale"_a.noconvert(), "lowest"_a.noconvert(), "highest"_a.noconvert(), "finest"_a.noconvert());
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
             const Array<std::uint32_t>& nodes, const Array<double>& lowest, const Array<double>& highest) {
            const NodeRows open = open_rows(rows, begins, self.share());
            check_nodes(as_span(nodes), open);
            if (lowest.shape(0) != nodes.shape(0) || highest.shape(0) != nodes.shape(0))
              throw std::invalid_argument("every node has a lowest and a highest target");
            return to_bytes(self.share().real_sums(open, as_span(nodes), as_span(lowest), as_span(highest)));
          },
          "rows"_a.noconvert(), "begins"_a.noconvert(), "nodes"_a.noconvert(), "lowest"_a.noconvert(),
          "highest"_a.noconvert())
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
  nb::class_<PySharedColumns>(m, "SharedColumns", "What is known of columns whose rows lie in shares.")
      .def(nb::init<const PyDataset&, const std::vector<Array<Key>>&, const std::vector<Array<std::uint8_t>>&,
                    const std::vector<bool>&, const std::vector<std::uint8_t>&>(),
           "dataset"_a, "edges"_a, "singles"_a, "missing"_a, "n_seen"_a)
      .def("root_views", [](const PySharedColumns& self,
                            std::size_t n_codes) { return as_numpy_views(root_views(self.columns(), n_codes)); })
      .def("corrects", [](const PySharedColumns& self,
                          const GrowOptions& options) { return corrects_any(options, self.columns().data); })
      .def("threshold", [](const PySharedColumns& self, const SharedQuestion& question, const GrowOptions& options) {
        if (question.kind != QuestionKind::threshold) return std::pair{0.0, std::int64_t{0}};
        const ThresholdValue value = threshold_between_keys(self.columns().data.columns[question.column], question.low,
                                                            question.high, options.cut_rule(question.column));
        return std::pair{value.real, value.floor};
      });
  nb::class_<PyNodeSearch>(m, "NodeSearch", "The search for the best split of a node whose rows lie in shares.")
      .def(nb::init<nb::object, const PyForm&, const GrowOptions&, const Bytes&, const Bytes&, std::uint32_t, double,
                    bool>(),
           "columns"_a, "form"_a, "options"_a, "total"_a.noconvert(), "scale"_a.noconvert(), "depth"_a, "root_weight"_a,
           "same_targets"_a)
      .def_prop_ro("is_leaf", [](const PyNodeSearch& self) { return self.search().is_leaf(); })
      .def_prop_ro("n_rows", [](const PyNodeSearch& self) { return self.search().n_rows(); })
      .def_prop_ro("weight", [](const PyNodeSearch& self) { return self.search().weight(); })
      .def_prop_ro("impurity", [](const PyNodeSearch& self) { return self.search().impurity(); })
      .def("counts", [](const PyNodeSearch& self) { return as_numpy(self.search().counts()); })
      .def(
          "set_chance",
          [](PyNodeSearch& self, const Bytes& sums) { self.search().set_chance(from_bytes<ChanceSums>(sums).at(0)); },
          "sums"_a.noconvert())
      .def(
          "sweep",
          [](PyNodeSearch& self, const Array<std::uint32_t>& views, const Bytes& buckets) {
            Interrupt interrupt = python_interrupt();
            const nb::gil_scoped_release release;
            self.search().sweep(as_views(views), as_bytes(buckets), interrupt);
          },
          "views"_a.noconvert(), "buckets"_a.noconvert())
      .def("views_for", [](PyNodeSearch& self, Row n_rows) { return as_numpy_views(self.search().views_for(n_rows)); })
      .def(
          "hopeful", [](PyNodeSearch& self) { return arrays_of(self.search().hopeful()); },
          nb::sig("def hopeful(self) -> dict[str, numpy.typing.NDArray[numpy.generic]]"))
      .def(
          "refine",
          [](PyNodeSearch& self, const Array<std::uint32_t>& interval, const Array<std::uint64_t>& cell,
             const Array<Key>& low, const Array<Key>& high, const Bytes& summaries) {
            const Cells cells{as_vector(interval),
                              as_vector(cell),
                              as_vector(low),
                              as_vector(high),
                              {as_bytes(summaries).begin(), as_bytes(summaries).end()}};
            self.search().refine(cells);
          },
          "interval"_a.noconvert(), "cell"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
          "summaries"_a.noconvert())
      .def("best", [](PyNodeSearch& self) { return arrays_of(self.search().best()); });
  m.def(
      "shared_edges",
      [](const Array<Key>& sample, std::size_t max_codes) {
        return as_numpy(choose_edges(as_vector(sample), max_codes));
      },
      "sample"_a, "max_codes"_a,
      "The edges of at most so many codes, for a column of which these sorted keys are a sample.");
  m.def(
      "keys_of",
      [](const PyDataset& dataset, std::uint32_t column) {
        const Dataset& data = dataset.data();
        const ColumnView& view = data.columns.at(column);
        std::vector<Key> keys, scratch;
        with_type(view.type, [&]<class T>(std::type_identity<T>) {
          for (Row row = 0; row < data.n_rows; ++row)
            if (const T value = view.value<T>(row); !view.missing(row, value)) keys.push_back(key_in(view.kind, value));
        });
        sort_by_key(keys, scratch);
        return as_numpy(std::move(keys));
      },
      "dataset"_a, "column"_a, "The keys of a column, sorted; missing values have none.");
  m.def("add_twofold", &add_all<Twofold>, "some"_a.noconvert(), "others"_a.noconvert());
  m.def("add_chance_sums", &add_all<ChanceSums>, "some"_a.noconvert(), "others"_a.noconvert());
  m.def("add_real_sums", &add_all<RealSums<false>>, "some"_a.noconvert(), "others"_a.noconvert());
  m.def(
      "twofold_values",
      [](const Bytes& some) {
        std::vector<double> values;
        for (const Twofold& sum : from_bytes<Twofold>(some)) values.push_back(sum.value());
        return as_numpy(std::move(values));
      },
      "some"_a.noconvert());
  m.def(
      "real_sums_report",
      [](const Bytes& some) {
        std::vector<double> weight, impurity, value;
        for (const RealSums<false>& sums : from_bytes<RealSums<false>>(some))
          weight.push_back(sums.weight.value()), impurity.push_back(sums.variance()), value.push_back(sums.mean());
        return nb::make_tuple(as_numpy(std::move(weight)), as_numpy(std::move(impurity)), as_numpy(std::move(value)));
      },
      "some"_a.noconvert(),
      nb::sig("def real_sums_report(some: numpy.typing.NDArray[numpy.uint8]) -> "
              "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
              "numpy.typing.NDArray[numpy.float64]]"));
}

}  // namespace arboretum
