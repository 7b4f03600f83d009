// CPFs in names. What comes in: a clean name. What goes out: the name without the CPFs that it is
// or ends in.
// Invariant: a number inside a name stays. Behind the last one may stand punctuation, a bracket and
// the form of a company (ME, MEI); the form stays. The same as src/dump/cpf.ts, the twin.
#pragma once
#include <cstddef>
#include <cstdint>

namespace peneira {

// Shortens a name of `length` bytes in place; gives how many are left. With `checked` only numbers
// with the check digits of a CPF go; without it, also any eleven digits at the very end.
size_t withoutCpf(uint8_t* name, size_t length, bool checked);

}  // namespace peneira
