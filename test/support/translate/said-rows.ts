/**
 * What sentences say beside the wishes of old: codes of places, legal natures, words of names,
 * contacts of people, slips in words of wishes, English and Spanish. What goes out: texts, or what
 * stands behind "padarias", with what they become as `wishes.test.ts` sums it up.
 * Invariant: labelled from the meaning of the words.
 */
type Rows = readonly (readonly [text: string, summary: string])[];

/** Rows by what they are about. */
export const SAID_ROWS: Readonly<Record<string, Rows>> = {
  NUMBERED_PLACES: [
    [" com ddd 11", "areas=11"],
    [" com telefone com DDD 81 e 87", "areas=81,87 phone=true"],
    ["bakeries in area code 41", "areas=41"],
    [" com CEP começando em 80.010-000 ou 81", "postal=80010000,81"],
    [" fora do ddd 11", "left=excluded_code(do ddd 11)"],
  ],
  NATURES: [
    [" LTDA", "nature=2062"],
    [" S/A", "nature=2046,2054"],
    [" S.A. com telefone", "nature=2046,2054 phone=true"],
    [" de capital fechado", "nature=2054"],
    ["cooperativas em Recife", "nature=2143,2330 city=2611606"],
    ["associações em Recife", "nature=3999 city=2611606"],
    ["igrejas em Recife", "nature=3220 city=2611606"],
    ["igrejas evangélicas em Recife", "city=2611606 assumed=kind_not_separated"],
    ["padarias e igrejas em Recife", "city=2611606"],
    [" que não sejam LTDA", "left=legal_form(não sejam LTDA)"],
  ],
  NAMES: [
    [" com silva no nome fantasia", "words=silva"],
    [" cujo nome contém recife", "words=recife"],
    [" chamadas Pão Quente", "words=pao quente"],
    [' "pão quente" com e-mail', "words=pao quente email=true"],
    [" sem silva no nome", "left=excluded_name(sem silva no nome)"],
    [" com nome e telefone", "phone=true"],
  ],
  PEOPLE: [
    ["whatsapp dos donos de padarias", "left=people(whatsapp dos donos)"],
    [" com e-mail do dono", "left=people(com e-mail do dono)"],
    [" com celular pessoal dos sócios", "left=people(com celular pessoal dos sócios)"],
    ["emails of those in charge of bakeries", "left=people(emails of those in charge)"],
    ["telefone de administradoras de condomínios", "phone=true"],
  ],
  AMOUNTS: [
    [" com capital acima de meio milhão", "min=500000"],
    [" com capital acima de um milhão e meio", "min=1500000"],
    ["bakeries with capital over half a million", "min=500000"],
  ],
  SLIPS: [
    [" com emial", "email=true assumed=spelling"],
    [" exeto MEI", "mei=false assumed=spelling"],
    [" abretas desde 2020", "from=2020-01-01 assumed=spelling"],
  ],
  NAMES_OF_PLACES: [
    [" em Juiz de Fora com mais de 5 anos", "before=2021-10-10 city=3136702"],
    [" em Juiz de Fora que não sejam MEI", "mei=false city=3136702"],
    [" em Sem-Peixe/MG com telefone", "phone=true city=3165560"],
    [" no Pará com mais de 5 anos", "before=2021-10-10 uf=PA"],
    [" com maior capital em Goiás", "sort=share_capital.desc uf=GO"],
    [" em Curitiba do Simples", "simples=true city=4106902"],
    [" em Natal de pequeno porte", "size=03 city=2408102"],
    ["padaria contagem mg", "city=3118601"],
    ["padaria bauru sp", "city=3506003"],
  ],
  SPANISH: [
    [
      "panaderías en Curitiba con correo electrónico y más de 5 años",
      "before=2021-10-10 email=true city=4106902",
    ],
    ["talleres mecánicos en Curitiba que no sean MEI", "mei=false city=4106902"],
    ["panaderías en São Bento do Una", "city=2613008"],
    ["dentistas en Curitiba sin sucursales", "heads=true city=4106902"],
  ],
};
