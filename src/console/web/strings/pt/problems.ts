/**
 * Portuguese words for the problems that a server answers with, by code.
 * Invariant: every code has a sentence, by the type of the table; the server's own sentences are
 * English and stand below it.
 */
import type { Problems } from "../en/problems.ts";

// Codes that differ for programs only have one sentence.
const key = "A chave de API não foi aceita.";
const link = "O link não é válido ou expirou.";
const page = "A próxima página não foi encontrada. Busque de novo.";
const again = "O pedido não foi aceito. Recarregue a página.";
const plan = "O seu plano não inclui isto.";

/** Words of this area. */
export const problems: Problems = {
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
  overloaded: ["O servidor está sobrecarregado. Tente de novo em instantes."],
  storage_full: ["O servidor está sem espaço. Nada foi alterado; as buscas funcionam."],
};
