// The passes on vectors of the processor: AVX2 on x86-64, chosen at run time; elsewhere what every processor has.
// Compiled apart from other files: the instructions hold for everything below the pragma.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/compiler.hpp"
#include "core/search/optimal/pass.hpp"

#ifdef ARBORETUM_GNU
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#elif defined(__x86_64__)
#pragma GCC target("avx2")
#pragma GCC diagnostic ignored "-Wpsabi"  // everything is inlined
#endif

#include "core/search/optimal/pass_kernels.hpp"

namespace arboretum::optimal {
namespace {

template <class T, std::size_t n>
struct VectorOf {
  typedef T Type __attribute__((vector_size(n * sizeof(T))));
};

struct InVectors {
  template <class T, std::size_t n>
  using Lanes = typename VectorOf<T, n>::Type;

  template <class V, class T>
  static V all(T value) {
    using Each = std::remove_reference_t<decltype(std::declval<V&>()[0])>;
    return V{} + static_cast<Each>(value);
  }
  template <class V>
  static V larger(const V& a, const V& b) {
    return a > b ? a : b;
  }
  template <class V>
  static V smaller(const V& a, const V& b) {
    return a < b ? a : b;
  }
  template <class To, class From>
  static To widen(const From& from) {
    return __builtin_convertvector(from, To);
  }
  template <class V>
  static V keep_where(const V& lanes, std::int8_t edge) {
    return lanes & edge;
  }
  template <class V>
  static V where_not_less(const V& a, const V& b, const V& then, const V& otherwise) {
    return a >= b ? then : otherwise;
  }
  template <class V>
  static bool any_more(const V& a, const V& b) {
    const auto more = a > b;
    constexpr std::size_t n = sizeof(V) / sizeof(std::int64_t) / 2;
    using Half = typename VectorOf<std::int64_t, n>::Type;
    Half halves[2];
    std::memcpy(halves, &more, sizeof(V));
    const Half either = halves[0] | halves[1];
    std::int64_t any = 0;
    for (std::size_t i = 0; i < n; ++i) any |= either[i];
    return any != 0;
  }
  template <class V>
  static V where_more(const V& a, const V& b, const V& positive, const V& then, const V& otherwise) {
    return ((a > b) & (positive > 0.0)) ? then : otherwise;
  }
};

}  // namespace

extern constinit const Passes in_vectors = Kernels<InVectors>::all();

}  // namespace arboretum::optimal

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
#endif
