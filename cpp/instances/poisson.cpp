#include "core/criteria/poisson.hpp"

#include "core/sources/grow_fast.hpp"

namespace arboretum {
template Tree grow(const Dataset&, const Targets&, const Poisson&, const GrowOptions&, Interrupt&);
}
