// What compilers offer beyond the language, and what stands in where one does not. ARBORETUM_PORTABLE asks for the
// stand-ins, so that they are tested here too.
#pragma once

#if defined(__GNUC__) && !defined(ARBORETUM_PORTABLE)
#define ARBORETUM_GNU 1
#endif

namespace arboretum {

// Asks for the memory there, which will soon be read.
inline void fetch_ahead([[maybe_unused]] const void* place) {
#ifdef ARBORETUM_GNU
  __builtin_prefetch(place);
#endif
}

// Where no run of the program comes.
[[noreturn]] inline void unreachable() {
#if defined(__GNUC__)
  __builtin_unreachable();
#elif defined(_MSC_VER)
  __assume(false);
#endif
}

// Two doubles that are added and multiplied together.
#ifdef ARBORETUM_GNU
using Pair = double __attribute__((vector_size(16)));

inline Pair larger(Pair a, Pair b) { return a > b ? a : b; }
#else
struct Pair {
  double lanes[2];

  double operator[](int lane) const { return lanes[lane]; }
  Pair& operator+=(Pair other) { return *this = *this + other; }

  friend Pair operator+(Pair a, Pair b) { return {a[0] + b[0], a[1] + b[1]}; }
  friend Pair operator-(Pair a, Pair b) { return {a[0] - b[0], a[1] - b[1]}; }
  friend Pair operator*(Pair a, Pair b) { return {a[0] * b[0], a[1] * b[1]}; }
  friend Pair operator-(double a, Pair b) { return Pair{a, a} - b; }
  friend Pair operator*(Pair a, double b) { return a * Pair{b, b}; }
  friend Pair operator*(double a, Pair b) { return Pair{a, a} * b; }
};

inline Pair larger(Pair a, Pair b) { return {a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]}; }
#endif

}  // namespace arboretum
