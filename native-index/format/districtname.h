// How names of districts are compared, twin of src/spec/districtname.ts, whose header is the
// contract. What comes in: any bytes. What goes out: the name folded.
// Invariant: folding a folded name changes nothing; equal names fold to equal bytes in both twins.
#pragma once
#include <string>
#include <string_view>

namespace peneira {

// Appends the folded name to `folded`; nothing where the text is white space alone.
void foldDistrict(std::string_view text, std::string& folded);

}  // namespace peneira
