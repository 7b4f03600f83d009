/**
 * English texts of the other public data (status reasons, sanctions, debts, and owners): filters,
 * facts about a company, and owners. Functions take formatted values and counts.
 * Invariant: the Portuguese table has the same keys.
 */
import type { OptionalData } from "../../../../spec/catalog.ts";

/** Words of this area. */
export const record = {
  statusDays: "Status since",
  reason: "Reason of the status",
  reasonPlaceholder: "Reason or code",
  reasonNothing: "No reason has these words",
  leftSimples: "Left Simples",
  leftMei: "Left MEI",
  sanctions: "In one of these lists of sanctions",
  sanctionNames: {
    ceis: "CEIS: barred or suspended",
    cnep: "CNEP: punished",
    cepim: "CEPIM: barred from agreements",
  },
  debt: "Federal debt",
  debtKinds: "With a debt of one of these kinds",
  debtMin: "Debt from R$",
  debtMax: "Debt to R$",
  ownedBy: "Owned by the company",
  ownedByHint: "Root or CNPJ of the owner, such as 11.222.333",
  ownerWrong: "Enter a root (8 characters) or a CNPJ (14).",
  depth: "Steps of ownership",
  depths: (steps: number) => (steps === 1 ? "Directly" : `Up to ${steps} steps`),
  ownedCompanies: "How many companies it owns",
  ownerCompanies: "How many companies own it",
  lacking: (data: string) => `Not in this data: it was imported without ${data}.`,
  data: {
    exclusions: "the dates on which companies left Simples and MEI",
    ceis: "the list CEIS (--ceis)",
    cnep: "the list CNEP (--cnep)",
    cepim: "the list CEPIM (--cepim)",
    debts: "PGFN's list of debts (--pgfn)",
    partners: "the companies that are partners (--corporate-partners)",
  } as Partial<Record<OptionalData, string>>,

  title: "Public record",
  inList: "Yes, in the list",
  notInList: "No",
  debtOf: (amount: string, kinds: string) => (kinds === "" ? amount : `${amount} (${kinds})`),
  asOf: (when: string) => `as of ${when}`,
  owners: "Companies that own it",
  owns: "Companies that it owns",
  none: "None in this data.",
  unnamed: "Not in this data",
  since: (date: string) => `since ${date}`,
  qualification: (code: string) => `qualification ${code}`,
  qualifications: {
    "20": "consortium member",
    "21": "affiliate",
    "22": "partner",
    "24": "general partner",
    "25": "limited partner",
    "37": "foreign partner",
    "48": "partner",
    "49": "managing partner",
  } as Readonly<Record<string, string>>,
  more: (count: string) => `and ${count} more`,
  allOwned: "Search for all that it owns",
  partnersOf: (month: string) => `Partners that are companies, ${month}. Persons are not included.`,
  failed: "The owners could not be loaded.",
};
