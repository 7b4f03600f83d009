/**
 * Portuguese words of the district box.
 * Invariant: nothing here is markup.
 */
import type { districts as english } from "../en/districts.ts";

/** Words of this area. */
export const districts: typeof english = {
  placeholder: "Nome do bairro",
  hint: "Dos municípios escolhidos; sem nenhum, escreva-o também: Savassi, Belo Horizonte",
  nothing: "Nenhuma empresa informa esse bairro. Escreva também o município.",
  lacking: "Esta base não tem bairros: importe-a de novo com esta versão.",
  failed: "Não foi possível ler os bairros.",
  outside: (names) =>
    `Fora dos lugares escolhidos, então nada é encontrado lá: ${names.join(", ")}`,
  outsideFix: "Incluir os municípios deles",
};
