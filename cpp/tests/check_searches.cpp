// Exercises the searches for questions about several columns without Python, so that sanitizers see every path. Prints
// "N passed, M failed" and returns 1 if anything failed.
#include <cstdio>
#include <random>
#include <string>

#include "core/registry.hpp"
#include "tests/m_of_n_checks.hpp"
#include "tests/oblique_checks.hpp"

namespace arboretum {
namespace {

int n_passed = 0, n_failed = 0;

void expect(bool holds, const std::string& what) {
  ++(holds ? n_passed : n_failed);
  if (!holds) std::printf("FAILED: %s\n", what.c_str());
}

}  // namespace
}  // namespace arboretum

int main() {
  using namespace arboretum;
  std::mt19937 random{20'260'102};
  check_m_of_n(random, expect);
  check_oblique(random, expect);
  std::printf("%d passed, %d failed\n", n_passed, n_failed);
  return n_failed == 0 ? 0 : 1;
}
