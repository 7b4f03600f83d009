/**
 * Further sentences: codes of places, legal natures, words of names, contacts of people, typos in
 * request words, English, and Spanish. Output: texts, or texts to append to "padarias", each with
 * the result in the form of `conditions.test.ts`.
 * Invariant: the labels come from the meaning of the words.
 */
type Rows = readonly (readonly [text: string, summary: string])[];

/** A text that is longer than any that a spec accepts. */
const LONG = "b".repeat(300);

/** Rows by subject. */
export const STATED_ROWS: Readonly<Record<string, Rows>> = {
  NUMBERED_PLACES: [
    [" com ddd 11", "areas=11"],
    [" com telefone com DDD 81 e 87", "areas=81,87 phone=true"],
    ["bakeries in area code 41", "areas=41"],
    [" com CEP começando em 80.010-000 ou 81", "postal=80010000,81"],
    [" fora do ddd 11", "left=excluded_code(do ddd 11)"],
  ],
  ENDS: [
    [" inativas desde 2020", "status=1,3,4,8 changed=2020-01-01.."],
    [" baixadas em Recife em 2023", "status=8 changed=2023-01-01..2024-01-01 city=2611606"],
    [
      " suspensas em Recife há 3 anos",
      "status=3 changed=..2023-10-10 city=2611606 assumed=at_least",
    ],
    ["inactive bakeries since 2020", "status=1,3,4,8 changed=2020-01-01.."],
    ["bakeries shut down in 2021", "status=8 changed=2021-01-01..2022-01-01"],
    [" baixadas em Recife com mais de 5 anos", "status=8 before=2021-10-10 city=2611606"],
    ["closed bakeries opened since 2015", "status=8 from=2015-01-01"],
  ],
  LISTS: [
    [" que eu ainda não exportei", "left=list(que eu ainda não exportei) warned=uncertain"],
    [
      " em Recife exceto os já exportados",
      "city=2611606 left=list(exceto os já exportados) warned=uncertain",
    ],
    [
      " que não estão na lista Clientes MG",
      "left=list(que não estão na lista Clientes MG) warned=uncertain",
    ],
    [
      " da lista Prospects em Recife",
      "city=2611606 left=list(da lista Prospects) warned=uncertain",
    ],
    ["bakeries not in my Clients list", "left=list(not in my Clients list) warned=uncertain"],
    ["minha lista de padarias em Recife", "city=2611606"],
  ],
  NATURES: [
    [" LTDA", "nature=2062"],
    [" S/A", "nature=2046,2054"],
    [" S.A. com telefone", "nature=2046,2054 phone=true"],
    [" de capital fechado", "nature=2054"],
    ["cooperativas em Recife", "nature=2143,2330 city=2611606"],
    ["associações em Recife", "nature=3999 city=2611606"],
    ["igrejas em Recife", "city=2611606"],
    ["igrejas evangélicas em Recife", "city=2611606 assumed=kind_not_separated"],
    ["padarias e igrejas em Recife", "city=2611606"],
    [" que não sejam LTDA", "left=legal_form(que não sejam LTDA)"],
  ],
  NAMES: [
    [" com silva no nome fantasia", "words=silva"],
    [" cujo nome contém recife", "words=recife"],
    [" chamadas Pão Quente", "words=pao quente"],
    [' "pão quente" com e-mail', "words=pao quente email=true"],
    [" sem silva no nome", "left=excluded_name(sem silva no nome)"],
    [" com nome e telefone", "phone=true"],
    [` chamadas ${"a".repeat(80)}`, `words=${"a".repeat(80)}`],
    [` chamadas ${"a".repeat(81)}`, `left=name_limits(chamadas ${"a".repeat(81)})`],
    [` com flor ${LONG} no nome`, `left=name_limits(com flor ${LONG} no nome)`],
  ],
  PEOPLE: [
    ["whatsapp dos donos de padarias", "left=people(whatsapp dos donos)"],
    [" com e-mail do dono", "left=people(com e-mail do dono)"],
    [" com celular pessoal dos sócios", "left=people(com celular pessoal dos sócios)"],
    ["emails of those in charge of bakeries", "left=people(emails of those in charge)"],
    ["telefone de administradoras de condomínios", "phone=true"],
  ],
  QUALITIES: [
    [" com e-mail de domínio próprio", "email=true domain=true"],
    [" com domínio próprio", "domain=true"],
    [" com e-mail corporativo", "email=true domain=true"],
    [" sem gmail", "domain=true"],
    [" com gmail", "left=public_mail(gmail)"],
    [" sem e-mail de contador", "emailmax=1"],
    [" com e-mail que não seja de contador", "email=true emailmax=1"],
    [" com e-mail exclusivo", "email=true emailmax=1"],
    [" com e-mail de contador", "left=shared_contact(e-mail de contador)"],
    [" com telefone próprio", "phone=true phonemax=1"],
    [" sem telefone compartilhado", "phonemax=1"],
    ["bakeries with an email not shared with other companies", "email=true emailmax=1"],
    ["bakeries with their own domain e-mail", "email=true domain=true"],
    [" com telefone ou e-mail corporativo", "phone=true left=either_contact(e-mail corporativo)"],
  ],
  FURTHER: [
    ["bakeries, no more than 30", "limit=30"],
    [" em Recife email", "email=true city=2611606"],
    ["adegas de bebidas em Recife", "city=2611606"],
    [" que atendam condomínios em Recife", "city=2611606 left=audience(que atendam condomínios)"],
    ["panaderías en Curitiba con teléfono fijo", "landline=true city=4106902"],
    [
      "las panaderías más grandes de Curitiba",
      "sort=share_capital.desc city=4106902 assumed=largest_by_capital",
    ],
  ],
  UNITS: [
    [" com mais de 5 lojas", "units=6-"],
    ["redes de farmácia com 5 ou mais lojas", "units=5-"],
    ["chains of pharmacies with 5 or more stores", "units=5-"],
    ["redes de padarias, mais de 5 lojas", "units=6-"],
    [" com 10 unidades", "units=10- assumed=at_least"],
    [" com entre 3 e 8 lojas", "units=3-8"],
    [" com 2 ou 3 lojas", "units=2-3"],
    [" com no máximo 4 estabelecimentos", "units=-4"],
    [" com menos de 4 lojas", "units=-3"],
    [" que não tenham mais de 3 unidades", "units=-3"],
    [" com uma unidade só", "units=-1"],
    [" de loja única", "units=-1"],
    [" com apenas uma loja", "units=-1"],
    ["single-location bakeries", "units=-1"],
    [" com mais de 3 filiais", "units=5- assumed=branches_and_head_office"],
    [" com filiais", "units=2-"],
    [" que não tenham filiais", "units=-1"],
    [" com uma loja em Campinas", "city=3509502 left=unknown_words(loja)"],
    ["50 lojas de tintas com telefone", "phone=true limit=50"],
    [
      " com mais de 5 lojas e menos de 3 lojas",
      "units=6- left=contradiction(menos de 3 lojas) warned=contradiction,uncertain",
    ],
    ["panaderías con 5 o más tiendas", "units=5-"],
  ],
  BRANCHES: [
    ["só filiais de padarias", "branches=true"],
    [", só filiais", "branches=true"],
    ["branches of bakeries", "branches=true"],
    [" sem filiais", "heads=true assumed=heads_only"],
    [
      ", só matriz, só filiais",
      "heads=true left=contradiction(filiais) warned=contradiction,uncertain",
    ],
  ],
  SECONDARY: [
    ["empresas com atividade secundária de padaria", "secondary=1091-1/02,4721-1/02"],
    [" com lanchonete como atividade secundária", "secondary=5611-2/03"],
    [" com CNAE secundário 5611-2/01", "secondary=5611-2/01"],
    ["companies whose secondary activity is laundry", "secondary=9601-7/01"],
    [
      " que tenham café ou hotel como atividade secundária em Natal",
      "secondary=5510-8/01,5611-2/03 city=2408102",
    ],
    [" exceto com atividade secundária de bar", "left=excluded_secondary(bar)"],
    [
      ", atividade principal ou secundária",
      "left=either_activity(atividade principal ou secundária)",
    ],
    [" com atividade principal em Recife", "city=2611606"],
    [" em atividade", ""],
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
    ["padaria pr", "uf=PR"],
    ["padarias to com telefone", "phone=true uf=TO"],
    ["padarias ce marco", "city=2307809 assumed=state_of_cities"],
    ["padarias em pe de serra ba", "city=2924058"],
  ],
  KINDS: [
    ["lojas de roupas femininas em Recife", "city=2611606 assumed=kind_not_separated"],
    ["roupas infantis em Recife", "city=2611606 assumed=kind_not_separated"],
    [" que não são padarias", "left=contradiction(padarias) warned=contradiction,uncertain"],
  ],
  ORDERS_AND_NUMBERS: [
    ["bakeries in Recife, biggest capital first", "sort=share_capital.desc city=2611606"],
    ["quantas padarias existem em Recife?", "city=2611606"],
    ["me passa 30 padarias de Recife", "limit=30 city=2611606"],
    ["bakeries in Recife, simples only", "simples=true city=2611606"],
  ],
  SPANISH: [
    [
      "panaderías en Curitiba con correo electrónico y más de 5 años",
      "before=2021-10-10 email=true city=4106902",
    ],
    ["talleres mecánicos en Curitiba que no sean MEI", "mei=false city=4106902"],
    ["panaderías en São Bento do Una", "city=2613008"],
    ["dentistas en Curitiba sin sucursales", "heads=true city=4106902 assumed=heads_only"],
  ],
};
