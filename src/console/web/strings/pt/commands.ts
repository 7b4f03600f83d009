/**
 * Portuguese words of the commands above what is found: save and export. What comes in: values
 * that are formatted already. What goes out: plain strings and functions of values.
 * Invariant: it has the keys of the English table; nothing here is markup.
 */
import type { commands as English } from "../en/commands.ts";

/** Words of this area. */
export const commands: typeof English = {
  button: "Exportar",
  buttonNothing: "Ainda não há o que exportar.",
  buttonBroad:
    "Informe antes atividade, lugar, telefone ou e-mail: busca tão ampla não é exportada.",
  buttonEmpty: "Nenhum estabelecimento encontrado; não há o que exportar.",
  everything: "Todos os estabelecimentos",
  secondary: "também atividades secundárias",
  saveNothing: "Busque algo antes: ainda não há o que salvar.",
  saveButton: "Salvar",
  saveTitle: "Salvar esta busca",
  saveName: "Nome",
  saveHint: "Toda a equipe vê esta busca e acompanha as mudanças.",
  saveNameMissing: "Dê um nome à busca.",
  save: "Salvar",
  savedToast: (name) => `Salva: ${name}`,
  savedOpenList: "Ver buscas salvas",
  cancel: "Cancelar",
};
