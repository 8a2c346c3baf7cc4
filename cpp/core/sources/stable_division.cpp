#include "core/sources/stable_division.hpp"

#include <algorithm>
#include <array>
#if defined(__x86_64__) && defined(ARBORETUM_GNU)
#include <immintrin.h>
#define ARBORETUM_AVX2 1
#endif

namespace arboretum {

bool has_avx2() {
#ifdef ARBORETUM_AVX2
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
#else
  return false;
#endif
}

namespace {

// Bit i of the result: low <= codes[i] <= low + width, for up to 32 codes.
template <class Width>
std::uint32_t within_plain(const Width* codes, Row n, Width low, Width width) {
  std::uint32_t bits = 0;
  for (Row i = 0; i < n; ++i) bits |= std::uint32_t{static_cast<Width>(codes[i] - low) <= width} << i;
  return bits;
}

#ifdef ARBORETUM_AVX2
namespace avx2 {

// places[m]: positions of the set bits of m, in order.
inline constexpr auto places = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (unsigned m = 0; m < 256; ++m)
    for (unsigned i = 0, k = 0; i < 8; ++i)
      if (m >> i & 1) table[m][k++] = static_cast<std::uint8_t>(i);
  return table;
}();

#define ARBORETUM_TARGET __attribute__((target("avx2,popcnt")))

ARBORETUM_TARGET inline __m128i chosen(unsigned m) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places[m].data()));
}
ARBORETUM_TARGET inline void move(const std::uint8_t* from, unsigned m, Sides<std::uint8_t> to) {
  const __m128i v = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to.left), _mm_shuffle_epi8(v, chosen(m)));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to.right), _mm_shuffle_epi8(v, chosen(m ^ 255u)));
}
ARBORETUM_TARGET inline __m128i byte_pairs(__m128i at) {  // place p of a 16-bit value is bytes 2p, 2p+1
  const __m128i twice = _mm_add_epi8(at, at);
  return _mm_unpacklo_epi8(twice, _mm_add_epi8(twice, _mm_set1_epi8(1)));
}
ARBORETUM_TARGET inline void move(const std::uint16_t* from, unsigned m, Sides<std::uint16_t> to) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to.left), _mm_shuffle_epi8(v, byte_pairs(chosen(m))));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to.right), _mm_shuffle_epi8(v, byte_pairs(chosen(m ^ 255u))));
}
ARBORETUM_TARGET inline void move(const std::uint32_t* from, unsigned m, Sides<std::uint32_t> to) {
  const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.left),
                      _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(chosen(m))));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.right),
                      _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(chosen(m ^ 255u))));
}

// Writes never pass values[i + 8): what is overwritten has been read.
template <class T>
ARBORETUM_TARGET Row divide(T* values, Row n, const std::uint8_t* mask, Sides<T>& to) {
  Row i = 0;
  for (; i + 8 <= n; i += 8) {
    const unsigned m = mask[i >> 3], n_left = static_cast<unsigned>(__builtin_popcount(m));
    move(values + i, m, to);
    to.left += n_left, to.right += 8 - n_left;
  }
  return i;
}

ARBORETUM_TARGET inline std::uint32_t within(const std::uint8_t* codes, std::uint8_t low, std::uint8_t width) {
  const __m256i d = _mm256_sub_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes)),
                                    _mm256_set1_epi8(static_cast<char>(low)));
  const __m256i inside = _mm256_cmpeq_epi8(_mm256_min_epu8(d, _mm256_set1_epi8(static_cast<char>(width))), d);
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(inside));
}
ARBORETUM_TARGET inline __m256i inside16(const std::uint16_t* codes, std::uint16_t low, std::uint16_t width) {
  const __m256i d = _mm256_sub_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes)),
                                     _mm256_set1_epi16(static_cast<short>(low)));
  return _mm256_cmpeq_epi16(_mm256_min_epu16(d, _mm256_set1_epi16(static_cast<short>(width))), d);
}
ARBORETUM_TARGET inline std::uint32_t within(const std::uint16_t* codes, std::uint16_t low, std::uint16_t width) {
  const __m256i both = _mm256_packs_epi16(inside16(codes, low, width), inside16(codes + 16, low, width));
  return static_cast<std::uint32_t>(
      _mm256_movemask_epi8(_mm256_permute4x64_epi64(both, 0xd8)));  // packs works per half
}

template <class Width>
ARBORETUM_TARGET Row mask_within(const Width* codes, Row n, Width low, Width width, std::uint8_t* mask) {
  Row i = 0;
  for (; i + 32 <= n; i += 32) {
    const std::uint32_t bits = within(codes + i, low, width);
    std::memcpy(mask + (i >> 3), &bits, 4);
  }
  return i;
}

}  // namespace avx2
#endif

template <class Width>
void mask_codes(const Width* codes, Row n, Code low, Code width, std::uint8_t* mask, bool vector) {
  Row i = 0;
#ifdef ARBORETUM_AVX2
  if constexpr (sizeof(Width) < 4) {
    if (vector) i = avx2::mask_within(codes, n, static_cast<Width>(low), static_cast<Width>(width), mask);
  }
#endif
  for (; i < n; i += 32) {
    const std::uint32_t bits = lowest_first(
        within_plain(codes + i, std::min<Row>(32, n - i), static_cast<Width>(low), static_cast<Width>(width)));
    std::memcpy(mask + (i >> 3), &bits, 4);
  }
  (void)vector;
}

template <class T>
Row divide_vectors(T* values, Row n, const std::uint8_t* mask, T* spill, bool vector) {
  Sides<T> to{values, spill};
  Row i = 0;
#ifdef ARBORETUM_AVX2
  if (vector) i = avx2::divide(values, n, mask, to);
#endif
  (void)vector;
  return gather_right(values, divide_plain(values, i, n, mask, to), spill);
}

}  // namespace

void mask_within(const std::uint8_t* codes, Row n, Code low, Code width, std::uint8_t* mask, bool vector) {
  mask_codes(codes, n, low, width, mask, vector);
}
void mask_within(const std::uint16_t* codes, Row n, Code low, Code width, std::uint8_t* mask, bool vector) {
  mask_codes(codes, n, low, width, mask, vector);
}
void mask_within(const std::uint32_t* codes, Row n, Code low, Code width, std::uint8_t* mask, bool vector) {
  mask_codes(codes, n, low, width, mask, vector);
}

Row divide_stably(std::uint8_t* values, Row n, const std::uint8_t* mask, std::uint8_t* spill, bool vector) {
  return divide_vectors(values, n, mask, spill, vector);
}
Row divide_stably(std::uint16_t* values, Row n, const std::uint8_t* mask, std::uint16_t* spill, bool vector) {
  return divide_vectors(values, n, mask, spill, vector);
}
Row divide_stably(std::uint32_t* values, Row n, const std::uint8_t* mask, std::uint32_t* spill, bool vector) {
  return divide_vectors(values, n, mask, spill, vector);
}

}  // namespace arboretum
