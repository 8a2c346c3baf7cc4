// The data set as Python sees it: columns are added one by one and kept alive as long as the data set lives.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/convert.hpp"
#include "core/dataset.hpp"
#include "core/sources/coarse_codes.hpp"
#include "core/taken_table.hpp"

namespace arboretum {

using Values = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::device::cpu>;

class PyDataset {
 public:
  explicit PyDataset(std::uint32_t n_rows) { data_.n_rows = n_rows; }
  void add_column(Values values, std::optional<Mask> missing, const std::string& kind, std::uint32_t n_levels);
  void encode(unsigned n_threads);
  PyDataset take(const Array<Row>& rows) const;
  void belongs_to(const std::vector<std::uint8_t>& n_seen, const std::vector<bool>& missing);
  void also_saw(const PyDataset& other);
  const Dataset& data() const { return data_; }
  Dataset to_sample_from() const;

 private:
  Dataset data_;
  std::vector<Values> values_;
  std::vector<Mask> masks_;
  // Of rows that were taken from another data set: their values, their numbers there, and the codes made there.
  TakenColumns taken_;
  std::vector<Row> rows_;
  std::shared_ptr<const CodedTable> coded_;
};

void bind_dataset(nb::module_& m);
void bind_criteria(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_target_form(nb::module_& m);
void bind_node_search(nb::module_& m);
void bind_share(nb::module_& m);
void bind_reported_sums(nb::module_& m);
void bind_optimal(nb::module_& m);
void bind_router(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_prune(nb::module_& m);
void bind_leaves(nb::module_& m);
void bind_explain(nb::module_& m);
void bind_fingerprint(nb::module_& m);

}  // namespace arboretum
