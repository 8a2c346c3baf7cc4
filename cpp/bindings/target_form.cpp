// What is learnt over shares, as Python sees it: the form of the targets, their scales, and sums of them.
#include "bindings/shares.hpp"
#include "core/grow/chance.hpp"
#include "core/real_sums.hpp"
#include "core/shares/node_search.hpp"
#include "core/shares/target_scale.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

template <class T>
nb::ndarray<nb::numpy, std::uint8_t> add_all(const Bytes& some, const Bytes& others) {
  std::vector<T> sums = from_bytes<T>(some);
  const std::vector<T> added = from_bytes<T>(others);
  if (sums.size() != added.size()) throw std::invalid_argument("sums of equal number are added");
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += added[i];
  return to_bytes(sums);
}

TargetExtents extents_of(const Array<double>& lowest, const Array<double>& highest, const Array<std::int32_t>& finest) {
  if (lowest.shape(0) != 3 || highest.shape(0) != 3 || finest.shape(0) != 3)
    throw std::invalid_argument("extents are of weights, numbers and products");
  TargetExtents extents;
  Extent* each[] = {&extents.weights, &extents.numbers, &extents.products};
  for (std::size_t i = 0; i < 3; ++i) *each[i] = {lowest.data()[i], highest.data()[i], finest.data()[i]};
  return extents;
}

}  // namespace

void bind_target_form(nb::module_& m) {
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
  m.def("add_twofold", &add_all<Twofold>, "some"_a.noconvert(), "others"_a.noconvert());
  m.def("add_chance_sums", &add_all<ChanceSums>, "some"_a.noconvert(), "others"_a.noconvert());
  m.def(
      "twofold_values",
      [](const Bytes& some) {
        std::vector<double> values;
        for (const Twofold& sum : from_bytes<Twofold>(some)) values.push_back(sum.value());
        return as_numpy(std::move(values));
      },
      "some"_a.noconvert());
}

}  // namespace arboretum
