// The plain twins of the passes: arrays, lane by lane.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "core/compiler.hpp"
#include "core/search/optimal/pass_kernels.hpp"
#include "core/sources/stable_division.hpp"

namespace arboretum::optimal {
namespace {

template <class T, std::size_t n>
struct Array {
  T each[n];
};
template <class T, std::size_t n, class Join>
Array<T, n> joined(const Array<T, n>& a, const Array<T, n>& b, Join&& join) {
  Array<T, n> c;
  for (std::size_t i = 0; i < n; ++i) c.each[i] = static_cast<T>(join(a.each[i], b.each[i]));
  return c;
}
template <class T, std::size_t n>
Array<T, n> operator+(const Array<T, n>& a, const Array<T, n>& b) {
  return joined(a, b, [](T x, T y) { return x + y; });
}
template <class T, std::size_t n>
Array<T, n> operator-(const Array<T, n>& a, const Array<T, n>& b) {
  return joined(a, b, [](T x, T y) { return x - y; });
}
template <class T, std::size_t n>
Array<T, n> operator*(const Array<T, n>& a, const Array<T, n>& b) {
  return joined(a, b, [](T x, T y) { return x * y; });
}
template <class T, std::size_t n>
Array<T, n> operator/(const Array<T, n>& a, const Array<T, n>& b) {
  return joined(a, b, [](T x, T y) { return x / y; });
}
template <class T, std::size_t n>
Array<T, n> operator*(const Array<T, n>& a, T b) {
  return joined(a, a, [b](T x, T) { return x * b; });
}
template <class T, std::size_t n>
Array<T, n>& operator+=(Array<T, n>& a, const Array<T, n>& b) {
  return a = a + b;
}

struct Plainly {
  template <class T, std::size_t n>
  using Lanes = Array<T, n>;

  template <class V, class T>
  static V all(T value) {
    V lanes;
    for (auto& each : lanes.each) each = static_cast<std::remove_reference_t<decltype(each)>>(value);
    return lanes;
  }
  template <class V>
  static V larger(const V& a, const V& b) {
    return joined(a, b, [](auto x, auto y) { return x > y ? x : y; });
  }
  template <class V>
  static V smaller(const V& a, const V& b) {
    return joined(a, b, [](auto x, auto y) { return x < y ? x : y; });
  }
  template <class To, std::size_t n>
  static To widen(const Array<std::int8_t, n>& from) {
    To to;
    for (std::size_t i = 0; i < n; ++i) to.each[i] = from.each[i];
    return to;
  }
  template <class V>
  static V keep_where(const V& lanes, std::int8_t edge) {
    return edge != 0 ? lanes : all<V>(0);
  }
  template <class V>
  static V where_not_less(const V& a, const V& b, const V& then, const V& otherwise) {
    V lanes;
    for (std::size_t i = 0; i < std::size(lanes.each); ++i)
      lanes.each[i] = a.each[i] >= b.each[i] ? then.each[i] : otherwise.each[i];
    return lanes;
  }
  template <class V>
  static bool any_more(const V& a, const V& b) {
    for (std::size_t i = 0; i < std::size(a.each); ++i)
      if (a.each[i] > b.each[i]) return true;
    return false;
  }
  // `then` where a > b and the third is positive.
  template <class V>
  static V where_more(const V& a, const V& b, const V& positive, const V& then, const V& otherwise) {
    V lanes;
    for (std::size_t i = 0; i < std::size(lanes.each); ++i)
      lanes.each[i] = a.each[i] > b.each[i] && positive.each[i] > 0.0 ? then.each[i] : otherwise.each[i];
    return lanes;
  }
};

constexpr Passes plain = Kernels<Plainly>::all();

}  // namespace

#ifdef ARBORETUM_GNU
extern const Passes in_vectors;  // pass_vector.cpp

const Passes& passes_for(bool simd) {
#ifdef __x86_64__
  const bool has = has_avx2();
#else
  const bool has = true;
#endif
  return simd && has ? in_vectors : plain;
}
#else
const Passes& passes_for(bool) { return plain; }
#endif

}  // namespace arboretum::optimal
