/**
 * Words that name no place. What comes in: nothing. What goes out: words behind "em" that say how,
 * when or of what, and not where: "em geral", "em todo", "em março".
 * Invariant: within a name, behind a word in capitals, they may be a part of it ("Nova Qualquer").
 */
/** These words, folded. */
export const NO_NAMES = new Set(
  (
    "todo toda todos todas geral qualquer dia atividade funcionamento operacao ordem janeiro " +
    "fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro alta " +
    "baixa casa domicilio situacao nome razao cadastro maximo minimo ramo setor area segmento " +
    "mercado internet online site instagram facebook whatsapp bairro bairros rua avenida raio " +
    "torno volta ultimo ultimos ultima ultimas proximo proximos proxima minha meu nossa nosso " +
    "cada algum alguma outros outras outro outra mesmo mesma simples nacional mei base " +
    "crescimento expansao order total active general any all each every which person business " +
    "this that the my our brazilian brazil least stock cima baixo frente relacao torno breve " +
    "seguida conjunto parceria busca vez lugar mim casa voce mar centro"
  ).split(" "),
);
