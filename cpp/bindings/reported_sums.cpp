// What is reported of numbers, summed up over shares: sums of parts, of children, and what they tell.
#include "bindings/shares.hpp"
#include "core/real_sums.hpp"

namespace arboretum {

using namespace nb::literals;

namespace {

template <class Use>
auto with_sums(bool with_logs, Use&& use) {
  return with_logs ? use(std::type_identity<RealSums<true>>{}) : use(std::type_identity<RealSums<false>>{});
}

template <class T>
std::vector<T> as_many(const Bytes& bytes, std::size_t n) {
  std::vector<T> values = from_bytes<T>(bytes);
  if (values.size() != n) throw std::invalid_argument("sums of equal number are expected");
  return values;
}

}  // namespace

void bind_reported_sums(nb::module_& m) {
  static_assert(sizeof(RealSums<true>) == sizeof(RealSums<false>));
  m.def(
      "add_real_sums",
      [](const Bytes& some, const Bytes& others) {
        auto sums = from_bytes<RealSums<true>>(some);
        const auto added = as_many<RealSums<true>>(others, sums.size());
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add_part(added[i]);
        return to_bytes(sums);
      },
      "some"_a.noconvert(), "others"_a.noconvert(), "Add the sums of parts of the same nodes.");
  m.def(
      "join_real_sums",
      [](const Bytes& left, const Bytes& right, bool with_logs) {
        return with_sums(with_logs, [&]<class Sums>(std::type_identity<Sums>) {
          auto sums = from_bytes<Sums>(left);
          const auto added = as_many<Sums>(right, sums.size());
          for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += added[i];
          return to_bytes(sums);
        });
      },
      "left"_a.noconvert(), "right"_a.noconvert(), "with_logs"_a, "Add the sums of two children.");
  m.def(
      "close_real_sums",
      [](const Bytes& some) {
        auto sums = from_bytes<RealSums<true>>(some);
        std::vector<std::uint32_t> open;
        for (std::uint32_t i = 0; i < sums.size(); ++i)
          if (!sums[i].close()) open.push_back(i);
        return nb::make_tuple(to_bytes(sums), as_numpy(std::move(open)));
      },
      "some"_a.noconvert(),
      nb::sig("def close_real_sums(some: numpy.typing.NDArray[numpy.uint8]) -> "
              "tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint32]]"),
      "Find the deviances of nodes all of whose parts were added; also return those whose divergences are needed.");
  m.def(
      "close_with_divergences",
      [](const Bytes& some, const Bytes& divergences) {
        auto sums = from_bytes<RealSums<true>>(some);
        const auto totals = as_many<Twofold>(divergences, sums.size());
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i].close_with(totals[i]);
        return to_bytes(sums);
      },
      "some"_a.noconvert(), "divergences"_a.noconvert());
  m.def(
      "set_deviance",
      [](const Bytes& some, double deviance) {
        auto sums = from_bytes<RealSums<true>>(some);
        for (auto& own : sums) own.deviance = deviance;
        return to_bytes(sums);
      },
      "some"_a.noconvert(), "deviance"_a);
  m.def(
      "real_sums_report",
      [](const Bytes& some, bool with_logs) {
        std::vector<double> weight, impurity, value;
        with_sums(with_logs, [&]<class Sums>(std::type_identity<Sums>) {
          for (const Sums& sums : from_bytes<Sums>(some)) {
            weight.push_back(sums.weight.value()), value.push_back(sums.mean());
            impurity.push_back(std::is_same_v<Sums, RealSums<true>> ? sums.deviance : sums.variance());
          }
        });
        return nb::make_tuple(as_numpy(std::move(weight)), as_numpy(std::move(impurity)), as_numpy(std::move(value)));
      },
      "some"_a.noconvert(), "with_logs"_a,
      nb::sig("def real_sums_report(some: numpy.typing.NDArray[numpy.uint8], with_logs: bool) -> "
              "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
              "numpy.typing.NDArray[numpy.float64]]"));
}

}  // namespace arboretum
