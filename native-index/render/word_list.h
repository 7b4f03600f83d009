// Words of values in files for people. Made from src/spec/fields/words.ts by headers.mjs.
// Invariant: nobody edits this file; `node build.mjs headers` makes it anew, and no build
// goes on while it is stale.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace peneira {

// Numbers of the words.
struct Words {
  enum Number : uint32_t {
    kYes = 0,
    kNo = 1,
    kHeadOffice = 2,
    kBranch = 3,
    kMobile = 4,
    kLandline = 5,
    kStatusNull = 6,
    kStatusActive = 7,
    kStatusSuspended = 8,
    kStatusUnfit = 9,
    kStatusClosed = 10,
    kPrimary = 11,
    kSecondary = 12,
    kEntered = 13,
    kLeft = 14,
    kChanged = 15,
    kSizeUnknown = 16,
    kSizeMicro = 17,
    kSizeSmall = 18,
    kSizeOther = 19,
    kCount = 20,
  };
};

// In Portuguese.
constexpr std::string_view kWordsPt[] = {
    "Sim",              // 0
    "Não",              // 1
    "Matriz",           // 2
    "Filial",           // 3
    "Celular",          // 4
    "Fixo",             // 5
    "Nula",             // 6
    "Ativa",            // 7
    "Suspensa",         // 8
    "Inapta",           // 9
    "Baixada",          // 10
    "Principal",        // 11
    "Secundária",       // 12
    "Entrou",           // 13
    "Saiu",             // 14
    "Mudou",            // 15
    "Não informado",    // 16
    "Microempresa",     // 17
    "Pequeno porte",    // 18
    "Médio ou grande",  // 19
};

// In English.
constexpr std::string_view kWordsEn[] = {
    "Yes",              // 0
    "No",               // 1
    "Head office",      // 2
    "Branch",           // 3
    "Mobile",           // 4
    "Landline",         // 5
    "Null",             // 6
    "Active",           // 7
    "Suspended",        // 8
    "Unfit",            // 9
    "Closed",           // 10
    "Primary",          // 11
    "Secondary",        // 12
    "Entered",          // 13
    "Left",             // 14
    "Changed",          // 15
    "Not informed",     // 16
    "Micro",            // 17
    "Small",            // 18
    "Medium or large",  // 19
};

}  // namespace peneira
