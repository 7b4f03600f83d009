/**
 * Portuguese words of the view of members. What comes in: values of functions. What goes out:
 * text.
 * Invariant: the same keys as the English table, by its type.
 */
import type { members as English } from "../en/members.ts";

/** Words of this area. */
export const members: typeof English = {
  lead: "Quem tem acesso a esta organização. Administradores também cuidam das chaves e da equipe.",
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
  state: "Situação",
  states: { active: "Ativo", disabled: "Desativado", invited: "Convidado" },
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
  way: "Como a pessoa entra",
  ways: { link: "Link de convite", password: "Senha pronta" },
  wayHints: {
    link: "Você entrega um link, e a pessoa escolhe a própria senha.",
    password: "Uma senha é criada agora, e você a entrega.",
  },
  invitedUntil: (when) => `Convite vale até ${when}`,
  invitedEnded: "Convite vencido",
  newLink: "Novo link de convite",
  uninvite: "Cancelar convite",
  uninviteTitle: (email) => `Cancelar o convite de ${email}?`,
  uninviteText: "O link deixa de funcionar, e a pessoa sai da lista.",
  newLinkTitle: (email) => `Novo link para ${email}?`,
  newLinkText: "O link anterior deixa de funcionar.",
  linkTitle: "Entregue o link agora",
  linkOnce: (day) =>
    `Ele aparece só desta vez, funciona uma vez e vale até ${day}. Quem o abrir escolhe a senha.`,
  link: "Link de convite",
  linkDone: "Link entregue",
  mail: "Escrever e-mail",
  mailSubject: "Convite para o Peneira",
  mailBody: (link, day) =>
    `Olá! Este é o seu acesso ao Peneira. Abra o link e escolha uma senha até ${day}:\n\n${link}`,
  joinTitle: "Escolha sua senha",
  joinLead: (tenant) =>
    tenant === null
      ? "Este é um convite para a equipe."
      : `Este é um convite para a equipe ${tenant}.`,
  joinSubmit: "Entrar",
  joinFailed: "Convite inválido",
  joinFailedText: "Este convite já foi usado, foi cancelado ou venceu. Peça outro a quem o enviou.",
  joinSignIn: "Ir para a página de acesso",
  changed: "Alteração salva",
};
