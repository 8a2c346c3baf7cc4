// How a program of tests counts what holds, says what does not, and ends.
#pragma once

#include <cstdio>
#include <string>

namespace arboretum {

inline int n_passed = 0, n_failed = 0;

inline void expect(bool holds, const std::string& what) {
  ++(holds ? n_passed : n_failed);
  if (!holds) std::printf("FAILED: %s\n", what.c_str());
}

// Prints "N passed, M failed" and returns what `main` returns: 1 if anything failed.
inline int finish() {
  std::printf("%d passed, %d failed\n", n_passed, n_failed);
  return n_failed == 0 ? 0 : 1;
}

}  // namespace arboretum
