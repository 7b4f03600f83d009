// The reading of CNPJs. What comes in and goes out: see cnpj.h. Invariant: letters count as upper
// case; the value of a character in the check digits is its ASCII code less 48 (IN RFB 2.229/2024).
#include "scan/cnpj.h"

#include <algorithm>
#include <array>

#include "scan/values.h"

namespace peneira {
namespace {

constexpr uint32_t kBranches = 36 * 36 * 36 * 36;
constexpr uint32_t kWeights[] = {6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2};
constexpr uint8_t kNoDigit = 0xff;

// Base-36 digits of all bytes.
constexpr std::array<uint8_t, 256> base36Digits() {
  std::array<uint8_t, 256> digits{};
  for (uint8_t& digit : digits) digit = kNoDigit;
  for (uint8_t i = 0; i < 10; i++) digits[size_t{'0'} + i] = i;
  for (uint8_t i = 0; i < 26; i++) {
    digits[size_t{'A'} + i] = digits[size_t{'a'} + i] = static_cast<uint8_t>(10 + i);
  }
  return digits;
}

constexpr std::array<uint8_t, 256> kDigits = base36Digits();

// Four characters as a number, or -1.
int32_t readBase36(const uint8_t* bytes) {
  uint32_t value = 0, odd = 0;
  for (size_t i = 0; i < 4; i++) {
    const uint32_t digit = kDigits[bytes[i]];
    odd |= digit;
    value = value * 36 + digit;
  }
  // Digits are below 64, so only the mark of what is none has the highest bit.
  return (odd & 0x80) != 0 ? -1 : static_cast<int32_t>(value);
}

uint8_t upper(uint8_t byte) {
  return byte >= 'a' ? static_cast<uint8_t>(byte - ('a' - 'A')) : byte;
}

bool isDigit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

// Copies a column to `width` characters in upper case; digits alone may have lost leading zeros.
// False for anything else.
bool readColumn(DumpField raw, uint8_t* to, size_t width) {
  const DumpField field = trimmed(raw);
  const size_t length = field.size();
  if (length == 0 || length > width) return false;
  const size_t zeros = width - length;
  std::fill_n(to, zeros, uint8_t{'0'});
  for (size_t i = 0; i < length; i++) {
    const uint8_t byte = field.start[i];
    if (kDigits[byte] == kNoDigit || (zeros > 0 && !isDigit(byte))) return false;
    to[zeros + i] = upper(byte);
  }
  return true;
}

uint32_t closing(uint32_t sum) {
  const uint32_t remainder = sum % 11;
  return remainder < 2 ? 0 : 11 - remainder;
}

}  // namespace

double CompanyRoot::number() const { return static_cast<double>(uint64_t{high} * kBranches + low); }

uint32_t CompanyRoot::partition(uint32_t partitions) const {
  uint32_t hash = (high ^ (low * 0x9e3779b1u)) * 0x85ebca6bu;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
  return (hash ^ (hash >> 16)) % partitions;
}

uint64_t readKey(const uint8_t* characters, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; i++) value = value * 36 + kDigits[characters[i]];
  return value;
}

std::string rootText(uint64_t root) {
  std::string text(kRootWidth, '0');
  for (size_t i = kRootWidth; i > 0; root /= 36)
    text[--i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[root % 36];
  return text;
}

CompanyRoot Cnpj::root() const {
  return {static_cast<uint32_t>(readBase36(characters.data())),
          static_cast<uint32_t>(readBase36(characters.data() + 4))};
}

uint32_t Cnpj::branch() const {
  return static_cast<uint32_t>(readBase36(characters.data() + kRootWidth));
}

bool Cnpj::hasRightCheckDigits() const {
  uint32_t first = 0, second = 0;
  for (size_t i = 0; i < kRootWidth + kBranchWidth; i++) {
    const uint32_t value = characters[i] - uint32_t{'0'};
    first += value * kWeights[i + 1];
    second += value * kWeights[i];
  }
  const uint32_t one = closing(first);
  const uint32_t two = closing(second + one * 2);
  const uint8_t* const check = characters.data() + kRootWidth + kBranchWidth;
  return check[0] == '0' + one && check[1] == '0' + two;
}

bool readRoot(DumpField field, CompanyRoot& root) {
  std::array<uint8_t, kRootWidth> characters{};
  if (!readColumn(field, characters.data(), kRootWidth)) return false;
  root = {static_cast<uint32_t>(readBase36(characters.data())),
          static_cast<uint32_t>(readBase36(characters.data() + 4))};
  return true;
}

bool readCnpj(DumpField root, DumpField branch, DumpField check, Cnpj& cnpj) {
  uint8_t* const to = cnpj.characters.data();
  uint8_t* const digits = to + kRootWidth + kBranchWidth;
  if (!readColumn(root, to, kRootWidth) || !readColumn(branch, to + kRootWidth, kBranchWidth) ||
      !readColumn(check, digits, kCheckWidth) || !isDigit(digits[0]) || !isDigit(digits[1])) {
    return false;
  }
  cnpj.lostZeros = lostZeros(root, kRootWidth) || lostZeros(branch, kBranchWidth) ||
                   lostZeros(check, kCheckWidth);
  return true;
}

Activities::Activities() : seen_(10'000'000) {}

void Activities::read(DumpField field) {
  codes_.clear();
  odd_ = zeros_ = repeated_ = 0;
  uint32_t value = 0;
  size_t digits = 0;
  bool isOdd = false;
  for (const uint8_t* p = field.start; p <= field.end; p++) {
    const uint8_t byte = p < field.end ? *p : uint8_t{','};
    if (isDigit(byte)) {
      value = value * 10 + byte - '0';
      digits++;
    } else if (byte == ',') {
      if ((digits == kActivityWidth || digits == kActivityWidth - 1) && !isOdd) {
        if (digits < kActivityWidth) zeros_++;
        add(value);
      } else if (digits > 0 || isOdd) {
        odd_++;
      }
      value = 0;
      digits = 0;
      isOdd = false;
    } else if (byte > ' ') {
      isOdd = true;
    }
  }
  for (const uint32_t code : codes_) seen_[code] = false;
}

void Activities::add(uint32_t code) {
  if (seen_[code]) {
    repeated_++;
    return;
  }
  seen_[code] = true;
  codes_.push_back(code);
}

}  // namespace peneira
