/**
 * What a wish of the table is: the form of a wish, what the wishes of a sentence set, the kinds of
 * wishes that several tables have, and the remarks about wishes that are taken for less, or for
 * something else, than they say.
 * Invariant: a wish says for both polarities what it does; codes of remarks are stable, and their
 * sentences are for people, in both languages.
 */
import type { Sentences } from "../notes.ts";
import type { TokenRole } from "../words/sentence.ts";

/** A remark with its stable code. */
export interface Remark extends Sentences {
  readonly code: string;
}

/** Sizes above small are one code. */
export const LARGE: Remark = {
  code: "size_other",
  pt: "A Receita não diferencia médias de grandes: as duas são “demais” (05).",
  en: 'The registry does not tell medium from large companies: both are "other" (05).',
};
/** Other regimes than Simples are not told apart. */
export const REGIME: Remark = {
  code: "tax_regime",
  pt: "A Receita só informa quem é do Simples: entendido como “fora do Simples”.",
  en: 'The registry only tells who is in Simples: taken for "not in Simples".',
};
/** A mobile beside another kind of contact is no choice that a filter takes. */
export const EITHER_KIND: Remark = {
  code: "either_contact",
  pt: "Nenhum filtro aceita um destes contatos ou o outro: aceito qualquer telefone ou e-mail.",
  en: "No filter takes the one or the other of these: any phone or e-mail was taken.",
};
/** A quality of a contact is required, or it is not. */
export const EITHER_QUALITY: Remark = {
  code: "either_contact",
  pt: "Nenhum filtro aceita um destes contatos ou o outro.",
  en: "No filter takes the one or the other of these contacts.",
};
/** Web sites and profiles are contacts that the registry does not have. */
export const SITE: Remark = {
  code: "site",
  pt: "A Receita não informa sites. Outro filtro: “com domínio próprio”, o do e-mail da empresa.",
  en: 'The registry has no web sites. Another filter: "own domain", that of its e-mail.',
};
/** A site of its own has a domain of its own, which an e-mail may tell. */
export const OWN_SITE: Remark = {
  code: "site_as_domain",
  pt: "A Receita não informa sites: exigido um e-mail de domínio próprio.",
  en: "The registry has no web sites: an e-mail at a domain of its own was required.",
};
/** What several companies share can only be left out. */
export const SHARED_ONLY: Remark = {
  code: "shared_contact",
  pt: "Nenhum filtro exige um contato compartilhado; há “exclusivo” e “usado por até 3 empresas”.",
  en: 'No filter takes shared contacts only; there are "own" and "used by at most 3 companies".',
};
/** A domain of its own can only be required. */
export const PUBLIC_MAIL: Remark = {
  code: "public_mail",
  pt: "Nenhum filtro exige um e-mail sem domínio próprio.",
  en: "No filter takes e-mails without a domain of their own only.",
};
/** The snapshot is of an earlier version. */
export const NOT_COUNTED: Remark = {
  code: "not_counted",
  pt: "O snapshot foi importado por uma versão anterior, que não contava isso.",
  en: "The snapshot was imported by an earlier version, which did not count this.",
};
/** Branches are one more establishment than they are. */
export const BRANCH_COUNT: Remark = {
  code: "branches_and_head_office",
  pt: "Filiais contadas com a matriz, como estabelecimentos ativos da empresa.",
  en: "Branches were counted with the head office, as active establishments of the company.",
};
/** Messengers are not in the registry. */
export const WHATSAPP: Remark = {
  code: "whatsapp",
  pt: "A Receita não informa quem tem WhatsApp: exigido um celular.",
  en: "The registry does not tell who has WhatsApp: a mobile was required.",
};
/** Head offices are listed, those of companies with branches among them. */
export const HEADS: Remark = {
  code: "heads_only",
  pt: "Entendido como só matrizes. Para empresas sem nenhuma filial: “com uma unidade só”.",
  en: 'Taken for head offices only. For companies without branches: "with one unit only".',
};
/** What companies were is not in the registry. */
export const HISTORY: Remark = {
  code: "regime_history",
  pt: "A Receita só informa o regime de hoje, não o de antes.",
  en: "The registry only tells the regime of today, not that of before.",
};
/** Of two readings of "own e-mail" the one that was taken. */
export const OWN_EMAIL: Remark = {
  code: "own_email",
  pt: "Entendido como e-mail de nenhuma outra empresa. Outro filtro: “e-mail de domínio próprio”.",
  en: 'Taken for an e-mail of no other company. Another filter: "e-mail at own domain".',
};
/** A filter counts the holders of the phones of a company together. */
export const OWN_OF_PHONES: Remark = {
  code: "own_of_phones",
  pt: "Um dos telefones da empresa não é de nenhuma outra; pode não ser o celular ou o fixo.",
  en: "One of the phones is of no other company; it need not be the mobile or the landline.",
};
/** What is said once of several contacts. */
export const SAID_OF_ALL: Remark = {
  code: "said_of_all_contacts",
  pt: "Foi entendido de todos os contatos da lista, não só do que está ao lado.",
  en: "This was taken to be said of every contact of the list, not of the one next to it only.",
};
/** What need not be had asks for nothing. */
export const PREFERENCE: Remark = {
  code: "preference",
  pt: "Uma preferência não é um filtro: não foi exigido.",
  en: "A preference is no filter: this was not required.",
};
/** Branches and head offices are no choice of a wish that says both. */
export const BRANCHES: Remark = {
  code: "branches",
  pt: "Não há filtro para isso; há para só filiais, só matrizes e para o número de unidades.",
  en: "No filter takes this; there are some for branches or head offices only, and for how many.",
};
/** Whom companies serve is not in the registry. */
export const AUDIENCE: Remark = {
  code: "audience",
  pt: "Diz a quem as empresas servem; não há filtro para isso.",
  en: "This says whom the companies serve; there is no filter for it.",
};
/** Who asks is not who is sought. */
export const WRITER: Remark = {
  code: "writer",
  pt: "Diz quem procura, não o que se procura.",
  en: "This says who is asking, not what is sought.",
};
/** What the writer sells is not what is sought. */
export const OWN_OFFER: Remark = {
  code: "own_offer",
  pt: "Diz o que você oferece, quem é ou onde fica, não o que se procura.",
  en: "This says what you offer, who you are, or where, not what is sought.",
};
/** Quality is not in the registry. */
export const BEST: Remark = {
  code: "quality",
  pt: "A Receita não informa quais são as melhores.",
  en: "The registry does not tell which are the best.",
};
/** Nothing is grouped by place. */
export const PER_PLACE: Remark = {
  code: "per_place",
  pt: "Não se ordena nem se limita por lugar.",
  en: "Nothing is sorted or limited by place.",
};
/** Random order needs a seed. */
export const RANDOM: Remark = {
  code: "random_order",
  pt: "Uma frase não pede ordem aleatória: ela precisa de uma semente.",
  en: "A sentence cannot ask for random order, which needs a seed.",
};
/** No filter leaves a legal form out. */
export const LEGAL: Remark = {
  code: "legal_form",
  pt: "Nenhum filtro exclui uma natureza jurídica.",
  en: "No filter leaves a legal nature out.",
};
/** Why no filter takes a wish of a role that says nothing of its own. */
export function cannot(role: TokenRole): Remark {
  if (role === "contact") {
    const code = "without_contact";
    return {
      code,
      pt: "Não há filtro por falta de contato.",
      en: "No filter takes a missing contact.",
    };
  }
  return { code: "no_filter", pt: "Não há filtro para isso.", en: "There is no filter for this." };
}

