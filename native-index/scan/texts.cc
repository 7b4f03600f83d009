// Cleans texts (see texts.h).
// Invariant: the fast copy of plain ASCII and the thorough copy write the same bytes.
#include "scan/texts.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "scan/dump_record.h"

namespace peneira {
namespace {

// Maximum length of an e-mail address in SMTP (RFC 5321: 256 with its angle brackets).
constexpr size_t kEmailBytesMax = 254;
constexpr size_t kLocalBytesMax = 64;
// Maximum number of bytes that one byte can become: a malformed byte becomes U+FFFD, and a quote
// U+201C.
constexpr size_t kGrowth = 3;

bool isDigit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
bool isEmailBlank(uint8_t byte) { return byte <= ' ' || byte == 0xa0; }

// Returns the visible ASCII characters that may precede the @ of an address without quotes.
constexpr std::array<bool, 256> localBytes() {
  std::array<bool, 256> allowed{};
  constexpr std::string_view quoted = "\"(),:;<>@[\\]";
  for (size_t byte = '!'; byte < 127; byte++) {
    allowed[byte] = quoted.find(static_cast<char>(byte)) == std::string_view::npos;
  }
  return allowed;
}

constexpr std::array<bool, 256> kLocalBytes = localBytes();

bool isLocal(const uint8_t* start, const uint8_t* end) {
  if (end == start || static_cast<size_t>(end - start) > kLocalBytesMax) return false;
  return std::all_of(start, end, [](uint8_t byte) { return kLocalBytes[byte]; });
}

// True if the text is a domain: two or more labels of letters, digits, and inner hyphens, the last
// with two or more letters.
bool isDomain(const uint8_t* start, const uint8_t* end) {
  size_t labels = 0;
  const uint8_t* first = start;
  bool lettersOnly = true;
  for (const uint8_t* p = start;; p++) {
    if (p == end || *p == '.') {
      if (p == first || *first == '-' || p[-1] == '-') return false;
      labels++;
      if (p == end) return labels >= 2 && lettersOnly && p - first >= 2;
      first = p + 1;
      lettersOnly = true;
    } else if (*p < 'a' || *p > 'z') {
      if (*p != '-' && !isDigit(*p)) return false;
      lettersOnly = false;
    }
  }
}

// Kind of a Windows-1252 byte in a text; kinds below kBlank are written.
enum ByteKind : uint8_t { kPlain, kWindows, kBlank, kControl };

// Characters of the bytes 80 to 9F, with 0 for the five that Windows-1252 leaves undefined.
constexpr uint16_t kWindowsCharacters[] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
};

constexpr ByteKind kindOf(uint32_t byte) {
  if (byte == ' ' || byte == 0xa0 || byte == '\t' || byte == '\n' || byte == '\r') return kBlank;
  if (byte < ' ' || byte == 0x7f) return kControl;
  if (byte < 0x80 || byte >= 0xa0) return kPlain;
  return kWindowsCharacters[byte - 0x80] == 0 ? kControl : kWindows;
}

constexpr std::array<ByteKind, 256> byteKinds() {
  std::array<ByteKind, 256> kinds{};
  for (uint32_t byte = 0; byte < 256; byte++) kinds[byte] = kindOf(byte);
  return kinds;
}

constexpr std::array<ByteKind, 256> kByteKinds = byteKinds();

// Writes the character of a byte that is neither ASCII nor blank.
uint8_t* writeCharacter(uint8_t byte, uint8_t* to) {
  const uint32_t character = byte < 0xa0 ? kWindowsCharacters[byte - 0x80] : byte;
  if (character < 0x800) {
    *to++ = static_cast<uint8_t>(0xc0 | (character >> 6));
  } else {
    *to++ = static_cast<uint8_t>(0xe0 | (character >> 12));
    *to++ = static_cast<uint8_t>(0x80 | ((character >> 6) & 0x3f));
  }
  *to++ = static_cast<uint8_t>(0x80 | (character & 0x3f));
  return to;
}

// True if a valid multi-byte sequence is a control, a line or paragraph separator, or a
// bidirectional control.
bool isControlSequence(const uint8_t* p) {
  if (p[0] == 0xc2) return p[1] < 0xa0;
  if (p[0] == 0xd8) return p[1] == 0x9c;
  if (p[0] != 0xe2) return false;
  if (p[1] == 0x81) return p[2] >= 0xa6 && p[2] <= 0xa9;
  return p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae));
}

constexpr uint8_t kEscape = 0x1b;

