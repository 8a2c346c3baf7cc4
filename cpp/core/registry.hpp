// Registry: the list of criteria. Adding one is a file in criteria/, its include and its name here. Every source is
// compiled for it, and Python reads its name and its kind of target from this list.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/criteria/absolute_error.hpp"
#include "core/criteria/entropy.hpp"
#include "core/criteria/gini.hpp"
#include "core/criteria/misclassification.hpp"
#include "core/criteria/poisson.hpp"
#include "core/criteria/squared_error.hpp"

namespace arboretum {

template <class... Types>
struct TypeList {
  template <class F>
  static void for_each(F&& f) {
    (f(std::type_identity<Types>{}), ...);
  }
  // What f returns for each type.
  template <class F>
  static constexpr auto all(F&& f) {
    return std::tuple{f(std::type_identity<Types>{})...};
  }
};

using Criteria = TypeList<Gini, Entropy, Misclassification, SquaredError, AbsoluteError, Poisson>;

// Turns a name into a type, once, at the border.
template <class F>
void with_criterion(std::string_view name, F&& f) {
  bool found = false;
  Criteria::for_each([&]<class C>(std::type_identity<C> criterion) {
    if (name == C::name) found = true, f(criterion);
  });
  if (!found) throw std::invalid_argument("no criterion is called '" + std::string{name} + "'");
}

}  // namespace arboretum
