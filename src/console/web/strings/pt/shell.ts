/**
 * Portuguese texts of the shell, the sign-in page, and shared parts, and a sentence for each error
 * code of the server.
 * Invariant: the types of the English tables require the same keys. The server's own sentences are
 * English and appear below the Portuguese ones.
 */
import { duration, number } from "../../app/format.ts";
import type * as English from "../en/shell.ts";

/** UI text for the shell, the sign-in page, and shared components. */
export const shell: typeof English.shell = {
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
    enrich: "Preencher planilha",
    webhooks: "Webhooks",
    keys: "Chaves de API",
    usage: "Uso",
    members: "Equipe",
    audit: "Trilha de auditoria",
    plans: "Planos",
    compare: "Comparar",
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
    enrich: "Planilha",
    webhooks: "Webhooks",
    keys: "Chaves",
    usage: "Uso",
    members: "Equipe",
    audit: "Auditoria",
    plans: "Planos",
    compare: "Comparar",
    account: "Conta",
    help: "Ajuda",
  },
  dropHere: "Solte para preencher a planilha",
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

// Codes that only programs distinguish share a sentence.
const key = "A chave de API não foi aceita.";
const link = "O link não é válido ou expirou.";
const page = "A próxima página não foi encontrada. Busque de novo.";
const again = "O pedido não foi aceito. Recarregue a página.";
const plan = "O seu plano não inclui isto.";

/** Sentences for problems, by the code of the problem. */
export const problems: English.Problems = {
  authentication_required: key,
  session_required: ["Você não está conectado."],
  sign_in_failed: "Não foi possível entrar.",
  authentication_invalid: key,
  authentication_disabled: key,
  csrf_invalid: ["Esta página está desatualizada. Recarregue e tente de novo."],
  origin_not_allowed: again,
  role_not_allowed: ["Só um administrador pode fazer isto."],
  link_invalid: link,
  link_expired: link,
  not_found: ["Não existe mais."],
  list_not_found: ["A lista não existe mais."],
  export_not_found: "Esta exportação não existe.",
  method_not_allowed: again,
  EXPORT_NOT_READY: "A exportação ainda não terminou.",
  EXPORT_FAILED: "A exportação falhou.",
  export_expired: "A exportação expirou.",
  payload_too_large: "Isto é maior do que o servidor aceita.",
  unsupported_media_type: "O servidor não sabe ler este tipo de arquivo.",
  range_not_satisfiable: again,
  invalid_request: "O pedido não é válido.",
  invalid_spec: "Os filtros não são válidos.",
  query_too_broad: "A busca é ampla demais. Acrescente filtros.",
  invalid_cursor: page,
  cursor_mismatch: page,
  cursor_expired: page,
  since_not_available: "O servidor não tem este mês anterior.",
  translation_uncertain: "A frase não foi entendida com segurança.",
  idempotency_key_required: again,
  idempotency_key_reused: again,
  plan_not_allowed: plan,
  field_not_allowed: plan,
  secondary_cnae_mode_not_allowed: plan,
  rate_limited: "Pedidos demais. Tente de novo em instantes.",
  quota_exceeded: ["O seu plano não tem espaço para mais. Exclua o que não usa."],
  internal_error: ["Erro no servidor. Ele já foi registrado; tente de novo."],
  state_damaged: ["Os dados do servidor estão danificados. O operador deve restaurar um backup."],
  snapshot_unavailable: ["O servidor ainda não tem uma base carregada."],
  changes_preparing: "As mudanças ainda estão sendo listadas. Tente de novo em instantes.",
  storage_unavailable: ["O servidor não consegue gravar no disco. Nada foi alterado."],
  files_unavailable: ["O lugar dos arquivos não responde. Tente de novo em instantes."],
  overloaded: ["O servidor está sobrecarregado. Tente de novo em instantes."],
  storage_full: ["O servidor está sem espaço. Nada foi alterado; as buscas funcionam."],
};
