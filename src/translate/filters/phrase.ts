/**
 * Defines a filter phrase, the filters that a sentence sets, phrases shared by several tables, and
 * remarks. A remark says that a phrase was narrowed, reinterpreted, or has no filter.
 * Invariant: a phrase defines its effect when it is required and when it is excluded. Codes of
 * remarks are stable. Their sentences are for people, in both languages.
 */
import type { OptionalData } from "../../spec/catalog.ts";
import type { Sentences } from "../notes.ts";
import type { TokenRole } from "../words/sentence.ts";

/** A remark with its stable code. */
export interface Remark extends Sentences {
  readonly code: string;
}

/** In the registry, medium and large companies share one size code. */
export const LARGE: Remark = {
  code: "size_other",
  pt: "A Receita não diferencia médias de grandes: as duas são “demais” (05).",
  en: 'The registry does not tell medium from large companies: both are "other" (05).',
};
/**
 * For a tax regime other than Simples. The registry only shows if a company is in Simples, so the
 * request counts as not fully understood.
 */
export const REGIME: Remark = {
  code: "tax_regime",
  pt: "A Receita só informa quem é do Simples: entendido como “fora do Simples”.",
  en: 'The registry only tells who is in Simples: taken for "not in Simples".',
};
/** No filter accepts either a mobile or another contact, so any phone or e-mail is accepted. */
export const EITHER_KIND: Remark = {
  code: "either_contact",
  pt: "Nenhum filtro aceita um destes contatos ou o outro: aceito qualquer telefone ou e-mail.",
  en: "No filter takes the one or the other of these: any phone or e-mail was taken.",
};
/** No filter accepts either of two contacts if one has a quality. */
export const EITHER_QUALITY: Remark = {
  code: "either_contact",
  pt: "Nenhum filtro aceita um destes contatos ou o outro.",
  en: "No filter takes the one or the other of these contacts.",
};
/** The registry has no web sites or profiles. */
export const SITE: Remark = {
  code: "site",
  pt: "A Receita não informa sites. Outro filtro: “com domínio próprio”, o do e-mail da empresa.",
  en: 'The registry has no web sites. Another filter: "own domain", that of its e-mail.',
};
/** Imports and exports, which the registry does not have. */
export const TRADE_ABROAD: Remark = {
  code: "foreign_trade",
  pt: "A Receita não informa quem importa ou exporta.",
  en: "The registry does not tell who imports or exports.",
};
/** Instead of the web site, an e-mail at an own domain is required. */
export const SITE_AS_DOMAIN: Remark = {
  code: "site",
  pt: "A Receita não informa sites: em seu lugar, exigido um e-mail de domínio próprio.",
  en: "The registry has no web sites: an e-mail at a domain of its own was required instead.",
};
/** A request for a web site is read as one for an e-mail at the company's own domain. */
export const OWN_SITE: Remark = {
  code: "site_as_domain",
  pt: "A Receita não informa sites: exigido um e-mail de domínio próprio.",
  en: "The registry has no web sites: an e-mail at a domain of its own was required.",
};
/** A filter can exclude shared contacts but cannot require them. */
export const SHARED_ONLY: Remark = {
  code: "shared_contact",
  pt: "Nenhum filtro exige um contato compartilhado; há “exclusivo” e “usado por até 3 empresas”.",
  en: 'No filter takes shared contacts only; there are "own" and "used by at most 3 companies".',
};
/** A filter can require an e-mail domain of the company's own but cannot exclude it. */
export const PUBLIC_MAIL: Remark = {
  code: "public_mail",
  pt: "Nenhum filtro exige um e-mail sem domínio próprio.",
  en: "No filter takes e-mails without a domain of their own only.",
};
/** The snapshot was imported by an earlier version and lacks the counts that this request needs. */
export const NOT_COUNTED: Remark = {
  code: "not_counted",
  pt: "O snapshot foi importado por uma versão anterior, que não contava isso.",
  en: "The snapshot was imported by an earlier version, which did not count this.",
};
/** The count of branches includes the head office. */
export const BRANCH_COUNT: Remark = {
  code: "branches_and_head_office",
  pt: "Filiais contadas com a matriz, como estabelecimentos ativos da empresa.",
  en: "Branches were counted with the head office, as active establishments of the company.",
};
/** The registry does not show who has WhatsApp, so a mobile is required. */
export const WHATSAPP: Remark = {
  code: "whatsapp",
  pt: "A Receita não informa quem tem WhatsApp: exigido um celular.",
  en: "The registry does not tell who has WhatsApp: a mobile was required.",
};
/** The filter takes all head offices, including those of companies with branches. */
export const HEADS: Remark = {
  code: "heads_only",
  pt: "Entendido como só matrizes. Para empresas sem nenhuma filial: “com uma unidade só”.",
  en: 'Taken for head offices only. For companies without branches: "with one unit only".',
};
/** The registry has only the current regime of a company, not earlier ones. */
export const HISTORY: Remark = {
  code: "regime_history",
  pt: "A Receita só informa o regime de hoje, não o de antes.",
  en: "The registry only tells the regime of today, not that of before.",
};
/** "own e-mail" is read as an e-mail that no other company has, not as one at an own domain. */
export const OWN_EMAIL: Remark = {
  code: "own_email",
  pt: "Entendido como e-mail de nenhuma outra empresa. Outro filtro: “e-mail de domínio próprio”.",
  en: 'Taken for an e-mail of no other company. Another filter: "e-mail at own domain".',
};
/**
 * The filter only requires that one of the company's phones belongs to no other company. This phone
 * may differ from the requested mobile or landline.
 */
