// The search for the split of a node whose rows lie in shares, as Python sees it.
#include "core/shares/node_search.hpp"

#include <nanobind/stl/optional.h>

#include "bindings/shares.hpp"
#include "core/grow/chance.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

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

void bind_node_search(nb::module_& m) {
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
          "views_beside_sibling",
          [](PyNodeSearch& self, const Array<std::uint32_t>& views) {
            return as_numpy_views(self.search().views_beside_sibling(as_views(views)));
          },
          "views"_a.noconvert())
      .def(
          "beside_sibling",
          [](PyNodeSearch& self, const Array<std::uint32_t>& views, const Bytes& sibling, const Bytes& counted) {
            return as_numpy_bytes(self.search().beside_sibling(as_views(views), as_bytes(sibling), as_bytes(counted)));
          },
          "views"_a.noconvert(), "sibling"_a.noconvert(), "counted"_a.noconvert())
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
      [](const PyDataset& dataset, std::uint32_t column, bool sort) {
        const Dataset& data = dataset.data();
        const ColumnView& view = data.columns.at(column);
        std::vector<Key> keys, scratch;
        with_type(view.type, [&]<class T>(std::type_identity<T>) {
          for (Row row = 0; row < data.n_rows; ++row)
            if (const T value = view.value<T>(row); !view.missing(row, value)) keys.push_back(key_in(view.kind, value));
        });
        if (sort) sort_by_key(keys, scratch);
        return as_numpy(std::move(keys));
      },
      "dataset"_a, "column"_a, "sort"_a, "The keys of a column, sorted or row by row; missing values have none.");
  m.def(
      "threshold_between",
      [](const PyDataset& dataset, std::uint32_t column, Key low, Key high, const GrowOptions& options) {
        const ColumnView& view = dataset.data().columns.at(column);
        const ThresholdValue value = threshold_between_keys(view, low, high, options.cut_rule(column));
        return std::pair{value.real, value.floor};
      },
      "dataset"_a, "column"_a, "low"_a, "high"_a, "options"_a, "The threshold between two keys of a column.");
}

}  // namespace arboretum
