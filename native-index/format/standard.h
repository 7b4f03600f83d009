// The headers of the standard library that most sources include. They are parsed once, because
// binding.gyp precompiles this file and puts it before every source.
// Invariant: sources still include the headers that they use, so that they compile without this
// file, as in clang-tidy and the fuzz targets. This file includes no header of this project.
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
