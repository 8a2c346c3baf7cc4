#include "core/criteria/absolute_error.hpp"

#include "core/sources/grow_fast.hpp"

namespace arboretum {
template Tree grow(const Dataset&, const Targets&, const AbsoluteError&, const GrowOptions&, Interrupt&);
}
