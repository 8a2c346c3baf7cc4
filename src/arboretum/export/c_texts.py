"""Texts of C headers that frame the running code: checks of the compiler, look-ups, functions, the self-test.

Words: `@` stands for the name that all others begin with, `@WIDTH` for the numbers of an outcome.
"""

from __future__ import annotations

from typing import Final

__all__ = ["CHECKS", "COMPARE", "FIND", "FUNCTIONS", "SELF_TEST"]

CHECKS: Final = """\
#if defined(__FAST_MATH__)
#error "missing values are NAN: compile without -ffast-math"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "doubles must be computed as doubles: compile with -msse2 -mfpmath=sse, or for another machine"
#endif"""

FIND: Final = """\
struct @_name {
  const char *text;
  int32_t code;
};

static inline int32_t @_find(const struct @_name *names, int32_t n, const char *text) {
  int32_t begin = 0, end = n;
  if (!text) return 0;
  while (begin < end) {
    const int32_t middle = begin + (end - begin) / 2;
    const int order = strcmp(names[middle].text, text);
    if (order == 0) return names[middle].code;
    if (order < 0) begin = middle + 1;
    else end = middle;
  }
  return 0;
}"""

_CLASS_NAME: Final = """\
#define @_N_CLASSES @WIDTH

/* The name of a class by its number; a null pointer if there is no such class. */
static inline const char *@_class_name(int number) {
  return number >= 0 && number < @_N_CLASSES ? @_classes[number] : (const char *)0;
}
"""

# By whether there are classes, and whether rows are divided.
FUNCTIONS: Final = {
    (True, False): f"""{_CLASS_NAME}
/* The number of the class that is predicted for a row. */
static inline int @_predict(const struct @_row *row) {{
  return @_labels[@_steps[@_rest(row)].outcome];
}}

/* The probability of each class for a row; `out` has room for @_N_CLASSES numbers. */
static inline void @_predict_proba(const struct @_row *row, double *out) {{
  memcpy(out, @_outcomes[@_steps[@_rest(row)].outcome], sizeof(double) * @_N_CLASSES);
}}""",
    (True, True): f"""{_CLASS_NAME}
/* The probability of each class for a row; `out` has room for @_N_CLASSES numbers. */
static inline void @_predict_proba(const struct @_row *row, double *out) {{
  @_mix(row, out);
}}

/* The number of the class that is predicted for a row. */
static inline int @_predict(const struct @_row *row) {{
  double mixed[@_N_CLASSES];
  @_mix(row, mixed);
  return @_cheapest(mixed);
}}""",
    (False, False): """/* The number that is predicted for a row. */
static inline double @_predict(const struct @_row *row) {
  return @_outcomes[@_steps[@_rest(row)].outcome][0];
}""",
    (False, True): """/* The number that is predicted for a row. */
static inline double @_predict(const struct @_row *row) {
  double mixed[1];
  @_mix(row, mixed);
  return mixed[0];
}""",
}

COMPARE: Final = {
    True: """\
    double shares[@WIDTH];
    @_predict_proba(&@_samples[i].row, shares);
    if (@_predict(&@_samples[i].row) != @_samples[i].label ||
        memcmp(shares, @_samples[i].numbers, sizeof(shares)) != 0) {""",
    False: """\
    const double value = @_predict(&@_samples[i].row);
    if (memcmp(&value, @_samples[i].numbers, sizeof(value)) != 0) {""",
}

SELF_TEST: Final = """\
#ifdef @NAME_SELF_TEST
#include <stdio.h>

struct @_sample {
  struct @_row row;
  int label;
  double numbers[@WIDTH];
};

@SAMPLES

int main(void) {
  int i, failures = 0;
@LOOPS
  for (i = 0; i < @N; ++i) {
@COMPARE
      printf("sample %d: another answer than expected\\n", i);
      ++failures;
    }
  }
  printf("%d of @N rows agree\\n", @N - failures);
  return failures == 0 ? 0 : 1;
}
#endif /* @NAME_SELF_TEST */"""