export const OWN_OF_PHONES: Remark = {
  code: "own_of_phones",
  pt: "Um dos telefones da empresa não é de nenhuma outra; pode não ser o celular ou o fixo.",
  en: "One of the phones is of no other company; it need not be the mobile or the landline.",
};
/** A quality stated next to one contact of a list was applied to all of them. */
export const STATED_FOR_ALL: Remark = {
  code: "said_of_all_contacts",
  pt: "Foi entendido de todos os contatos da lista, não só do que está ao lado.",
  en: "This was taken to be said of every contact of the list, not of the one next to it only.",
};
/** A preference such as "se possível com e-mail" is not a requirement and sets no filter. */
export const PREFERENCE: Remark = {
  code: "preference",
  pt: "Uma preferência não é um filtro: não foi exigido.",
  en: "A preference is no filter: this was not required.",
};
/**
 * No filter takes this request about branches. There are filters for branches only, for head
 * offices only, and for the number of establishments.
 */
export const BRANCHES: Remark = {
  code: "branches",
  pt: "Não há filtro para isso; há para só filiais, só matrizes e para o número de unidades.",
  en: "No filter takes this; there are some for branches or head offices only, and for how many.",
};
/** The words name the customers that the companies serve, which the registry does not show. */
export const AUDIENCE: Remark = {
  code: "audience",
  pt: "Diz a quem as empresas servem; não há filtro para isso.",
  en: "This says whom the companies serve; there is no filter for it.",
};
/** The words describe the writer and are not part of the request. */
export const WRITER: Remark = {
  code: "writer",
  pt: "Diz quem procura, não o que se procura.",
  en: "This says who is asking, not what is sought.",
};
/** The words describe the writer's offer and are not part of the request. */
export const OWN_OFFER: Remark = {
  code: "own_offer",
  pt: "Diz o que você oferece, quem é ou onde fica, não o que se procura.",
  en: "This says what you offer, who you are, or where, not what is sought.",
};
/** The registry does not show which companies are the best. */
export const BEST: Remark = {
  code: "quality",
  pt: "A Receita não informa quais são as melhores.",
  en: "The registry does not tell which are the best.",
};
/** Results are neither sorted nor limited separately for each place. */
export const PER_PLACE: Remark = {
  code: "per_place",
  pt: "Não se ordena nem se limita por lugar.",
  en: "Nothing is sorted or limited by place.",
};
/** A sentence cannot request random order, because this order needs a seed. */
export const RANDOM: Remark = {
  code: "random_order",
  pt: "Uma frase não pede ordem aleatória: ela precisa de uma semente.",
  en: "A sentence cannot ask for random order, which needs a seed.",
};
/** No filter excludes a legal nature. */
export const LEGAL: Remark = {
  code: "legal_form",
  pt: "Nenhum filtro exclui uma natureza jurídica.",
  en: "No filter leaves a legal nature out.",
};
/** No filter excludes companies by an amount of debt. */
export const NO_DEBT_AMOUNT = {
  code: "debt_amount",
  pt: "Não há filtro para esse valor de dívida.",
  en: "No filter takes this amount of debt.",
} as const;
/** Debts are read as debts to the federal government, the only ones in a snapshot. */
export const ONLY_FEDERAL = {
  pt: "Entendido como dívida ativa da União (PGFN).",
  en: "Taken for debts to the federal government (PGFN).",
} as const;
/** No filter excludes the companies on a list of sanctions. A filter can only require a list. */
export const NO_SANCTION: Remark = {
  code: "without_sanction",
  pt: "Nenhum filtro exclui empresas punidas; há para CEIS, CNEP e CEPIM.",
  en: "No filter leaves out sanctioned companies; there are some for CEIS, CNEP, and CEPIM.",
};
/** No filter excludes companies by their owner. A filter can only require an owner. */
export const NOT_OWNED: Remark = {
  code: "not_owned",
  pt: "Nenhum filtro exclui empresas por quem as controla.",
  en: "No filter leaves out companies by their owner.",
};
/** The request names two records of one kind, but filters take only one. */
export const BOTH_RECORDS: Remark = {
  code: "several_records",
  pt: "Nenhum filtro exige as duas coisas ao mesmo tempo, ou uma das duas.",
  en: "No filter takes both of these at once, or the one or the other.",
};

const FLAGS: Readonly<Partial<Record<OptionalData, string>>> = {
  ...{ ceis: "--ceis", cnep: "--cnep", cepim: "--cepim", debts: "--pgfn" },
  partners: "--corporate-partners",
};

