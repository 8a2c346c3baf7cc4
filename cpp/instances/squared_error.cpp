#include "core/criteria/squared_error.hpp"

#include "core/sources/grow_fast.hpp"

namespace arboretum {
template Tree grow(const Dataset&, const Targets&, const SquaredError&, const GrowOptions&, Interrupt&);
}
