#include "core/sources/plain_source.hpp"

#include "core/grow/grow_tree.hpp"
#include "core/registry.hpp"
#include "core/sources/grow_from_sources.hpp"

namespace arboretum {

template <class Plain>
Tree grow_plainly(const GrowInput& input, const Plain& criterion) {
  PlainSource<Plain> source{input.data, input.targets, criterion, input.options, input.interrupt};
  TreeBuilder tree = grow_from(source, input.options, input.interrupt);
  return report(std::move(tree), input.data, input.targets, input.impurity, input.options, source);
}

// Naming every instance makes the compiler produce it.
extern const auto plain_instances =
    Criteria::all([]<class C>(std::type_identity<C>) { return &grow_plainly<typename C::Plain>; });

}  // namespace arboretum
