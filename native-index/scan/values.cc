// Reads the numbers, dates, and CNPJs of a dump.
// Invariant: an invalid number is never read as a different one.
#include "scan/values.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>

namespace peneira {

// The cleaners of numbers. Invariant: a number too long for its type stays large and is rejected
// for its length; it never becomes another number.

namespace {

// Earliest valid date, 1800-01-01, in days since 1970-01-01.
constexpr int32_t kDateEarliest = -62091;
// Once a number exceeds this, its further digits are ignored, because it is invalid anyway.
constexpr int64_t kDigitsMost = 100'000'000'000'000'000;
// The largest safe integer of JavaScript.
constexpr int64_t kCentsMost = (int64_t{1} << 53) - 1;

constexpr int32_t kDaysBefore[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
constexpr int32_t kDaysOf[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

constexpr uint8_t kNoState = 0xff;

// Numbers of the states, indexed by their two letters, each counted from A.
constexpr std::array<uint8_t, 26 * 26> stateOrdinals() {
  std::array<uint8_t, 26 * 26> ordinals{};
  for (uint8_t& ordinal : ordinals) ordinal = kNoState;
  for (size_t i = 0; i < std::size(kStates); i++) {
    const auto first = static_cast<size_t>(kStates[i][0] - 'A');
    const auto second = static_cast<size_t>(kStates[i][1] - 'A');
    ordinals[first * 26 + second] = static_cast<uint8_t>(i);
  }
  return ordinals;
}

constexpr std::array<uint8_t, 26 * 26> kStateOrdinals = stateOrdinals();

bool isDigit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

uint8_t upper(uint8_t byte) { return byte & static_cast<uint8_t>(~32); }

// Returns the digits as a number, or -1 if the field contains any other byte.
int64_t digitsOf(DumpField field) {
  int64_t value = 0;
  for (const uint8_t* p = field.start; p < field.end; p++) {
    if (!isDigit(*p)) return -1;
    if (value < kDigitsMost) value = value * 10 + (*p - '0');
  }
  return value;
}

bool isLeap(int32_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int32_t daysSinceEpoch(int32_t year, int32_t month, int32_t day) {
  const int32_t before = year - 1;
  const int32_t leaps = before / 4 - before / 100 + before / 400;
  const int32_t leapDay = month > 2 && isLeap(year) ? 1 : 0;
  return before * 365 + leaps + kDaysBefore[month - 1] + leapDay + day - 719163;
}

// True if the dot has a digit before it and exactly three digits after it, so that it separates
// thousands.
bool isThousandsDot(DumpField field, const uint8_t* at) {
  const uint8_t* after = at + 1;
  while (after < field.end && isDigit(*after)) after++;
  return after - at == 4 && at > field.start && isDigit(at[-1]);
}

}  // namespace

Answer cleanDate(DumpField raw, int32_t latest) {
  const DumpField field = trimmed(raw);
  if (field.empty()) return kAbsent;
  const int64_t value = digitsOf(field);
  if (value == 0) return kAbsent;
  if (field.size() != 8 || value < 0) return oddBy(Rules::kDateInvalid);
  const auto year = static_cast<int32_t>(value / 10000);
  const auto month = static_cast<int32_t>(value / 100 % 100);
  const auto day = static_cast<int32_t>(value % 100);
  if (year < 1 || month < 1 || month > 12 || day < 1) return oddBy(Rules::kDateInvalid);
  const int32_t longest = month == 2 && isLeap(year) ? 29 : kDaysOf[month - 1];
  if (day > longest) return oddBy(Rules::kDateInvalid);
  const int32_t days = daysSinceEpoch(year, month, day);
  if (days < kDateEarliest) return oddBy(Rules::kDateEarly);
  return days > latest ? oddBy(Rules::kDateLate) : days;
}

Answer cleanCode(DumpField raw, uint32_t width, Answer odd) {
  const DumpField field = trimmed(raw);
  if (field.empty()) return kAbsent;
  const int64_t value = digitsOf(field);
  return value < 0 || field.size() > width ? odd : value;
}

Answer cleanActivity(DumpField raw) {
  const DumpField field = trimmed(raw);
  constexpr Answer odd = oddBy(Rules::kCnaeInvalid);
  const bool isShort = !field.empty() && field.size() < kActivityDigitsMin;
  return isShort ? odd : cleanCode(field, kActivityDigits, odd);
}

Answer cleanCapital(DumpField raw) {
  const DumpField field = trimmed(raw);
  if (field.empty()) return kAbsent;
  constexpr Answer odd = oddBy(Rules::kCapitalInvalid);
  int64_t cents = 0;
  const auto shift = [&cents](int64_t digit) {
    cents = std::min(cents * 10 + digit, kCentsMost + 1);
  };
  bool any = false;
  int decimals = -1;
  for (const uint8_t* p = field.start; p < field.end; p++) {
    if (isDigit(*p)) {
      any = true;
      if (decimals >= 2) {
        if (*p != '0') return odd;
        continue;
      }
      shift(*p - '0');
      if (decimals >= 0) decimals++;
    } else if (*p == ',' && decimals < 0 && any) {
      decimals = 0;
    } else if (*p != '.' || decimals >= 0 || !isThousandsDot(field, p)) {
      return odd;
    }
  }
  if (!any) return odd;
  for (int i = std::max(decimals, 0); i < 2; i++) shift(0);
  return cents > kCentsMost ? oddBy(Rules::kCapitalTooLarge) : cents;
}

Answer cleanFlag(DumpField raw) {
  const DumpField field = trimmed(raw);
  if (field.empty()) return kAbsent;
  const uint8_t letter = upper(*field.start);
  if (field.size() != 1 || (letter != 'S' && letter != 'N')) return oddBy(Rules::kFlagInvalid);
  return letter == 'S' ? 1 : 0;
}

Answer cleanState(DumpField raw) {
  const DumpField field = trimmed(raw);
  if (field.empty()) return kAbsent;
  if (field.size() != 2) return oddBy(Rules::kUfInvalid);
  const uint32_t first = upper(field.start[0]) - uint32_t{'A'};
  const uint32_t second = upper(field.start[1]) - uint32_t{'A'};
  if (first > 25 || second > 25) return oddBy(Rules::kUfInvalid);
  const uint8_t ordinal = kStateOrdinals[first * 26 + second];
  return ordinal == kNoState ? oddBy(Rules::kUfInvalid) : ordinal;
}

Answer cleanPostalCode(DumpField raw) {
  const DumpField field = trimmed(raw);
  if (field.empty()) return kAbsent;
  const int64_t value = digitsOf(field);
  if (value == 0) return kAbsent;
  const bool fits = field.size() == 7 || field.size() == 8;
  return value < 0 || !fits ? oddBy(Rules::kPostalCodeInvalid) : value;
}

Answer cleanPhone(DumpField area, DumpField number) {
  DumpField field = trimmed(number);
  while (field.start < field.end && *field.start == '0') field.start++;
  if (field.empty()) return kAbsent;
  const size_t length = field.size();
  const int64_t digits = digitsOf(field);
  if (digits < 0 || length < 7 || length > 9) return oddBy(Rules::kPhoneNumber);
  const DumpField code = trimmed(area);
  const int64_t region = code.empty() ? -1 : digitsOf(code);
  if (region < 11 || region > 99) return oddBy(Rules::kPhoneArea);
  const int64_t prefix = 5500 + region;
  if (length == 7) return prefix * 10'000'000 + digits;
  // The number is a mobile number that lacks its leading nine.
  if (length == 8 && digits >= 60'000'000) return prefix * 1'000'000'000 + 900'000'000 + digits;
  return prefix * (length == 8 ? 100'000'000 : 1'000'000'000) + digits;
}

// Reads CNPJs. Invariant: letters count as upper case. In check digits, a character counts as its
// ASCII code minus 48 (IN RFB 2.229/2024).

namespace {

constexpr uint32_t kBranches = 36 * 36 * 36 * 36;
constexpr uint32_t kWeights[] = {6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2};
constexpr uint8_t kNoDigit = 0xff;

// Returns the value of each byte as a base-36 digit, or kNoDigit.
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

// Returns four base-36 characters as a number, or -1.
int32_t readBase36(const uint8_t* bytes) {
  uint32_t value = 0, odd = 0;
  for (size_t i = 0; i < 4; i++) {
    const uint32_t digit = kDigits[bytes[i]];
    odd |= digit;
    value = value * 36 + digit;
  }
  // Digits are below 64, so the highest bit is set only by kNoDigit.
  return (odd & 0x80) != 0 ? -1 : static_cast<int32_t>(value);
}

uint8_t upperCharacter(uint8_t byte) {
  return byte >= 'a' ? static_cast<uint8_t>(byte - ('a' - 'A')) : byte;
}

uint32_t closing(uint32_t sum) {
  const uint32_t remainder = sum % 11;
  return remainder < 2 ? 0 : 11 - remainder;
}

// Nearly all lists of activities have at most this length. They are checked for duplicates by
// comparing all pairs.
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

// Removes duplicates, and keeps the first occurrence of each code. Returns the number removed.
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
    const uint32_t value = upperCharacter(byte) - uint32_t{'0'};
    first += value * kWeights[i + 1];
    second += value * kWeights[i];
  }
  const uint32_t one = closing(first);
  return one * 10 + closing(second + one * 2);
}

void writeCnpj(DumpField root, DumpField branch, DumpField check, uint8_t* to) {
  for (size_t i = 0; i < kRootLength; i++) to[i] = upperCharacter(root.start[i]);
  for (size_t i = 0; i < kBranchLength; i++) to[kRootLength + i] = upperCharacter(branch.start[i]);
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
