/**
 * Portuguese words of the audit trail. What comes in: values of functions. What goes out: text.
 * Invariant: the same keys as the English table, by its type.
 */
import type { audit as English } from "../en/audit.ts";

/** Words of this area. */
export const audit: typeof English = {
  lead: "Quem alterou chaves, equipe e senhas. Ninguém pode editar nem apagar estas linhas.",
  ownerOnly: "Só um administrador pode ver a trilha de auditoria.",
  none: "Nenhuma alteração ainda",
  noneText: "A partir de agora, cada alteração em uma chave ou na equipe deixa uma linha aqui.",
  failed: "Não foi possível carregar a trilha de auditoria",
  what: "O quê",
  whom: "Alvo",
  who: "Quem",
  when: "Quando",
  older: "Mostrar mais antigas",
  command: "O operador do servidor",
  you: "Você",
  never: "nunca",
  change: (from, to) => `${from} → ${to}`,
  actions: {
    "tenant.create": "Organização criada",
    "tenant.rename": "Organização renomeada",
    "tenant.disable": "Organização desativada",
    "tenant.enable": "Organização ativada",
    "tenant.plan": "Plano alterado",
    "key.create": "Chave criada",
    "key.rename": "Chave renomeada",
    "key.disable": "Chave desativada",
    "key.enable": "Chave ativada",
    "key.expire": "Fim de uma chave alterado",
    "key.rotate": "Chave substituída",
    "user.create": "Pessoa adicionada",
    "user.invite": "Convite criado",
    "user.uninvite": "Convite cancelado",
    "user.join": "Convite aceito",
    "user.role": "Permissão alterada",
    "user.disable": "Pessoa desativada",
    "user.enable": "Pessoa ativada",
    "user.password": "Senha alterada",
    "user.sessions": "Saída de todas as sessões",
    "state.restore": "Servidor restaurado de um backup",
    "state.upgrade": "Servidor atualizado",
  },
  facts: {
    plan: "Plano",
    expires_at: "Fim",
    replaced_by: "Substituída por",
    role: "Permissão",
    backup_of: "Backup de",
    schema: "Esquema",
  },
};
