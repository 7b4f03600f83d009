/**
 * Portuguese words of the shell, of signing in and of the parts that all views use. What comes in:
 * values of functions. What goes out: text.
 * Invariant: the same keys as the English table, by its type.
 */
import { duration, number } from "../../app/format.ts";
import type { shell as English } from "../en/shell.ts";

/** Words of this area. */
export const shell: typeof English = {
  product: "Peneira",
  skip: "Ir para o conteúdo",
  navigation: "Telas",
  more: "Mais",
  advanced: "Avançado",
  views: {
    find: "Buscar",
    company: "Empresa",
    exports: "Exportações",
    saved: "Buscas salvas",
    news: "Novidades",
    lists: "Listas",
    keys: "Chaves de API",
    usage: "Uso",
    members: "Equipe",
    audit: "Trilha de auditoria",
    account: "Sua conta",
    help: "Ajuda",
  },
  viewsShort: {
    find: "Buscar",
    company: "Empresa",
    exports: "Exportações",
    saved: "Salvas",
    news: "Novidades",
    lists: "Listas",
    keys: "Chaves",
    usage: "Uso",
    members: "Equipe",
    audit: "Auditoria",
    account: "Conta",
    help: "Ajuda",
  },
  snapshot: (label) => `Dados de ${label}`,
  snapshotTitle: (accounts, label) => `${number(accounts)} estabelecimentos na base ${label}`,
  noSnapshot: "Nenhuma base carregada",
  plan: (name) => `Plano ${name}`,
  language: "Idioma",
  portuguese: "Português",
  english: "English",
  theme: "Tema",
  themeAuto: "Automático",
  themeLight: "Claro",
  themeDark: "Escuro",
  accountMenu: (email) => `Conta de ${email}`,
  signOut: "Sair",
  close: "Fechar",
  cancel: "Cancelar",
  save: "Salvar",
  retry: "Tentar de novo",
  loading: "Carregando",
  copy: "Copiar",
  copied: "Copiado",
  copyFailed: "O navegador não permitiu copiar. Selecione o texto e copie à mão.",
  removeChip: (label) => `Remover ${label}`,
  nothingFound: "Nada encontrado",
  choices: (count) => (count === 1 ? "1 opção" : `${number(count)} opções`),
  failed: "Algo deu errado",
  bug:
    "Algo inesperado aconteceu no navegador. Recarregue a página; se acontecer de novo, avise" +
    " quem cuida deste servidor.",
  unreachable: "O servidor não responde. Verifique a conexão e tente de novo.",
  offline:
    "Sem contato com o servidor. Você pode continuar vendo esta página; " +
    "novas buscas não funcionam.",
  reconnect: "Reconectar",
  viewFailed: "Não foi possível carregar esta tela. O servidor pode ter sido atualizado.",
  reload: "Recarregar a página",
  rateLimited: (seconds) => `Pedidos demais. Tente de novo em ${duration(seconds)}.`,
  answered: (status) => `O servidor respondeu com um erro (${status}).`,
  mistakes: {
    email_taken: "Alguém já tem este e-mail.",
    invalid_email: "E-mail inválido.",
    list_not_found: "Uma lista dos filtros não existe mais. Tire-a deles.",
    last_owner: "É preciso haver pelo menos um administrador.",
    unfit_password: "Fácil demais de adivinhar. Escolha outra.",
    unchanged_password: "Esta é a senha atual.",
    wrong_password: "Esta não é a sua senha atual.",
  },
  signIn: {
    title: "Entrar",
    lead: "Todas as empresas do Brasil, em uma frase.",
    email: "E-mail",
    password: "Senha",
    show: "Mostrar senha",
    hide: "Ocultar senha",
    keep: (seconds) =>
      seconds % 86_400 === 0 && seconds > 86_400
        ? `Manter conectado por ${number(seconds / 86_400)} dias`
        : `Manter conectado por ${duration(seconds)}`,
    submit: "Entrar",
    wrong: "E-mail ou senha incorretos.",
    linkFailed: "Este link de acesso já foi usado ou é antigo demais. Entre com sua senha.",
    wait: (seconds) => `Tentativas demais. Você pode tentar de novo em ${duration(seconds)}.`,
    needEmail: "Digite seu e-mail.",
    needPassword: "Digite sua senha.",
    insecure:
      "Esta página veio por uma conexão sem criptografia, e o servidor recusa o acesso. " +
      "Abra por https ou na própria máquina, ou fale com quem cuida do servidor.",
    help: (contact) =>
      contact === null
        ? "Ainda não tem conta? Peça a quem administra o Peneira na sua empresa."
        : `Ainda não tem conta ou senha? Fale com ${contact}.`,
    endedTitle: "Sua sessão terminou",
    ended: "Digite sua senha para continuar de onde parou. Nada da página se perde.",
    other: "Entrar como outra pessoa",
  },
  roles: { owner: "Administrador", member: "Usuário" },
  newsBadge: (count) =>
    count === 1
      ? "1 busca ainda não vista com os dados novos"
      : `${number(count)} buscas ainda não vistas com os dados novos`,
};
