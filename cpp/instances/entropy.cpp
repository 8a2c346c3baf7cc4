#include "core/criteria/entropy.hpp"

#include "core/sources/grow_fast.hpp"

namespace arboretum {
template Tree grow(const Dataset&, const Targets&, const Entropy&, const GrowOptions&, Interrupt&);
}
