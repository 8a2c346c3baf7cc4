// The fingerprints of the trees that check_fingerprints.cpp grows; it prints these lines itself. A change of what a
// criterion or a search finds changes them, a change of how fast it is does not.
#pragma once
#include <cstdint>
#include <string_view>

namespace arboretum {

struct Known {
  std::string_view criterion;
  std::uint64_t questions, numbers;
};

inline constexpr Known known_fingerprints[] = {
    {"gini", 0xbb099fd88b231c25u, 0xed9fbb77589e88dfu},
    {"entropy", 0x28f9adf00143088du, 0xb1687414f1b2f140u},
    {"misclassification", 0x71884cc80c7f5f1cu, 0x913e6acef827ff75u},
    {"squared_error", 0x54e59d2dfef76c33u, 0x1e917fa30ac730b1u},
    {"absolute_error", 0xab1f65691b757c00u, 0x0234631aa751c231u},
    {"poisson", 0x64b23145b8be0a52u, 0xe6d57f033593c64au},
};

inline const Known* find_known(std::string_view criterion) {
  for (const Known& known : known_fingerprints)
    if (known.criterion == criterion) return &known;
  return nullptr;
}

// The last bit of a logarithm is not that of other machines where the C library is another.
#ifdef _WIN32
inline constexpr bool same_logarithms = false;
#else
inline constexpr bool same_logarithms = true;
#endif
inline bool takes_logarithms(std::string_view criterion) { return criterion == "entropy" || criterion == "poisson"; }

}  // namespace arboretum
