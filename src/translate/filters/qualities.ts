/**
 * Generates the rows of the filter table for qualities of contacts (own domain, not the
 * accountant's).
 * Invariant: the quality "shared" can be excluded but not required.
 * Separate from the other filters because each filter has dozens of names, which are generated from
 * the words for the contact.
 */
import {
  type FilterPhrase,
  type FoundFilters,
  OWN_EMAIL,
  OWN_OF_PHONES,
  PUBLIC_MAIL,
  positive,
  SHARED_ONLY,
} from "./phrase.ts";

const MAILS = ["email", "e-mail", "correio eletrônico"];
const PHONES = ["telefone", "fone", "número", "phone", "phone number"];
const MOBILES = ["celular", "telefone celular", "mobile", "mobile phone", "cell phone"];
const LANDLINES = ["telefone fixo", "fixo", "landline", "landline phone"];

/**
 * Replaces `@` in names by every word for a contact, with the verb in the singular or plural to
 * match.
 */
function named(words: readonly string[], names: string): string {
  return names
    .split("|")
    .flatMap((name) => (PLURAL.has(verbOf(name)) ? [name, inPlural(name)] : [name]))
    .flatMap((name) => words.map((word) => name.replace("@", word)))
    .join("|");
}

const PLURAL: ReadonlyMap<string, string> = new Map([
  ...([
    ["seja", "sejam"],
    ["é", "são"],
    ["is", "are"],
    ["repete", "repetem"],
  ] as const),
]);

function verbOf(name: string): string {
  return name.split(" ").find((word) => PLURAL.has(word)) ?? "";
}

function inPlural(name: string): string {
  const verb = verbOf(name);
  return name.replace(` ${verb} `, ` ${PLURAL.get(verb)} `);
}

/** Names with "own", which for an e-mail may also describe its domain. */
const OWN_ALONE = "@ próprio|@ próprio da empresa|own @|@ of its own|@ of their own";
const OWN =
  "@ exclusivo|@ único|@ não compartilhado|@ só da empresa|@ exclusivo da empresa|" +
  "@ que não seja de contador|@ que não seja do escritório de contabilidade|" +
  "@ que não seja de contabilidade|@ que não é de contador|@ não seja de contador|" +
  "@ diferente do contador|@ que não se repete|@ sem ser de contador|" +
  "@ que não é compartilhado|@ que não seja compartilhado|@ não repetido|exclusive @|unique @|" +
  "unshared @|@ not shared|@ not shared with other companies|" +
  "@ not shared with others|@ that is not shared|@ that is not the accountant's|" +
  "@ não compartilhado com outras empresas|@ que não seja compartilhado com outras empresas|" +
  "@ não é compartilhado|@ não seja compartilhado|@ não é compartilhado com outras empresas|" +
  "@ não seja compartilhado com outras empresas|@ não é compartilhado com outra empresa|" +
  "@ não compartilhado com outra empresa|@ que não é compartilhado com outras empresas|" +
  "@ não é de contador|@ que não seja do contador|@ não seja do contador|@ não é do contador|" +
  "@ que não é do contador|@ que não seja o do contador|@ não seja o do contador|" +
  "@ sem ser compartilhado|@ sem ser do contador|@ só dela|@ só delas|@ só deles|" +
  "@ que ninguém mais usa|@ que ninguém mais tem|" +
  "@ não usado por outras empresas|" +
  "@ que não seja usado por outras empresas|@ que não seja de ninguém mais|" +
  "@ que não seja de outra empresa|@ que não seja de outras empresas|" +
  "@ no one else uses|@ nobody else uses|@ that no one else uses|@ that nobody else uses|" +
  "@ no one else has|@ nobody else has|@ that no other company uses|@ no other company uses|" +
  "@ used by no other company|@ not used by anyone else|@ not used by other companies|" +
  "@ not used by another company|@ is not shared|@ is not shared with other companies|" +
  "@ is not shared with others|@ that is not shared with other companies|" +
  "@ not shared with any other company|@ not shared with another company|" +
  "@ is not used by other companies|@ is not the accountant's|" +
  "@ not belonging to an accountant|@ that does not belong to an accountant";
const SHARED =
  "@ de contador|@ de contabilidade|@ de escritório de contabilidade|@ de contadora|" +
  "@ de escritório contábil|@ compartilhado|@ compartilhado com outras empresas|@ repetido|" +
  "@ de terceiros|shared @|accountant's @|accountants' @|accountant @|@ of accountants|" +
  "@ of accountant|@ from accountant|@ shared with other companies";
