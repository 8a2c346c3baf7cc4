#include "core/sources/part_source.hpp"

#include "core/grow/grow_tree.hpp"
#include "core/registry.hpp"
#include "core/sources/grow_from_sources.hpp"

namespace arboretum {

template <class Plain>
Tree grow_in_parts(const GrowInput& input, const Plain& criterion) {
  PartSource<Plain> source{input.data, input.targets, criterion, input.options, input.interrupt};
  TreeBuilder tree = grow_from(source, input.options, input.interrupt);
  return report(std::move(tree), input.data, input.targets, input.impurity, input.options, source);
}

// Naming every instance makes the compiler produce it.
extern const auto part_instances =
    Criteria::all([]<class C>(std::type_identity<C>) { return &grow_in_parts<typename C::Plain>; });

}  // namespace arboretum
