/**
 * Qualities of contacts: an e-mail at a domain of its own, one that is not the accountant's. What
 * comes in: nothing. What goes out: rows for the table of wishes.
 * Invariant: what only says that contacts are shared can be left out and not be asked for.
 * Apart because each wish has dozens of names, made of the words for the contact.
 */
import { type FilterPhrase, type FoundFilters, positive } from "./phrase.ts";
import { OWN_EMAIL, PUBLIC_MAIL, SHARED_ONLY } from "./remarks.ts";

const MAILS = ["email", "e-mail", "correio eletrônico"];
const PHONES = ["telefone", "fone", "número", "phone", "phone number"];

/** Names with `@` for every word of a contact. */
function named(words: readonly string[], names: string): string {
  return names
    .split("|")
    .flatMap((name) => words.map((word) => name.replace("@", word)))
    .join("|");
}

/** May be said of the domain as well. */
const OWN_ALONE = "@ próprio|@ próprio da empresa|own @|@ of its own|@ of their own";
const OWN =
  "@ exclusivo|@ único|@ não compartilhado|@ só da empresa|@ exclusivo da empresa|" +
  "@ que não seja de contador|@ que não seja do escritório de contabilidade|" +
  "@ que não seja de contabilidade|@ que não é de contador|@ não seja de contador|" +
  "@ diferente do contador|@ que não se repete|@ sem ser de contador|" +
  "@ que não é compartilhado|@ que não seja compartilhado|@ não repetido|exclusive @|unique @|" +
  "unshared @|@ not shared|@ not shared with other companies|" +
  "@ not shared with others|@ that is not shared|@ that is not the accountant's|" +
  "@ não compartilhado com outras empresas|@ que não seja compartilhado com outras empresas";
const SHARED =
  "@ de contador|@ de contabilidade|@ de escritório de contabilidade|@ de contadora|" +
  "@ de escritório contábil|@ compartilhado|@ compartilhado com outras empresas|@ repetido|" +
  "@ de terceiros|shared @|accountant's @|accountants' @|accountant @|@ of accountants|" +
  "@ of accountant|@ from accountant|@ shared with other companies";
const DOMAIN =
  "@ de domínio próprio|@ com domínio próprio|@ domínio próprio|@ corporativo|@ empresarial|" +
  "@ institucional|@ profissional|@ com domínio da empresa|@ no domínio próprio|" +
  "@ de domínio da empresa|@ que não seja gmail|@ que não seja do gmail|@ que não é gmail|" +
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

const quality = (
  set: (found: FoundFilters) => void,
): Pick<FilterPhrase, "role" | "contact" | "counted" | "apply"> => ({
  ...{ role: "contact", contact: "other", counted: true },
  apply: positive(set),
});

/** What is only left out. */
const unwanted = (
  set: (found: FoundFilters) => void,
): Pick<FilterPhrase, "role" | "contact" | "counted" | "apply"> => ({
  ...{ role: "contact", contact: "other", counted: true },
  apply: (found, negated) => {
    if (!negated) return "cannot";
    set(found);
    return "set";
  },
});

const own = {
  email: (found: FoundFilters) => {
    found.emailOwn = true;
  },
  phone: (found: FoundFilters) => {
    found.phoneOwn = true;
  },
  domain: (found: FoundFilters) => {
    found.ownDomain = true;
  },
};

/** The rows of contacts of a quality. */
export const QUALITIES: readonly (readonly [names: string, phrase: FilterPhrase])[] = [
  [
    named(MAILS, OWN),
    quality((found) => {
      found.email = true;
      own.email(found);
    }),
  ],
  [
    named(MAILS, OWN_ALONE),
    {
      ...quality((found) => {
        found.email = true;
        own.email(found);
      }),
      assumption: OWN_EMAIL,
    },
  ],
  [
    named(PHONES, `${OWN}|${OWN_ALONE}`),
    quality((found) => {
      found.phone = true;
      own.phone(found);
    }),
  ],
  [named(MAILS, SHARED), { ...unwanted(own.email), cannot: SHARED_ONLY }],
  [named(PHONES, SHARED), { ...unwanted(own.phone), cannot: SHARED_ONLY }],
  [
    named(MAILS, DOMAIN),
    quality((found) => {
      found.email = true;
      own.domain(found);
    }),
  ],
  [DOMAIN_ALONE, quality(own.domain)],
  [named(MAILS, PUBLIC), { ...unwanted(own.domain), cannot: PUBLIC_MAIL }],
];
