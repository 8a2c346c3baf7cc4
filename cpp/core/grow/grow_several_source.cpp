#include <stdexcept>
#include <utility>

#include "core/criteria/several.hpp"
#include "core/grow/grow_several.hpp"
#include "core/grow/grow_tree.hpp"
#include "core/grow/report.hpp"
#include "core/registry.hpp"
#include "core/sources/plain_source.hpp"

namespace arboretum {
namespace {

// The rows of the table, one after the other.
std::vector<Row> every_row(const Dataset& data) {
  std::vector<Row> rows(data.n_rows);
  for (Row row = 0; row < data.n_rows; ++row) rows[row] = row;
  return rows;
}

template <bool with_logs>
RealSums<with_logs> sums_of(const Targets& targets, std::span<const Row> rows) {
  auto each_row = [&](auto&& read) {
    for (const Row row : rows) read(targets.weight(row), targets.numbers[row]);
  };
  return RealSums<with_logs>::of(each_row, targets.weights.empty() ? RowOrder::any : RowOrder::sorted);
}

// Weight times impurity of all rows.
double whole_impurity(const ClassCriterion& criterion, const ReportedImpurity&, const Targets& targets,
                      std::span<const Row> rows) {
  std::vector<ClassTarget> encoded(rows.size());
  const ClassScale scale = criterion.encode_rows(targets, rows, encoded);
  const ClassNode node = criterion.open(scale, targets, rows, encoded);
  return criterion.homogeneous(node) ? 0.0 : node.weight() * criterion.impurity(node);
}
double whole_impurity(const MomentsCriterion&, const ReportedImpurity& impurity, const Targets& targets,
                      std::span<const Row> rows) {
  auto whole = [](const auto& sums, auto function) { return sums.weight.value() * function(sums); };
  if (impurity.of_logs != nullptr) return whole(sums_of<true>(targets, rows), impurity.of_logs);
  return whole(sums_of<false>(targets, rows), impurity.of_squares);
}

template <class C>
C plain_form(C criterion, const Targets& targets) {
  if constexpr (C::target == TargetKind::classes) criterion.n_classes = targets.n_classes;
  return criterion;
}

// Outputs that are constant, or count nothing, take no part in the search.
ReportedImpurity add_output(Several& several, const OutputTask& task, std::span<const Row> rows) {
  ReportedImpurity reported;
  with_criterion(task.criterion, [&]<class C>(std::type_identity<C>) {
    using Plain = typename C::Plain;
    if constexpr (std::is_same_v<Plain, ClassCriterion> || std::is_same_v<Plain, MomentsCriterion>) {
      const Plain criterion = plain_form<Plain>(C{}, task.targets);
      reported = reported_impurity<C>();
      const double whole = whole_impurity(criterion, reported, task.targets, rows);
      if (whole > 0.0 && task.share > 0.0)
        std::get<OutputsOf<Plain>>(several.outputs).push_back({criterion, task.targets, task.share / whole});
    } else {
      throw std::invalid_argument("the criterion '" + task.criterion + "' is no sum that others could be added to");
    }
  });
  return reported;
}

}  // namespace

std::vector<Tree> grow_several(const Dataset& data, const Targets& rows, std::span<const OutputTask> outputs,
                               const GrowOptions& options, Interrupt& interrupt) {
  const std::vector<Row> ids = every_row(data);
  Several several;
  std::vector<ReportedImpurity> impurities;
  for (const OutputTask& output : outputs) impurities.push_back(add_output(several, output, ids));
  PlainSource<Several> source{data, rows, several, options, interrupt};
  several.root_weight = [&] {
    auto root = source.root();
    return source.summarise(root).weight();
  }();
  const TreeBuilder grown = grow_from(source, options, interrupt);
  // As if all rows had the target 0: this gives the weights of the nodes.
  const std::vector<double> nothing(data.n_rows);
  Targets weights = rows;
  weights.numbers = nothing;
  std::vector<Tree> trees{report(grown, data, weights, reported_impurity<SquaredError>(), options, source)};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    trees.push_back(report(grown, data, outputs[i].targets, impurities[i], options, source));
    trees.back().missing_child = trees.front().missing_child;  // where classes have weights, their trees might differ
  }
  return trees;
}

}  // namespace arboretum