// Returns the end of the blank or control of `length` bytes at `p`. If ESC [ begins a CSI sequence
// (ECMA-48, 5.4), skips its parameters, intermediates, and final byte.
const uint8_t* endOfControl(const uint8_t* p, size_t length, const uint8_t* end) {
  const uint8_t* const after = p + length;
  if (*p != kEscape || after == end || *after != '[') return after;
  const uint8_t* at = after + 1;
  while (at < end && *at >= 0x30 && *at <= 0x3f) at++;
  while (at < end && *at >= 0x20 && *at <= 0x2f) at++;
  return at < end && *at >= 0x40 && *at <= 0x7e ? at + 1 : after;
}

}  // namespace

// Reserves `more` bytes, plus the bytes that the copy writes past the end.
uint8_t* TextSink::reserve(size_t more) {
  const size_t needed = length_ + more + kSearchMargin;
  if (needed > bytes_.size()) bytes_.resize(std::max(needed, bytes_.size() * 2));
  return bytes_.data() + length_;
}

size_t TextSink::addText(DumpField field) {
  const size_t length = field.size();
  if (length == 0) return 0;
  uint8_t* const to = reserve(kGrowth * length);
  const bool plain = portable_ ? PortableSearch::copyPlain(field.start, length, to)
                               : VectorSearch::copyPlain(field.start, length, to);
  // The fast copy accepts one irregularity, a blank at the end of the text. This blank is dropped
  // here.
  const size_t written = plain ? length - (to[length - 1] == ' ' ? 1 : 0) : addCarefully(field, to);
  length_ += written;
  return written;
}

// Returns the number of bytes written.
size_t TextSink::addCarefully(DumpField field, uint8_t* to) {
  encoding_.count(field);
  uint8_t* const end = encoding_.utf8 ? squeezeUtf8(field, to) : squeeze(field, to);
  return static_cast<size_t>(end - to);
}

// Copies any text: white space, controls, and CSI sequences become single blanks, and Windows-1252
// becomes UTF-8.
uint8_t* TextSink::squeeze(DumpField field, uint8_t* to) {
  const uint8_t* const start = to;
  bool gap = false, windows = false, control = false;
  for (const uint8_t* p = field.start; p < field.end;) {
    const ByteKind kind = kByteKinds[*p];
    if (kind >= kBlank) {
      control |= kind == kControl;
      gap = true;
      p = endOfControl(p, 1, field.end);
      continue;
    }
    if (gap && to > start) *to++ = ' ';
    gap = false;
    windows |= kind == kWindows;
    if (*p < 0x80) {
      *to++ = *p;
    } else {
      to = writeCharacter(*p, to);
    }
    p++;
  }
  windows_ += windows ? 1 : 0;
  controls_ += control ? 1 : 0;
  return to;
}

// Like `squeeze` for UTF-8: a malformed sequence becomes U+FFFD.
uint8_t* TextSink::squeezeUtf8(DumpField field, uint8_t* to) {
  const uint8_t* const start = to;
  bool gap = false, anyControl = false;
  for (const uint8_t* p = field.start; p < field.end;) {
    const bool ascii = *p < 0x80;
    const Utf8Sequence sequence = ascii ? Utf8Sequence{1, true} : readUtf8(p, field.end);
    const bool wideBlank = sequence.length == 2 && p[0] == 0xc2 && p[1] == 0xa0;
    const bool control =
        ascii ? kByteKinds[*p] == kControl : sequence.right && isControlSequence(p);
    anyControl |= control;
    if (control || (ascii ? kByteKinds[*p] == kBlank : wideBlank)) {
      gap = true;
      p = endOfControl(p, sequence.length, field.end);
      continue;
    }
    if (gap && to > start) *to++ = ' ';
    gap = false;
    constexpr uint8_t replacement[] = {0xef, 0xbf, 0xbd};
    to = sequence.right ? std::copy_n(p, sequence.length, to) : std::copy_n(replacement, 3, to);
    p += sequence.length;
  }
  controls_ += anyControl ? 1 : 0;
  return to;
}

size_t TextSink::addTexts(DumpField first, DumpField second) {
  const size_t before = addText(first);
  if (before == 0) return addText(second);
  *reserve(1) = ' ';
  length_++;
  const size_t after = addText(second);
  if (after > 0) return before + 1 + after;
  length_--;
  return before;
}

