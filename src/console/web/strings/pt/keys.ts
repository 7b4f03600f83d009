/**
 * Portuguese texts of the view of API keys.
 * Invariant: the type of the English table requires the same keys.
 */
import { date, duration } from "../../app/format.ts";
import type { keys as English } from "../en/keys.ts";

/** Words of this area. */
export const keys: typeof English = {
  lead:
    "Programas usam estas chaves para buscar e exportar pela API. Cada chave aparece só uma " +
    "vez, ao ser criada.",
  create: "Nova chave",
  readOnly: "Só um administrador pode criar ou alterar chaves.",
  none: "Nenhuma chave ainda",
  noneText: "Crie uma para usar a API em seus próprios programas.",
  name: "Nome",
  nameHint: "Quem vai usar, por exemplo “Importação do CRM”.",
  nameNeeded: "Dê um nome à chave.",
  state: "Situação",
  plan: "Plano",
  created: "Criada",
  lastUsed: "Último uso",
  never: "Nunca",
  expires: "Validade",
  endsNever: "Não expira",
  endsOn: (iso) => `Expira em ${date(iso)}`,
  usedAgo: (when) => `Usada ${when}`,
  unused: "Nunca usada",
  unnamed: "(sem nome)",
  states: {
    active: "Ativa",
    disabled: "Desativada",
    expired: "Expirada",
    tenant_disabled: "Organização desativada",
  },
  actions: (name) => `Ações para ${name}`,
  rename: "Renomear",
  rotate: "Trocar a chave",
  disable: "Desativar",
  enable: "Ativar",
  lifetime: "Validade",
  lifetimes: { never: "Não expira", d30: "30 dias", d90: "90 dias", d365: "Um ano" },
  createTitle: "Nova chave de API",
  createSubmit: "Criar chave",
  onceTitle: "Copie a chave agora",
  once:
    "Ela não aparece de novo: o servidor guarda só a impressão digital dela. Se você a " +
    "perder, crie outra.",
  key: "Chave",
  tryIt: "Experimente",
  done: "Já copiei",
  renameTitle: "Renomear a chave",
  renamed: "Nome alterado",
  rotateTitle: (name) => `Trocar a chave “${name}”`,
  rotateText:
    "Será criada uma nova chave com o mesmo nome e plano. A antiga continua valendo pelo " +
    "tempo que você escolher, para trocar nos programas sem interrupção. " +
    "A nova chave não tem data de validade.",
  overlap: "A chave antiga vale por mais",
  overlaps: { s0: "Parar já", h1: "1 hora", d1: "1 dia", d7: "7 dias", d30: "30 dias" },
  rotateSubmit: "Criar a nova chave",
  replaced: (iso, left) =>
    left <= 0
      ? "A chave antiga já parou."
      : `A chave antiga para em ${duration(left)} (${date(iso)}).`,
  disableTitle: (name) => `Desativar “${name}”?`,
  disableText:
    "Os programas que a usam são recusados na hora. Você pode ativá-la de novo quando quiser.",
  disabled: "Chave desativada",
  enabled: "Chave ativada",
};