/** Returns the remark that the snapshot was imported without this data. */
export function notImported(what: OptionalData): Remark {
  const flag = FLAGS[what];
  if (flag === undefined) return NOT_COUNTED;
  return {
    code: "not_imported",
    pt: `O snapshot foi importado sem ${flag} e não tem isso.`,
    en: `The snapshot was imported without ${flag}, and does not have this.`,
  };
}

/** Returns the default reason why no filter takes a phrase with this role. */
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

/** A requested sort order. */
export interface SortPhrase {
  readonly field: string;
  direction: "asc" | "desc";
  /** True if the sentence names a field but no direction: "por data de abertura". */
  readonly implied: boolean;
  /** True if the sentence names a direction but no field: "as maiores". */
  readonly vague: boolean;
}

/** A contact that must be missing, as in "sem telefone". "contact" means both e-mail and phone. */
type MissingContact = "email" | "phone" | "mobile" | "contact";

/** The filters that a sentence sets. */
export interface FoundFilters {
  readonly statuses: Set<number>;
  readonly excludedStatuses: Set<number>;
  readonly sizes: Set<string>;
  readonly excludedSizes: Set<string>;
  mei: boolean | null;
  simples: boolean | null;
  headquarters: boolean;
  branches: boolean;
  /** Contacts that the requested companies must lack. */
  readonly missing: Set<MissingContact>;
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
  /** Direction that the sentence names before the field: "em ordem decrescente". */
  direction: "asc" | "desc" | null;
}

/** A phrase set its filter, no filter expresses it, or an earlier phrase contradicts it. */
export type Outcome = "set" | "cannot" | "contradiction";

/** Sets the filter of a phrase, as a requirement or, if `negated`, as an exclusion. */
export type Apply = (found: FoundFilters, negated: boolean) => Outcome;

/** The role and effect of a filter phrase, without its names. */
export interface FilterPhrase {
  readonly role: TokenRole;
  readonly apply: Apply;
  /** Reports that the phrase was narrowed or reinterpreted. */
  readonly warning?: Remark;
  /** An unwritten default. */
  readonly assumption?: Remark;
  /** The remark added if the filter is wider than the request and so does not express all of it. */
  readonly wider?: Remark;
  /** Reason given if no filter takes the phrase. */
  readonly cannot?: Remark;
  /**
   * The contact that the phrase requests. "other" is a contact with a quality, which cannot be one
   * of several alternatives. "site" is a web site, which the registry does not have.
   */
  readonly contact?: "email" | "phone" | "contact" | "mobile" | "landline" | "other" | "site";
  /** The quality that the phrase names, which may apply to a whole list of contacts. */
  readonly quality?: "own" | "own_alone" | "shared";
  /** True if the filter needs counts made at import, which older snapshots lack. */
  readonly counted?: true;
  /** True if the phrase counts only after a word such as "por": "por nome". */
  readonly led?: true;
  /** True if the phrase also names a trade. */
  readonly trade?: boolean;
}

/**
 * Returns an effect that calls `set` for a required phrase. For a negated phrase, the effect is
 * "cannot", because the filter cannot exclude.
 */
export const positive =
  (set: (found: FoundFilters) => void): Apply =>
  (found, negated) => {
    if (negated) return "cannot";
    set(found);
    return "set";
  };

/**
 * Returns a phrase that requires a contact or, if negated, requires that it is missing. A missing
 * landline cannot be required.
 */
export const contact = (field: "email" | "phone" | "contact" | "mobile" | "landline") => ({
  ...{ role: "contact" as const, contact: field },
  apply: ((found, negated) => {
    if (negated) return field === "landline" ? "cannot" : missing(found, field);
    if (lacks(found, field)) return "contradiction";
    found[field] = true;
    return "set";
  }) satisfies Apply,
});

function missing(found: FoundFilters, field: MissingContact): Outcome {
  const { email, phone, mobile, landline, contact } = found;
  const isWanted =
    field === "contact"
      ? contact || email || phone || mobile || landline
      : found[field] || (field === "phone" && (mobile || landline));
  if (isWanted) return "contradiction";
  // The filter can require that one kind of contact is missing, or that both e-mail and phone are
  // missing. It cannot require this of e-mail and mobile together.
  const all = new Set([...found.missing, field]);
  const isMixed = all.has("email") && all.has("mobile") && !all.has("phone");
  if (isMixed && !all.has("contact")) return "cannot";
  found.missing.add(field);
  return "set";
}

/** True if an earlier phrase requires that this contact is missing. */
function lacks(found: FoundFilters, field: MissingContact | "landline"): boolean {
  const { missing } = found;
  if (missing.has("contact")) return true;
  if (field === "contact") return missing.has("email") && missing.has("phone");
  if (field === "mobile" || field === "landline") {
    return missing.has("phone") || (field === "mobile" && missing.has("mobile"));
  }
  return missing.has(field);
}

/** Returns the kinds for the filter of missing contacts; undefined if none is requested. */
export function missingKinds({ missing }: FoundFilters): readonly string[] | undefined {
  if (missing.has("contact") || (missing.has("email") && missing.has("phone"))) return ["any"];
  if (missing.has("phone")) return ["phone"];
  const [kind] = missing;
  return kind === undefined ? undefined : [kind];
}
