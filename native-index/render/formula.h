// Formulas in free text: one rule for every format that a spreadsheet opens.
// Invariant: spreadsheets drop blanks, controls and invisible characters in front of a cell's text,
// so the rule looks past all of them.
#pragma once
#include <string_view>

namespace peneira {

// Returns whether a spreadsheet may run a text as a formula: its first visible character is
// = + - @ or the full-width form of one, or it begins with TAB or CR.
bool startsFormula(std::string_view text);

}  // namespace peneira