/** A key of the order of accounts. */
export interface SortPhrase {
  readonly field: string;
  direction: "asc" | "desc";
  /** Only the field was said: "por data de abertura". */
  readonly implied: boolean;
  /** Said without naming the field: "as maiores". */
  readonly vague: boolean;
}

/** What the wishes of a sentence set. */
export interface FoundFilters {
  readonly statuses: Set<number>;
  readonly excludedStatuses: Set<number>;
  readonly sizes: Set<string>;
  readonly excludedSizes: Set<string>;
  mei: boolean | null;
  simples: boolean | null;
  headquarters: boolean;
  branches: boolean;
  email: boolean;
  phone: boolean;
  contact: boolean;
  mobile: boolean;
  landline: boolean;
  ownDomain: boolean;
  emailOwn: boolean;
  phoneOwn: boolean;
  anyStatus: boolean;
  readonly natures: Set<string>;
  readonly sort: SortPhrase[];
  /** "em ordem decrescente", said before the field. */
  direction: "asc" | "desc" | null;
}

/** What became of a wish: no filter takes it, or what was said before excludes it. */
export type Outcome = "set" | "cannot" | "contradiction";

/** Sets what a wish asks for in the polarity that it has. */
export type Apply = (found: FoundFilters, negated: boolean) => Outcome;

/** One kind of wish, beside its names. */
export interface FilterPhrase {
  readonly role: TokenRole;
  readonly apply: Apply;
  /** It was taken for less, or for something else, than it says. */
  readonly warning?: Remark;
  /** What a person would assume and was not said. */
  readonly assumption?: Remark;
  /** Why no filter takes it. */
  readonly cannot?: Remark;
  /**
   * The contact that it asks for; "other" for one of a quality, which is no choice of a kind, and
   * "site" for one that the registry does not have.
   */
  readonly contact?: "email" | "phone" | "contact" | "mobile" | "landline" | "other" | "site";
  /** What it says of the contact, which may be said of a list of contacts. */
  readonly quality?: "own" | "own_alone" | "shared";
  /** It asks for what is counted at an import, which older snapshots lack. */
  readonly counted?: true;
  /** Only behind a word such as "por": "por nome". */
  readonly led?: true;
  /** It names a trade, too. */
  readonly trade?: boolean;
}

/** What is set where it is wanted; its lack is in no filter. */
export const positive =
  (set: (found: FoundFilters) => void): Apply =>
  (found, negated) => {
    if (negated) return "cannot";
    set(found);
    return "set";
  };

/** A contact that accounts must have. */
export const contact = (field: "email" | "phone" | "contact" | "mobile" | "landline") => ({
  ...{ role: "contact" as const, contact: field },
  apply: positive((found) => {
    found[field] = true;
  }),
});
