// The words that stand for values in files for people. `node build.mjs headers` generates this file
// from src/spec/fields/words.ts, src/spec/fields/reasons.ts, and src/spec/fields/reasons-en.ts.
// Invariant: edit the source, not this file. No build continues while this file is out of date.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace peneira {

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
    kReason = 20,
    kCityCode = 21,
    kCountryCode = 22,
    kCount = 23,
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
    "Motivo",           // 20
    "TOM",              // 21
    "País",             // 22
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
    "Reason",           // 20
    "TOM",              // 21
    "Country",          // 22
};

// Reasons of a registration status in Portuguese, indexed by code. Empty where a code has no words.
constexpr std::string_view kReasonsPt[] = {
    "Sem motivo",                                                                // 0
    "Encerramento por liquidação voluntária",                                    // 1
    "Incorporação",                                                              // 2
    "Fusão",                                                                     // 3
    "Cisão total",                                                               // 4
    "Encerramento da falência",                                                  // 5
    "Encerramento da liquidação",                                                // 6
    "Elevação a matriz",                                                         // 7
    "Trespasse",                                                                 // 8
    "Atividade não iniciada",                                                    // 9
    "Encerramento da liquidação judicial",                                       // 10
    "Anulação por multiplicidade de inscrições",                                 // 11
    "Anulação on-line de ofício",                                                // 12
    "Omissão contumaz",                                                          // 13
    "Omissa e não localizada",                                                   // 14
    "Inexistência de fato",                                                      // 15
    "Anulação por vícios",                                                       // 16
    "Baixa iniciada e em análise",                                               // 17
    "Interrupção temporária das atividades",                                     // 18
    "",                                                                          // 19
    "",                                                                          // 20
    "Pedido de baixa indeferido",                                                // 21
    "",                                                                          // 22
    "",                                                                          // 23
    "Emissão de certidão negativa",                                              // 24
    "",                                                                          // 25
    "",                                                                          // 26
    "",                                                                          // 27
    "Transferência de filial a matriz",                                          // 28
    "",                                                                          // 29
    "",                                                                          // 30
    "Extinção por unificação da filial",                                         // 31
    "",                                                                          // 32
    "Transferência de órgão local a filial do órgão regional",                   // 33
    "Anulação de inscrição indevida",                                            // 34
    "Empresa estrangeira aguardando documentação",                               // 35
    "Prática irregular de comércio exterior",                                    // 36
    "Baixa de produtor rural",                                                   // 37
    "Baixa deferida pela Receita (convenente analisa)",                          // 38
    "Baixa deferida pela Receita e indeferida pelo convenente",                  // 39
    "Baixa indeferida pela Receita (convenente analisa)",                        // 40
    "Baixa indeferida pela Receita e deferida pelo convenente",                  // 41
    "Baixa deferida pela Receita e pelo município (estado analisa)",             // 42
    "Baixa deferida pela Receita e indeferida pelo município (estado analisa)",  // 43
    "Baixa deferida pela Receita e pelo estado (município analisa)",             // 44
    "Baixa deferida pela Receita e indeferida pelo estado (município analisa)",  // 45
    "Baixa deferida pela Receita e pelo estado e indeferida pelo município",     // 46
    "Baixa deferida pela Receita e pelo município e indeferida pelo estado",     // 47
    "Baixa indeferida pela Receita e deferida pelo município (estado analisa)",  // 48
    "Baixa indeferida pela Receita e pelo município (estado analisa)",           // 49
    "Baixa indeferida pela Receita e deferida pelo estado (município analisa)",  // 50
    "Baixa indeferida pela Receita e pelo estado (município analisa)",           // 51
    "Baixa indeferida pela Receita e pelo município e deferida pelo estado",     // 52
    "Baixa indeferida pela Receita e pelo estado e deferida pelo município",     // 53
    "Extinção (tratamento diferenciado de ME e EPP - LC 123/2006)",              // 54
    "Deferida pelo convenente (Receita analisa)",                                // 55
    "",                                                                          // 56
    "",                                                                          // 57
    "",                                                                          // 58
    "",                                                                          // 59
    "Artigo 30 VI da IN 748/2007",                                               // 60
    "Indício de interposição fraudulenta",                                       // 61
    "Falta de pluralidade de sócios",                                            // 62
    "Omissão de declarações",                                                    // 63
    "Localização desconhecida",                                                  // 64
    "",                                                                          // 65
    "Inaptidão",                                                                 // 66
    "Registro cancelado",                                                        // 67
    "",                                                                          // 68
    "",                                                                          // 69
    "Anulação - registro do MEI não confirmado na junta comercial",              // 70
    "Inaptidão (artigo 54 da Lei 11941/2009)",                                   // 71
    "Determinação judicial",                                                     // 72
    "Omissão contumaz (coomissão)",                                              // 73
    "Inconsistência cadastral",                                                  // 74
    "Óbito do titular do MEI",                                                   // 75
    "",                                                                          // 76
    "",                                                                          // 77
    "",                                                                          // 78
    "",                                                                          // 79
    "Baixa registrada na junta e indeferida na Receita",                         // 80
    "Solicitação da administração tributária estadual ou municipal",             // 81
    "Suspensa perante a CVM (Comissão de Valores Mobiliários)",                  // 82
    "",                                                                          // 83
    "",                                                                          // 84
    "",                                                                          // 85
    "",                                                                          // 86
    "",                                                                          // 87
    "",                                                                          // 88
    "",                                                                          // 89
    "",                                                                          // 90
    "",                                                                          // 91
    "",                                                                          // 92
    "CNPJ do titular baixado",                                                   // 93
    "",                                                                          // 94
    "",                                                                          // 95
    "",                                                                          // 96
    "",                                                                          // 97
    "",                                                                          // 98
    "",                                                                          // 99
};

