// The reading of CNPJs. What comes in and goes out: see cnpj.h. Invariant: letters count as upper
// case; the value of a character in the check digits is its ASCII code less 48 (IN RFB 2.229/2024).
#include "scan/cnpj.h"

#include <algorithm>
#include <array>
#include <unordered_set>

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

uint32_t closing(uint32_t sum) {
  const uint32_t remainder = sum % 11;
  return remainder < 2 ? 0 : 11 - remainder;
}

// Lists up to this long, which are nearly all, are compared in pairs.
constexpr size_t kPairsMost = 24;

bool hasRepeated(const std::vector<uint32_t>& codes) {
  if (codes.size() > kPairsMost) return true;
  for (size_t i = 1; i < codes.size(); i++) {
    for (size_t j = 0; j < i; j++) {
      if (codes[i] == codes[j]) return true;
    }
  }
  return false;
}

// Keeps the first of equal codes; returns how many others there were.
uint32_t dropRepeated(std::vector<uint32_t>& codes) {
  if (!hasRepeated(codes)) return 0;
  std::unordered_set<uint32_t> seen;
  return static_cast<uint32_t>(
      std::erase_if(codes, [&seen](uint32_t code) { return !seen.insert(code).second; }));
}

}  // namespace

DumpField PaddedCnpj::pad(DumpField part, size_t width, uint8_t* to) {
  if (part.empty() || part.size() >= width) return part;
  if (!std::all_of(part.start, part.end, isDigit)) return part;
  uint8_t* const first = std::fill_n(to, width - part.size(), uint8_t{'0'});
  std::copy(part.start, part.end, first);
  return {to, to + width};
}

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
  std::string text(kRootLength, '0');
  for (size_t i = kRootLength; i > 0; root /= 36)
    text[--i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[root % 36];
  return text;
}

bool readRoot(DumpField field, CompanyRoot& root) {
  if (field.size() != kRootLength) return false;
  const int32_t high = readBase36(field.start);
  const int32_t low = readBase36(field.start + 4);
  root = {static_cast<uint32_t>(high), static_cast<uint32_t>(low)};
  return high >= 0 && low >= 0;
}

bool readPaddedRoot(DumpField field, CompanyRoot& root) {
  if (field.size() == kRootLength) return readRoot(field, root);
  const PaddedCnpj padded(field, field, field);
  return readRoot(padded.root, root);
}

int32_t readBranch(DumpField field) {
  return field.size() == kBranchLength ? readBase36(field.start) : -1;
}

int32_t readCheckDigits(DumpField field) {
  if (field.size() != kCheckLength) return -1;
  const uint32_t tens = field.start[0] - uint32_t{'0'};
  const uint32_t units = field.start[1] - uint32_t{'0'};
  return tens > 9 || units > 9 ? -1 : static_cast<int32_t>(tens * 10 + units);
}

uint32_t checkDigitsOf(DumpField root, DumpField branch) {
  uint32_t first = 0, second = 0;
  for (size_t i = 0; i < kRootLength + kBranchLength; i++) {
    const uint8_t byte = i < kRootLength ? root.start[i] : branch.start[i - kRootLength];
    const uint32_t value = upper(byte) - uint32_t{'0'};
    first += value * kWeights[i + 1];
    second += value * kWeights[i];
  }
  const uint32_t one = closing(first);
  return one * 10 + closing(second + one * 2);
}

void writeCnpj(DumpField root, DumpField branch, DumpField check, uint8_t* to) {
  for (size_t i = 0; i < kRootLength; i++) to[i] = upper(root.start[i]);
  for (size_t i = 0; i < kBranchLength; i++) to[kRootLength + i] = upper(branch.start[i]);
  to[kRootLength + kBranchLength] = check.start[0];
  to[kRootLength + kBranchLength + 1] = check.start[1];
}

OddActivities readActivities(DumpField field, std::vector<uint32_t>& codes) {
  codes.clear();
  OddActivities found;
  uint32_t value = 0;
  size_t digits = 0;
  bool isOdd = false;
  for (const uint8_t* p = field.start; p <= field.end; p++) {
    const uint8_t byte = p < field.end ? *p : uint8_t{','};
    if (isDigit(byte)) {
      value = value * 10 + byte - '0';
      digits++;
    } else if (byte == ',') {
      if ((digits == kActivityDigits || digits == kActivityDigitsMin) && !isOdd) {
        codes.push_back(value);
        if (digits < kActivityDigits) found.padded++;
      } else if (digits > 0 || isOdd) {
        found.odd++;
      }
      value = 0;
      digits = 0;
      isOdd = false;
    } else if (byte > ' ') {
      isOdd = true;
    }
  }
  found.repeated = dropRepeated(codes);
  return found;
}

}  // namespace peneira
