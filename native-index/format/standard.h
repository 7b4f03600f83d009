// The headers of the standard library that most sources include, to be parsed once: binding.gyp
// precompiles this file and puts it before every source.
// Invariant: a source includes what it uses all the same, so that it compiles without this file,
// as clang-tidy and the fuzz targets do; nothing of ours is in it.
#ifndef PENEIRA_FORMAT_STANDARD_H_
#define PENEIRA_FORMAT_STANDARD_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#endif  // PENEIRA_FORMAT_STANDARD_H_
