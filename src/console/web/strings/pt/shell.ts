/**
 * Portuguese words of the shell, of signing in and of the parts that all views use. What comes in:
 * values of functions. What goes out: text.
 * Invariant: the same keys as the English table, by its type.
 */
import { duration, number } from "../../format.ts";
import type { shell as English } from "../en/shell.ts";

/** Words of this area. */
export const shell: typeof English = {
  product: "Peneira",
  skip: "Ir para o conteúdo",
  navigation: "Telas",
  more: "Mais",
  views: {
    find: "Buscar",
    exports: "Exportações",
    saved: "Buscas salvas",
    keys: "Chaves de API",
    usage: "Uso",
    members: "Membros",
    account: "Sua conta",
  },
  viewsShort: {
    find: "Buscar",
    exports: "Exportações",
    saved: "Salvas",
    keys: "Chaves",
    usage: "Uso",
    members: "Membros",
    account: "Conta",
  },
  snapshot: (label) => `Dados de ${label}`,
  snapshotTitle: (accounts, label) => `${number(accounts)} empresas na base ${label}`,
  noSnapshot: "Nenhuma base carregada",
  plan: (name) => `Plano ${name}`,
  language: "Idioma",
  portuguese: "Português",
  english: "English",
  theme: "Cores",
  themeAuto: "Como no sistema",
  themeLight: "Claras",
  themeDark: "Escuras",
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
  failed: "Não deu certo",
  bug:
    "Algo inesperado aconteceu no navegador. Recarregue a página; se acontecer de novo, avise" +
    " quem cuida deste servidor.",
  unreachable: "O servidor não responde. Verifique a conexão e tente de novo.",
  offline: "Sem contato com o servidor. O que está na tela fica; novos pedidos falham.",
  reconnect: "Verificar",
  viewFailed: "Não foi possível carregar esta tela. O servidor pode ter sido atualizado.",
  reload: "Recarregar a página",
  rateLimited: (seconds) => `Pedidos demais. Tente de novo em ${duration(seconds)}.`,
  errors: {
    session_required: "Você não está conectado.",
    csrf_invalid: "Esta página está desatualizada. Recarregue e tente de novo.",
    role_not_allowed: "Só um proprietário pode fazer isto.",
    not_found: "Isto não existe mais.",
    overloaded: "O servidor está sobrecarregado. Tente de novo em instantes.",
    snapshot_unavailable: "O servidor ainda não tem uma base carregada.",
    internal_error: "O servidor errou. O registro está com ele; tente de novo.",
  },
  mistakes: {
    email_taken: "Alguém já tem este e-mail.",
    invalid_email: "Isto não é um e-mail.",
    last_owner: "É preciso haver pelo menos um proprietário.",
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
    submit: "Entrar",
    wrong: "E-mail ou senha incorretos.",
    wait: (seconds) => `Tentativas demais. Você pode tentar de novo em ${duration(seconds)}.`,
    needEmail: "Digite seu e-mail.",
    needPassword: "Digite sua senha.",
    insecure:
      "Esta página veio por uma conexão sem criptografia, e o servidor recusa o acesso. " +
      "Abra por https ou na própria máquina, ou fale com quem cuida do servidor.",
    help: "Ainda sem conta? Quem cuida deste servidor cria uma com “peneira user create”.",
    endedTitle: "Sua sessão terminou",
    ended: "Digite sua senha para continuar de onde parou. Nada da página se perde.",
    other: "Entrar como outra pessoa",
  },
};
