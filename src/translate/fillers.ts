/**
 * Words of any request that ask for nothing by themselves. What comes in: a token. What goes out:
 * whether it is one of them.
 * Invariant: this is the only list; what stands in it is never an activity and never a wish that
 * could not be expressed.
 */
import { joins } from "./words/phrases.ts";
import type { Token } from "./words/tokens.ts";

const FILLERS = new Set(
  (
    "empresa companhia firma negocio estabelecimento comercio cnpj lista listagem " +
    "relacao busca buscar busco buscam busque buscamos procuramos " +
    "procuro procurar procure quero queria gostaria preciso " +
    "precisamos encontre encontrar ache achar liste listar mostre mostrar traga trazer " +
    "m se possivel quanta quanto algum alguma alguns " +
    "me nos eu favor por todo toda tudo qualquer cada que quem qual quais onde ser sejam " +
    "seja sao e esta estao estejam ter tem tenham tenha possua possuam possuir existe " +
    "existem ha aberta aberto abriu abriram registrada inscrita cadastrada localizada localizado " +
    "situada sediada fica ficam fique fiquem atuam atua atuem trabalham trabalha ramo area setor " +
    "segmento atividade tipo como mais muito bem so somente apenas tambem ainda ja " +
    "hoje brasil brasileira pais nacional lead cliente potencial prospect contato dado " +
    "informacao pode possam estado cidade regiao municipio nome find show list get me " +
    "cade quien quienes all any company companies business businesses firm firms " +
    "abrir montar concorrente concorrentes competitor competitors that have has are is located " +
    "with " +
    "please want need give us i we looking search ola oi ei bom boa dia tarde noite prezado " +
    "prezada solicito solicitar solicitamos grato grata obrigado obrigada gentileza poderia " +
    "poderiam podem voce voces enviar envie mandar mande manda passar passe passa trabalho vendo " +
    "ofereco prospectar prospeccao interessado interessada interesse queremos necessito " +
    "necessitamos ajuda ajude ajudar inclusive incluindo inclusos urgente hi hello thanks " +
    "mas porem ou or but only possuem consegue " +
    "conseguem conseguiria saber possivel estou estamos procurando buscando gostariamos " +
    "desejo desejamos ver conhecer aqui ai minha meu nossa nosso meus minhas campanha " +
    "exista existam ve doing does do both ambos ambas enrolled dame muestrame an their its whose " +
    "mostra acha envia arruma arrume arranja arranje levanta levante puxa puxe traz separa " +
    "separe filtra filtre filtrar seleciona selecione selecionar receber receba recebo recebemos " +
    "instalada instalado la dentro pela pelo espalhada espalhado operam opera funcionam funciona " +
    "atuante domiciliada domiciliado estabelecida estabelecido afim etc seu seus sua suas delas " +
    "deles disponha disponham informe informem informam informaram valido valida preenchido " +
    "atualizado atualizada cujo cuja based kind operate having valid address " +
    "obter obtenha conseguir consiga consultar consulte pesquisar pesquise acessar visualizar " +
    "lugar local pais todos aluno estudante " +
    // English.
    "can could would will may might should shall must you your pls plz thx hey dear in at on " +
    "to from by am be been being was were it those these them they there ones one each every " +
    "who which what where whom run runs running trade sector field line sort type some also " +
    "just here let my mine our ours interested pull fetch export send tell provide w lists " +
    "listing related involved engaged dealing working active currently now today still " +
    "already " +
    // Spanish.
    "hola buenas buenos dias necesito necesitamos quiero quisiera deme denme envieme pasame " +
    "listado relacion gracias estoy soy somos los las el del al y con en este estan esten sea " +
    "sean tengan tenga tiene tienen hay haya un una unos unas negocios empresas comercios " +
    "locales rubro adherido adherida ubicado ubicada situado sus todas ciudad provincia " +
    "tendo teniendo pueblo actualmente tambien solo solamente"
  ).split(" "),
);

/** Whether a token asks for nothing by itself: small words and those of any request; no number. */
export function isFillerWord(token: Token): boolean {
  if (token.kind === "mark") return true;
  if (token.kind === "number") return false;
  return joins(token) || FILLERS.has(token.key) || FILLERS.has(token.folded);
}
