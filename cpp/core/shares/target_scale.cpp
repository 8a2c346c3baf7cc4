#include "core/shares/target_scale.hpp"

#include <stdexcept>
#include <type_traits>

#include "core/registry.hpp"
#include "core/sources/fast_rows.hpp"
#include "core/sources/fast_summary.hpp"

namespace arboretum {
namespace {

template <class Use>
void with_form(const TargetForm& form, Use&& use) {
  with_criterion(form.criterion, [&]<class C>(std::type_identity<C> criterion) {
    with_fast_summary<C>(form.n_classes, form.weighted,
                         [&]<class S>(std::type_identity<S> summary) { use(criterion, summary); });
  });
}

}  // namespace

FastScale choose_shared_scale(const TargetForm& form, const TargetExtents& extents, Row n_rows) {
  FastScale scale;
  auto each = [](auto&&) { throw std::domain_error("weights lie too far apart"); };
  with_form(form, [&]<class C, class S>(std::type_identity<C>, std::type_identity<S>) {
    if constexpr (C::target == TargetKind::numbers)
      scale.numbers = choose_real_scale(extents, static_cast<double>(n_rows), C::centre, each);
    else if constexpr (!S::sorted_by_class)
      scale.classes = choose_class_scale(extents.weights, static_cast<double>(n_rows), each);
  });
  return scale;
}

void set_shared_reach(const TargetForm& form, FastScale& scale, double reach, Row n_rows) {
  with_form(form, [&]<class C, class S>(std::type_identity<C>, std::type_identity<S>) {
    set_square_unit<S>(scale, reach, n_rows);
  });
}

bool is_coarse_for(const TargetForm& form, const FastScale& scale, const TargetExtents& extents) {
  bool coarse = false;
  with_form(form, [&]<class C, class S>(std::type_identity<C>, std::type_identity<S>) {
    if constexpr (C::target == TargetKind::numbers) coarse = too_coarse(scale.numbers, spread_of(extents, C::centre));
    else if constexpr (!S::sorted_by_class) coarse = too_coarse(scale.classes, extents.weights.highest);
  });
  return coarse;
}

}  // namespace arboretum
