// The data set as Python sees it: columns are added one by one and kept alive as long as the data set lives.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bindings/convert.hpp"
#include "core/dataset.hpp"

namespace arboretum {

using Values = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::device::cpu>;

class PyDataset {
 public:
  explicit PyDataset(std::uint32_t n_rows) { data_.n_rows = n_rows; }
  void add_column(Values values, std::optional<Mask> missing, const std::string& kind, std::uint32_t n_levels);
  const Dataset& data() const { return data_; }

 private:
  Dataset data_;
  std::vector<Values> values_;
  std::vector<Mask> masks_;
};

void bind_dataset(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_router(nb::module_& m);

}  // namespace arboretum
