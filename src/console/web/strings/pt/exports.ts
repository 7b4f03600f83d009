/**
 * Portuguese words of exports and saved searches; functions take formatted values and counts.
 * Invariant: it has the keys of the English table. Nothing here is markup.
 */
import { number } from "../../app/format.ts";
import type { exports as english } from "../en/exports.ts";

const rows = (count: number) => (count === 1 ? "1 linha" : `${number(count)} linhas`);

/** Words of the export dialog, the list of exports, and saved searches. */
export const exports: typeof english = {
  dialogTitle: "Exportar estabelecimentos",

  format: "Formato",
  formats: {
    xlsx: ["Excel", "Planilha pronta, com filtros e colunas formatadas."],
    csv: ["CSV", "Para planilhas, CRMs e importações de todo tipo."],
    jsonl: ["JSON Lines", "Um estabelecimento por linha, para programas."],
    parquet: ["Parquet", "Colunas com tipos, para DuckDB, pandas e Spark."],
    html: ["Página web", "Uma página para ler, buscar, imprimir ou enviar."],
  },

  layout: "Modelo da planilha",
  layoutOwn: "Minhas colunas",
  layouts: {
    sales: "Lista de vendas",
    rd_station: "RD Station",
    pipedrive: "Pipedrive",
    hubspot: "HubSpot",
    salesforce: "Salesforce",
  },
  layoutColumns: (columns) => `Colunas: ${columns}.`,

  people: "Cabeçalhos e valores por extenso",
  peopleHint: "“Ativa”, 02.654.062/0001-42, (17) 98356-9848: para pessoas, não para programas.",
  title: "Nome do arquivo",

  csvOptions: "Opções do CSV",
  csvExcel: "Abre no Excel",
  csvExcelHint: "Ponto e vírgula e acentos corretos no Excel em português.",
  csvStandard: "Padrão (RFC 4180)",
  csvStandardHint: "Vírgulas e UTF-8 sem BOM: o que programas esperam.",
  csvOther: "Personalizado",
  csvOtherHint: "Escolha o separador e a marca de acentos (BOM).",
  delimiter: "Separador",
  delimiterComma: "Vírgula (,)",
  delimiterSemicolon: "Ponto e vírgula (;)",
  bom: "Acentos corretos no Excel (BOM)",

  compression: "Compactação",
  compressionHint: "Um arquivo menor para baixar; zstd é o menor. O Excel só o abre descompactado.",
  compressions: {
    none: "Nenhuma",
    gzip: "gzip (.gz)",
    zstd: "zstd (.zst)",
  },

  fields: "Colunas",
  fieldsChosen: (count, of) => `${count} de ${of} escolhidas`,
  chooseFields: "Escolher uma a uma",
  presets: "Escolher de uma vez",
  presetDefault: "Padrão",
  presetContact: "Para contato",
  presetAll: "Todas",
  fieldGroups: {
    company: "Empresa",
    contact: "Contato",
    activity: "Atividade",
    place: "Lugar",
    address: "Endereço",
    nature: "Porte e natureza",
    regime: "Regime",
    status: "Situação cadastral",
    rank: "Classificação",
  },
  fieldsNone: "Escolha ao menos uma coluna.",
  fieldsPlan: (count) => `O seu plano não inclui ${count} colunas.`,
  order: "Ordem das colunas",
  dropField: (field) => `Deixar ${field} de fora`,
  moveUp: (field) => `Subir ${field}`,
  moveDown: (field) => `Descer ${field}`,
  moved: (field, place) => `${field} agora é a coluna ${place}.`,

  limit: "Limite de linhas (opcional)",
  limitHint: (max) => `As primeiras da ordem, até ${max}. Deixe em branco para exportar todas.`,
  limitWrong: (max) => `Informe um número inteiro de 1 a ${max}, ou deixe em branco.`,
  explain: "Incluir o motivo de cada um estar na lista",
  explainHint: "Acrescenta como colunas a pontuação, suas partes e os filtros atendidos.",
  mode: "Atividades secundárias",
  modes: {
    off: ["Só a atividade principal", "Como na tela."],
    fallback: ["Completar com secundárias", "As secundárias vêm depois de todas as principais."],
    full: ["Principal ou secundária", "Ambas por igual, numa só ordem."],
  },
  modeHint: "A tela conta só pela atividade principal; a exportação pode ir além.",

  estimate: "Como vai ficar",
  estimating: "Contando…",
  rows,
  estimateBytes: (bytes) => `cerca de ${bytes}`,
  estimateFailed: "Não foi possível estimar o tamanho.",
  capped: (rows, matches) =>
    `Só as primeiras ${rows} linhas de ${matches}: é o máximo que o seu plano exporta.`,
  limited: (rows, matches) => `As primeiras ${rows} linhas de ${matches}.`,
  tooManyForFormat: (format, max) =>
    `${format} comporta no máximo ${max} linhas. Escolha outro formato ou menos linhas.`,
  takeFirst: (max) => `Só as primeiras ${max}`,
  takeCsv: "Usar CSV",
  quotaLeft: (left, hour) =>
    `Seu plano ainda tem ${left} linhas até as ${hour}, quando a cota recomeça.`,
  quotaShort: (rows, left, hour) =>
    `São ${rows} linhas, e seu plano só tem mais ${left} até as ${hour}, quando a cota recomeça.`,
  noExports: "O seu plano não tem exportações. Peça um plano maior ao responsável pela conta.",

  errors: {
    quota_exceeded:
      "O plano não tem mais linhas hoje, ou espaço para arquivos. Exporte menos, exclua " +
      "exportações, ou espere a cota do dia recomeçar.",
    plan_not_allowed: "O seu plano não permite esta exportação.",
    field_not_allowed: "O seu plano não permite algumas destas colunas.",
    query_too_broad:
      "Informe antes atividade, lugar, lista, telefone ou e-mail: busca tão ampla não é exportada.",
    secondary_cnae_mode_not_allowed: "O seu plano não inclui atividades secundárias por completo.",
    rate_limited: "A fila de exportações está cheia. Tente quando uma delas terminar.",
    idempotency_key_reused:
      "Isto já foi enviado com outras escolhas. Feche o diálogo e abra-o de novo.",
    snapshot_unavailable: "O servidor está sem dados no momento.",
    overloaded: "O servidor está sobrecarregado. Tente de novo em alguns segundos.",
  },

  send: "Exportar",
  sending: "Enviando…",
  close: "Fechar",
  keepRunning: "Fechar e continuar em segundo plano",
  another: "Outra exportação",
  retry: "Tentar de novo",

  queued: "Na fila",
  queuedHint: "As exportações são geradas uma após a outra; esta começa sozinha.",
  running: "Gerando o arquivo…",
  rowsWritten: (rows, all) =>
    all === null ? `${rows} linhas gravadas` : `${rows} de ${all} linhas gravadas`,
  left: (time) => `faltam cerca de ${time}`,
  progressLabel: "Andamento da exportação",
  done: "Pronta",
  doneRows: (count, size) => `${rows(count)}, ${size}`,
  until: (when) => `Pode ser baixada até ${when}.`,
  failed: "Falhou",
  expired: "Expirada",
  download: "Baixar",
  stop: "Cancelar a exportação",
  stopped: "A exportação foi cancelada.",
  gone: "Esta exportação já foi excluída.",
  pollFailed: "Não foi possível ler o andamento; tentando de novo.",
  toastDone: (name) => `Sua exportação está pronta: ${name}`,
  toastFailed: (name) => `Uma exportação falhou: ${name}`,
  toastOpen: "Ver exportações",
  failures: {
    disk_full: "O disco do servidor está cheio. Peça espaço ao operador e gere de novo.",
    files_unavailable: "O lugar dos arquivos não respondeu. Gere de novo mais tarde.",
    write_failed:
      "O arquivo não pôde ser gravado. Peça a quem administra que veja o log do servidor.",
    quota_exceeded: "O arquivo não cabe no que o seu plano guarda. Exclua exportações antes.",
    sent_file_unreadable:
      "A planilha enviada não está mais lá, ou não pôde ser lida. Envie-a de novo.",
    snapshot_unavailable: "A base desta exportação não existe mais. Gere com a mais recente.",
    state_damaged: "Os dados do próprio servidor estão danificados. Avise o operador.",
    too_many_attempts: "O servidor tentou várias vezes e não conseguiu gerar o arquivo.",
    render_failed: "O servidor falhou ao gravar. Informe ao operador o identificador.",
  },

  historyTitle: "Exportações",
  historyIntro: "Arquivos gerados pela sua equipe, os mais recentes primeiro.",
  historyEmpty: "Nenhuma exportação ainda",
  historyEmptyHint: "Faça uma busca e depois use Exportar, acima da lista.",
  historyFind: "Fazer uma busca",
  historyFailed: "Não foi possível carregar as exportações.",
  more50: "Mostrar mais antigas",
  dataOf: (month) => `dados de ${month}`,
  byGone: "alguém que já saiu",
  expiresIn: (left) => `expira ${left}`,
  again: "Gerar de novo com os dados mais recentes",
  againSent: "A exportação será gerada de novo com os dados mais recentes.",
  useQuery: "Usar como busca",
  remove: "Excluir",
  removeTitle: "Excluir esta exportação?",
  removeText: "O arquivo some para toda a equipe. Não há como desfazer.",
  removed: "A exportação foi excluída.",
  menu: (name) => `Mais sobre ${name}`,

  savedTitle: "Buscas salvas",
  savedIntro: "Buscas salvas pela sua equipe, o que mudou nelas e o último aviso.",
  savedEmpty: "Nenhuma busca salva ainda",
  savedEmptyHint: "Faça uma busca e use Avisar-me todo mês, acima da lista.",
  savedFailed: "Não foi possível carregar as buscas salvas.",
  openNamed: (name) => `Abrir: ${name}`,
  open: "Abrir",
  rename: "Renomear",
  renameTitle: "Renomear esta busca",
  refresh: "Comparar a partir de agora",
  refreshed: "A comparação agora começa da contagem atual.",
  countThen: "Antes",
  countNow: "Agora",
  change: "Mudança no total",
  unchanged: "sem mudança",
  nowUnknown: "não pode ser contada agora",
  removeSearchTitle: "Excluir esta busca salva?",
  removeSearchText: "Ela some para toda a equipe. As exportações já feitas ficam.",
  removedSearch: "A busca salva foi excluída.",
  sentence: (text) => `“${text}”`,
};
