#include "core/criteria/misclassification.hpp"

#include "core/sources/grow_fast.hpp"

namespace arboretum {
template Tree grow(const Dataset&, const Targets&, const Misclassification&, const GrowOptions&, Interrupt&);
}
