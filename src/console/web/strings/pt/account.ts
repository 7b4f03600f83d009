/**
 * Portuguese words of the user's own account. What comes in: values of functions. What goes out:
 * text.
 * Invariant: the same keys as the English table, by its type.
 */
import { duration, number } from "../../app/format.ts";
import type { account as English } from "../en/account.ts";

/** Words of this area. */
export const account: typeof English = {
  who: "Acesso",
  email: "E-mail",
  role: "Permissão",
  tenant: "Organização",
  plan: "Plano",
  passwordTitle: "Senha",
  passwordLead: "Uma nova senha encerra todas as suas outras sessões.",
  current: "Senha atual",
  next: "Nova senha",
  nextHint: (least) => `Pelo menos ${number(least)} caracteres; de preferência, uma frase só sua.`,
  nextShort: (have, least) => `${number(have)} de pelo menos ${number(least)} caracteres.`,
  nextSame: "É a senha atual.",
  needed: "Preencha este campo.",
  wrongCurrent: "Esta não é a sua senha atual.",
  change: "Alterar senha",
  changed: "Senha alterada. Todas as outras sessões foram encerradas.",
  sessionsTitle: "Sessões",
  sessionsLead: (idleSeconds) =>
    `Onde você está conectado. Uma sessão termina após ${duration(idleSeconds)} sem uso.`,
  here: "Esta sessão",
  elsewhere: "Outra sessão",
  began: (when) => `Início ${when}`,
  used: (when) => `último uso ${when}`,
  everywhere: "Sair de todos os lugares",
  everywhereTitle: "Sair de todos os lugares?",
  everywhereText: "Todas as suas sessões terminam, inclusive esta.",
};