// The same reasons in English.
constexpr std::string_view kReasonsEn[] = {
    "No reason",                                                              // 0
    "Closed by voluntary liquidation",                                        // 1
    "Absorbed by another company",                                            // 2
    "Merger",                                                                 // 3
    "Total split",                                                            // 4
    "End of bankruptcy",                                                      // 5
    "End of liquidation",                                                     // 6
    "Made the head office",                                                   // 7
    "Transfer of the business",                                               // 8
    "Activity never begun",                                                   // 9
    "End of judicial liquidation",                                            // 10
    "Annulled as registered more than once",                                  // 11
    "Annulled online by the authority",                                       // 12
    "Persistent failure to file",                                             // 13
    "Failed to file and not found",                                           // 14
    "Does not exist in fact",                                                 // 15
    "Annulled for defects",                                                   // 16
    "Closing begun and under review",                                         // 17
    "Activities paused",                                                      // 18
    "",                                                                       // 19
    "",                                                                       // 20
    "Closing request denied",                                                 // 21
    "",                                                                       // 22
    "",                                                                       // 23
    "Clearance certificate issued",                                           // 24
    "",                                                                       // 25
    "",                                                                       // 26
    "",                                                                       // 27
    "Branch made the head office",                                            // 28
    "",                                                                       // 29
    "",                                                                       // 30
    "Closed as the branch was unified",                                       // 31
    "",                                                                       // 32
    "Local body made a branch of the regional body",                          // 33
    "Undue registration annulled",                                            // 34
    "Foreign company awaiting documents",                                     // 35
    "Irregular foreign trade",                                                // 36
    "Closing of a rural producer",                                            // 37
    "Closing granted by the Receita (partner body reviews)",                  // 38
    "Closing granted by the Receita and denied by the partner body",          // 39
    "Closing denied by the Receita (partner body reviews)",                   // 40
    "Closing denied by the Receita and granted by the partner body",          // 41
    "Closing granted by the Receita and the city (state reviews)",            // 42
    "Closing granted by the Receita and denied by the city (state reviews)",  // 43
    "Closing granted by the Receita and the state (city reviews)",            // 44
    "Closing granted by the Receita and denied by the state (city reviews)",  // 45
    "Closing granted by the Receita and the state and denied by the city",    // 46
    "Closing granted by the Receita and the city and denied by the state",    // 47
    "Closing denied by the Receita and granted by the city (state reviews)",  // 48
    "Closing denied by the Receita and the city (state reviews)",             // 49
    "Closing denied by the Receita and granted by the state (city reviews)",  // 50
    "Closing denied by the Receita and the state (city reviews)",             // 51
    "Closing denied by the Receita and the city and granted by the state",    // 52
    "Closing denied by the Receita and the state and granted by the city",    // 53
    "Closed under the rules for small companies (LC 123/2006)",               // 54
    "Granted by the partner body (Receita reviews)",                          // 55
    "",                                                                       // 56
    "",                                                                       // 57
    "",                                                                       // 58
    "",                                                                       // 59
    "Article 30 VI of IN 748/2007",                                           // 60
    "Signs of a fraudulent front",                                            // 61
    "Too few partners",                                                       // 62
    "Missing tax returns",                                                    // 63
    "Whereabouts unknown",                                                    // 64
    "",                                                                       // 65
    "Unfit",                                                                  // 66
    "Registration cancelled",                                                 // 67
    "",                                                                       // 68
    "",                                                                       // 69
    "Annulled - MEI not confirmed by the board of trade",                     // 70
    "Unfit (article 54 of Law 11941/2009)",                                   // 71
    "Court order",                                                            // 72
    "Persistent failure to file (joint)",                                     // 73
    "Inconsistent registration",                                              // 74
    "Death of the MEI",                                                       // 75
    "",                                                                       // 76
    "",                                                                       // 77
    "",                                                                       // 78
    "",                                                                       // 79
    "Closing registered by the board of trade and denied by the Receita",     // 80
    "Request of a state or city tax office",                                  // 81
    "Suspended before the securities commission (CVM)",                       // 82
    "",                                                                       // 83
    "",                                                                       // 84
    "",                                                                       // 85
    "",                                                                       // 86
    "",                                                                       // 87
    "",                                                                       // 88
    "",                                                                       // 89
    "",                                                                       // 90
    "",                                                                       // 91
    "",                                                                       // 92
    "CNPJ of the holder closed",                                              // 93
    "",                                                                       // 94
    "",                                                                       // 95
    "",                                                                       // 96
    "",                                                                       // 97
    "",                                                                       // 98
    "",                                                                       // 99
};

}  // namespace peneira
