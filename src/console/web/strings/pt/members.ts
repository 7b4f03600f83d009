/**
 * Portuguese words of the view of members. What comes in: values of functions. What goes out:
 * text.
 * Invariant: the same keys as the English table, by its type.
 */
import type { members as English } from "../en/members.ts";

/** Words of this area. */
export const members: typeof English = {
  lead: "Quem pode entrar nesta organização. Administradores também cuidam das chaves e da equipe.",
  ownerOnly: "Só um administrador pode ver a equipe.",
  add: "Adicionar pessoa",
  email: "E-mail",
  emailNeeded: "Digite o e-mail.",
  emailWrong: "Escreva como nome@empresa.com.",
  role: "Permissão",
  roleHints: {
    owner: "Tudo, inclusive chaves e equipe",
    member: "Buscas, exportações, buscas salvas",
  },
  state: "Estado",
  states: { active: "Ativo", disabled: "Desativado" },
  added: "Adicionado",
  seen: "Último acesso",
  seenAgo: (when) => `Acesso ${when}`,
  never: "Nunca",
  neverSeen: "Nunca entrou",
  you: "Você",
  actions: (email) => `Ações para ${email}`,
  makeOwner: "Tornar administrador",
  makeMember: "Tornar usuário",
  newPassword: "Nova senha",
  disable: "Desativar",
  enable: "Ativar",
  addTitle: "Adicionar pessoa à equipe",
  addSubmit: "Adicionar",
  onceTitle: "Entregue a senha agora",
  once: "Ela aparece só desta vez. Peça que a pessoa a troque depois de entrar.",
  password: "Senha",
  done: "Senha entregue",
  makeOwnerTitle: (email) => `Tornar ${email} administrador?`,
  makeOwnerText: "Administradores cuidam das chaves e da equipe. A pessoa terá de entrar de novo.",
  makeMemberTitle: (email) => `Tornar ${email} usuário?`,
  makeMemberText: "A pessoa deixa de cuidar das chaves e da equipe e terá de entrar de novo.",
  disableTitle: (email) => `Desativar ${email}?`,
  disableText: "Todas as sessões terminam na hora, e o acesso é recusado até você ativar de novo.",
  passwordTitle: (email) => `Nova senha para ${email}?`,
  passwordText: "A senha atual deixa de valer e todas as sessões terminam na hora.",
  passwordSubmit: "Criar nova senha",
  changed: "Alteração salva",
};
