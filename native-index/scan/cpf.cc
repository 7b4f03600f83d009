// The removal of CPFs. What comes in and goes out: see texts.h. Invariant: each turn of the loop
// makes the name shorter by a whole number, so that it ends; nothing is written behind the name.
#include "scan/texts.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace peneira {
namespace {

constexpr size_t kDigits = 11;
using Digits = std::array<uint8_t, kDigits>;

// What linked a number to the name before it, or ended the name behind it.
constexpr std::string_view kBefore = " ,-:;/([";
constexpr std::string_view kBehind = " ,-:;/()[].";
// Forms of companies that stand behind a person's number.
constexpr std::string_view kForms[] = {"ME", "MEI", "EPP", "EI", "EIRELI", "LTDA"};
constexpr std::string_view kLabels[] = {"CPF"};

bool isDigit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
bool isSeparator(uint8_t byte) { return byte == '-' || byte == '.' || byte == '/'; }
uint8_t capital(uint8_t byte) { return byte >= 'a' && byte <= 'z' ? byte & ~32 : byte; }
bool isLetter(uint8_t byte) {
  return byte >= 0x80 || (capital(byte) >= 'A' && capital(byte) <= 'Z');
}

// The check digit behind so many digits of a CPF.
uint8_t checkDigit(const Digits& digits, size_t count) {
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += (digits[i] - size_t{'0'}) * (count + 1 - i);
  return static_cast<uint8_t>('0' + sum * 10 % 11 % 10);
}

// Whether eleven digits are a CPF: the check digits are right, and it is not one digit throughout.
bool isCpf(const Digits& digits) {
  const bool varied = std::any_of(digits.begin(), digits.end(),
                                  [&digits](uint8_t digit) { return digit != digits[0]; });
  return varied && checkDigit(digits, 9) == digits[9] && checkDigit(digits, 10) == digits[10];
}

// The end of a name without what stands at it of `noise`.
size_t trimmed(const uint8_t* name, size_t end, std::string_view noise) {
  while (end > 0 && noise.find(static_cast<char>(name[end - 1])) != std::string_view::npos) end--;
  return end;
}

// How long the word is, of these, that a name ends in; 0 for none of them.
size_t wordAt(const uint8_t* name, size_t end, std::span<const std::string_view> words) {
  for (const std::string_view word : words) {
    if (word.size() > end) continue;
    const uint8_t* const from = name + end - word.size();
    const bool same = std::equal(word.begin(), word.end(), from, [](char letter, uint8_t byte) {
      return static_cast<uint8_t>(letter) == capital(byte);
    });
    if (same && (from == name || !isLetter(from[-1]))) return word.size();
  }
  return 0;
}

// What stands behind the last number that a name may end in.
struct Ending {
  size_t at;          // where the number ends
  size_t form, size;  // place and length of the form of the company; no length without one
  bool closed;        // by a bracket
};

Ending endingOf(const uint8_t* name, size_t length) {
  size_t at = trimmed(name, length, kBehind);
  const size_t size = wordAt(name, at, kForms);
  const size_t form = at - size;
  if (size > 0) at = trimmed(name, form, kBehind);
  return {at, form, size, std::find(name + at, name + length, ')') != name + length};
}

// Eleven digits, and where they begin.
struct Number {
  size_t start = 0;
  Digits digits{};
  bool spaced = false;  // with blanks between its groups
};

// Reads the number that ends at `end`; false where there is none of eleven digits. Blanks stand
// only where a CPF is written in groups: 123 456 789 09.
bool readNumber(const uint8_t* name, size_t end, Number& number) {
  size_t count = 0;
  size_t p = end;
  for (; p > 0 && count < kDigits; p--) {
    const uint8_t byte = name[p - 1];
    if (isDigit(byte)) {
      number.digits[kDigits - ++count] = byte;
    } else if (byte == ' ' && count % 3 == 2) {
      number.spaced = true;
    } else if (count == 0 || !isSeparator(byte)) {
      return false;
    }
  }
  number.start = p;
  if (count < kDigits) return false;
  // The number goes on to the left: a digit, or a separator behind a digit.
  const bool digit = p > 0 && isDigit(name[p - 1]);
  return !digit && !(p > 1 && isSeparator(name[p - 1]) && isDigit(name[p - 2]));
}

// Whether a bracket was opened and is not closed yet.
bool isOpen(const uint8_t* name, size_t length) {
  const std::string_view text(reinterpret_cast<const char*>(name), length);
  const size_t open = text.rfind('(');
  return open != std::string_view::npos && text.find(')', open) == std::string_view::npos;
}

// Closes the gap that a number leaves; gives the length of the name.
size_t closeUp(uint8_t* name, size_t start, const Ending& ending) {
  size_t left = trimmed(name, start, kBefore);
  const size_t label = wordAt(name, left, kLabels);
  if (label > 0) left = trimmed(name, left - label, kBefore);
  if (ending.closed && isOpen(name, left)) name[left++] = ')';
  if (ending.size == 0) return left;
  if (left > 0) name[left++] = ' ';
  std::copy_n(name + ending.form, ending.size, name + left);
  return left + ending.size;
}

}  // namespace

size_t withoutCpf(uint8_t* name, size_t length, bool checked) {
  Number last;
  for (bool again = false;; again = true) {
    const Ending ending = endingOf(name, length);
    Number number;
    if (!readNumber(name, ending.at, number)) return length;
    const bool same = again && number.digits == last.digits;
    const bool plain = !checked && !again && !number.spaced && ending.size == 0;
    if (!same && !plain && !isCpf(number.digits)) return length;
    length = closeUp(name, number.start, ending);
    last = number;
  }
}

}  // namespace peneira