Answer TextSink::addEmail(DumpField field) {
  while (field.start < field.end && isEmailBlank(*field.start)) field.start++;
  while (field.start < field.end && isEmailBlank(field.end[-1])) field.end--;
  if (field.empty()) return kAbsent;
  constexpr Answer odd = oddBy(Rules::kEmailInvalid);
  if (field.size() > kEmailBytesMax) return odd;
  uint8_t* const to = reserve(field.size());
  uint8_t* write = to;
  const uint8_t* sign = nullptr;
  for (const uint8_t* p = field.start; p < field.end; p++) {
    if (*p == '@') {
      if (sign != nullptr) return odd;
      sign = write;
    }
    *write++ = *p >= 'A' && *p <= 'Z' ? *p | 32 : *p;
  }
  if (sign == nullptr || !isLocal(to, sign) || !isDomain(sign + 1, write)) return odd;
  length_ += field.size();
  return static_cast<Answer>(field.size());
}

size_t TextSink::removeCpf(size_t length, bool checked) {
  const size_t left = withoutCpf(bytes_.data() + (length_ - length), length, checked);
  length_ -= length - left;
  return left;
}

// The removal of CPFs. Invariant: each iteration removes a whole number from the name, so the loop
// ends; nothing is written past the name.

namespace {

constexpr size_t kDigits = 11;
using Digits = std::array<uint8_t, kDigits>;

// Characters that may stand between a name and the number after it (kBefore), and characters that
// may follow the number (kTrailing).
constexpr std::string_view kBefore = " ,-:;/([";
constexpr std::string_view kTrailing = " ,-:;/()[].";
// Company forms that may follow the CPF of a person.
constexpr std::string_view kForms[] = {"ME", "MEI", "EPP", "EI", "EIRELI", "LTDA"};
constexpr std::string_view kLabels[] = {"CPF"};

bool isSeparator(uint8_t byte) { return byte == '-' || byte == '.' || byte == '/'; }
uint8_t capital(uint8_t byte) { return byte >= 'a' && byte <= 'z' ? byte & ~32 : byte; }
bool isLetter(uint8_t byte) {
  return byte >= 0x80 || (capital(byte) >= 'A' && capital(byte) <= 'Z');
}

uint8_t checkDigit(const Digits& digits, size_t count) {
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += (digits[i] - size_t{'0'}) * (count + 1 - i);
  return static_cast<uint8_t>('0' + sum * 10 % 11 % 10);
}

// True if eleven digits are a CPF: the check digits are right, and not all digits are equal.
bool isCpf(const Digits& digits) {
  const bool varied = std::any_of(digits.begin(), digits.end(),
                                  [&digits](uint8_t digit) { return digit != digits[0]; });
  return varied && checkDigit(digits, 9) == digits[9] && checkDigit(digits, 10) == digits[10];
}

// Returns the end of a name without its trailing `noise` characters.
size_t trimmed(const uint8_t* name, size_t end, std::string_view noise) {
  while (end > 0 && noise.find(static_cast<char>(name[end - 1])) != std::string_view::npos) end--;
  return end;
}

// Returns the length of the word in `words` with which a name ends, or 0 if there is none.
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

// The text that follows the number at the end of a name.
struct Ending {
  size_t at;          // end of the number
  size_t form, size;  // offset and length of the company form; length 0 if none
  bool closed;        // by a bracket
};

Ending endingOf(const uint8_t* name, size_t length) {
  size_t at = trimmed(name, length, kTrailing);
  const size_t size = wordAt(name, at, kForms);
  const size_t form = at - size;
  if (size > 0) at = trimmed(name, form, kTrailing);
  return {at, form, size, std::find(name + at, name + length, ')') != name + length};
}

// A number of eleven digits, and where it begins in the name.
struct Number {
  size_t start = 0;
  Digits digits{};
  bool spaced = false;  // with blanks between its groups
};

// Reads the number that ends at `end`; returns false unless it has eleven digits. Blanks are
// allowed only between the groups of a CPF: 123 456 789 09.
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
  // A digit before the number, or a separator after a digit, means that the number has more than
  // eleven digits.
  const bool digit = p > 0 && isDigit(name[p - 1]);
  return !digit && !(p > 1 && isSeparator(name[p - 1]) && isDigit(name[p - 2]));
}

// True if the text opens a bracket that it does not close.
bool isOpen(const uint8_t* name, size_t length) {
  const std::string_view text(reinterpret_cast<const char*>(name), length);
  const size_t open = text.rfind('(');
  return open != std::string_view::npos && text.find(')', open) == std::string_view::npos;
}

// Closes the gap that a removed number leaves. Returns the length of the name.
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
