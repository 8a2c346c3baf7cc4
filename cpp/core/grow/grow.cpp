#include "core/grow/grow.hpp"

#include "core/grow/choose_source.hpp"
#include "core/registry.hpp"

namespace arboretum {

// Naming every instance makes the compiler produce it.
extern const auto grow_instances = Criteria::all([]<class C>(std::type_identity<C>) { return &grow<C>; });

}  // namespace arboretum
