// Exercises the searches for questions about several columns without Python, so that sanitizers see every path. Prints
// "N passed, M failed" and returns 1 if anything failed.
#include <random>

#include "core/registry.hpp"
#include "tests/expect.hpp"
#include "tests/m_of_n_checks.hpp"
#include "tests/oblique_checks.hpp"

int main() {
  using namespace arboretum;
  std::mt19937 random{20'260'102};
  check_m_of_n(random, expect);
  check_oblique(random, expect);
  return finish();
}
