// The cleaners of numbers. What comes in and goes out: see values.h. Invariant: a number that is
// too long for its type stays large and is refused for its length; it never becomes another one.
#include "scan/values.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace peneira {
namespace {

// First day that counts, 1800-01-01, in days since 1970-01-01.
constexpr int32_t kDateEarliest = -62091;
// Numbers that are larger get no more digits.
constexpr int64_t kDigitsMost = 100'000'000'000'000'000;
// The largest whole number that a number of JavaScript holds exactly, with all smaller ones.
constexpr int64_t kCentsMost = (int64_t{1} << 53) - 1;

constexpr int32_t kDaysBefore[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
constexpr int32_t kDaysOf[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

constexpr uint8_t kNoState = 0xff;

// Ordinals of the states by both letters, each counted from A.
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

// The digits as a number; -1 where another byte is among them.
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

// A thousands dot has a digit before it and exactly three after it.
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
  // A mobile that lost its leading nine.
  if (length == 8 && digits >= 60'000'000) return prefix * 1'000'000'000 + 900'000'000 + digits;
  return prefix * (length == 8 ? 100'000'000 : 1'000'000'000) + digits;
}

}  // namespace peneira
