#include "core/criteria/gini.hpp"

#include "core/sources/grow_fast.hpp"

namespace arboretum {
template Tree grow(const Dataset&, const Targets&, const Gini&, const GrowOptions&, Interrupt&);
}
