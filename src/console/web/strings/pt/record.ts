/**
 * Portuguese texts of the other public data (status reasons, sanctions, debts, and owners):
 * filters, facts about a company, and owners. Functions take formatted values and counts.
 * Invariant: the type of the English table requires the same keys.
 */
import type { record as English } from "../en/record.ts";

/** Words of this area. */
export const record: typeof English = {
  statusDays: "Situação desde",
  reason: "Motivo da situação",
  reasonPlaceholder: "Motivo ou código",
  reasonNothing: "Nenhum motivo tem essas palavras",
  leftSimples: "Saiu do Simples",
  leftMei: "Saiu do MEI",
  sanctions: "Em uma destas listas de sanções",
  sanctionNames: {
    ceis: "CEIS: inidôneas e suspensas",
    cnep: "CNEP: punidas",
    cepim: "CEPIM: impedidas de convênios",
  },
  debt: "Dívida ativa da União",
  debtKinds: "Com dívida de um destes tipos",
  debtMin: "Dívida de R$",
  debtMax: "Dívida até R$",
  ownedBy: "Tem como sócia a empresa",
  ownedByHint: "Raiz ou CNPJ da sócia, como 11.222.333",
  ownerWrong: "Informe uma raiz (8 caracteres) ou um CNPJ (14).",
  depth: "Passos de sociedade",
  depths: (steps) => (steps === 1 ? "Diretamente" : `Até ${steps} passos`),
  ownedCompanies: "De quantas empresas é sócia",
  ownerCompanies: "Quantas empresas são sócias",
  lacking: (data) => `Não está nestes dados: foram importados sem ${data}.`,
  data: {
    exclusions: "as datas de saída do Simples e do MEI",
    ceis: "a lista CEIS (--ceis)",
    cnep: "a lista CNEP (--cnep)",
    cepim: "a lista CEPIM (--cepim)",
    debts: "a lista de dívidas da PGFN (--pgfn)",
    partners: "as empresas sócias (--corporate-partners)",
  },

  title: "Registros públicos",
  inList: "Sim, está na lista",
  notInList: "Não",
  debtOf: (amount, kinds) => (kinds === "" ? amount : `${amount} (${kinds})`),
  asOf: (when) => `posição de ${when}`,
  owners: "Empresas sócias",
  owns: "Empresas de que é sócia",
  none: "Nenhuma nestes dados.",
  unnamed: "Fora destes dados",
  since: (date) => `desde ${date}`,
  qualification: (code) => `qualificação ${code}`,
  qualifications: {
    "20": "sociedade consorciada",
    "21": "sociedade filiada",
    "22": "sócia",
    "24": "sócia comanditada",
    "25": "sócia comanditária",
    "37": "sócia domiciliada no exterior",
    "48": "sócia",
    "49": "sócia-administradora",
  },
  more: (count) => `e mais ${count}`,
  allOwned: "Buscar todas de que é sócia",
  partnersOf: (month) => `Sócias que são empresas, ${month}. Pessoas não estão incluídas.`,
  failed: "Não foi possível carregar as sócias.",
};