const DOMAIN =
  "@ de domínio próprio|@ com domínio próprio|@ domínio próprio|@ corporativo|@ empresarial|" +
  "@ institucional|@ profissional|@ com domínio da empresa|@ no domínio próprio|" +
  "@ de domínio da empresa|@ no domínio da própria empresa|@ no domínio da empresa|" +
  "@ com o domínio da própria empresa|@ com domínio da própria empresa|@ do próprio domínio|" +
  "@ no próprio domínio|@ de dominio propio|@ on the company's domain|" +
  "@ at the company's own domain|@ on the company's own domain|@ que não seja gmail|" +
  "@ que não seja do gmail|@ que não é gmail|" +
  "@ que não seja gratuito|@ que não seja público|@ diferente de gmail|non gmail @|corporate @|" +
  "business @|company @|professional @|own domain @|" +
  "@ at own domain|@ with own domain|@ on own domain|@ at their own domain|@ at its own domain|" +
  "@ with their own domain|@ on their own domain|company domain @";
const DOMAIN_ALONE =
  "domínio próprio|domínio próprio na internet|domínio da empresa|domínio de e-mail próprio|" +
  "domínio de email próprio|" +
  "domínio próprio de e-mail|own domain|own domain on the internet|own e-mail domain|" +
  "own email domain|company domain|domínio exclusivo";
const PUBLIC =
  "@ gratuito|@ genérico|@ do gmail|@ gmail|@ do hotmail|@ hotmail|@ público|free @|generic @|" +
  "@ de provedor gratuito|@ de provedor público|gmail|hotmail|@ do yahoo|public @";

type Quality = Pick<FilterPhrase, "role" | "contact" | "counted" | "apply">;

const quality = (set: (found: FoundFilters) => void): Quality => ({
  ...{ role: "contact", contact: "other", counted: true },
  apply: positive(set),
});

/** A quality only excluded. */
const unwanted = (set: (found: FoundFilters) => void): Quality => ({
  ...{ role: "contact", contact: "other", counted: true },
  apply: (found, negated) => {
    if (!negated) return "cannot";
    set(found);
    return "set";
  },
});

/** Contacts that may be exclusive to one company. */
type OwnContact = "email" | "phone" | "mobile" | "landline";

const isMail = (contact: OwnContact) => contact === "email";

function setOwn(found: FoundFilters, contact: OwnContact): void {
  if (isMail(contact)) found.emailOwn = true;
  else found.phoneOwn = true;
}

/**
 * Returns the phrase for a contact that no other company uses. The filter counts the users of all
 * phones of a company together.
 */
const own = (contact: OwnContact): FilterPhrase => ({
  ...quality((found) => {
    found[contact] = true;
    setOwn(found, contact);
  }),
  quality: "own",
  ...(contact === "mobile" || contact === "landline" ? { assumption: OWN_OF_PHONES } : {}),
});

/**
 * Returns the phrase for a contact described only as "own". For an e-mail, this may also mean its
 * domain.
 */
const ownAlone = (contact: OwnContact): FilterPhrase => ({
  ...own(contact),
  quality: "own_alone",
  ...(isMail(contact) ? { assumption: OWN_EMAIL } : {}),
});

const shared = (contact: OwnContact): FilterPhrase => ({
  ...unwanted((found) => setOwn(found, contact)),
  ...{ quality: "shared", cannot: SHARED_ONLY },
});

/** For each contact that can have a quality, the words for it. */
const CONTACTS: readonly (readonly [contact: OwnContact, words: readonly string[]])[] = [
  ["email", MAILS],
  ["phone", PHONES],
  ["mobile", MOBILES],
  ["landline", LANDLINES],
];

/** The filter phrase for each quality and each contact. */
export const OF_QUALITY: Readonly<
  Record<NonNullable<FilterPhrase["quality"]>, ReadonlyMap<string, FilterPhrase>>
> = {
  own: new Map(CONTACTS.map(([contact]) => [contact, own(contact)])),
  own_alone: new Map(CONTACTS.map(([contact]) => [contact, ownAlone(contact)])),
  shared: new Map(CONTACTS.map(([contact]) => [contact, shared(contact)])),
};

const NAMES = { own: OWN, own_alone: OWN_ALONE, shared: SHARED };

/** The phrase for an e-mail at the company's own domain. */
export const OWN_DOMAIN: FilterPhrase = quality((found) => {
  found.ownDomain = true;
});

/** The rows of the filter table for all qualities. */
export const QUALITIES: readonly (readonly [names: string, phrase: FilterPhrase])[] = [
  ...(["own", "own_alone", "shared"] as const).flatMap((quality) =>
    CONTACTS.map(([contact, words]) => {
      return [
        named(words, NAMES[quality]),
        OF_QUALITY[quality].get(contact) as FilterPhrase,
      ] as const;
    }),
  ),
  [
    named(MAILS, DOMAIN),
    quality((found) => {
      found.email = true;
      found.ownDomain = true;
    }),
  ],
  [DOMAIN_ALONE, OWN_DOMAIN],
  [
    named(MAILS, PUBLIC),
    {
      ...unwanted((found) => {
        found.ownDomain = true;
      }),
      cannot: PUBLIC_MAIL,
    },
  ],
];
