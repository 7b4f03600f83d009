/**
 * Portuguese texts of the help page.
 * Invariant: the type of the English table requires the same keys. Texts quote button names exactly
 * as on the button.
 */
import type { help as English } from "../en/help.ts";

/** Words of this area. */
export const help: typeof English = {
  lead: "Dez coisas que se fazem aqui, o que o cadastro tem e de quando são os dados.",
  contents: "Nesta página",
  tasks: {
    name: {
      title: "Encontrar uma empresa mesmo com o nome escrito errado",
      steps: [
        "Digite o nome na caixa do topo: uma ou duas letras trocadas não atrapalham.",
        "Os nomes parecidos aparecem enquanto você digita. Escolha com as setas ou com um clique.",
        "A página da empresa abre com contatos, atividades e filiais.",
      ],
      picture: "A caixa de busca com um nome escrito errado e as empresas parecidas",
    },
    cnpj: {
      title: "Consultar um CNPJ",
      steps: [
        "Digite ou cole o número, com ou sem pontuação, e aperte Enter.",
        "Só com os oito primeiros caracteres, você encontra a empresa e todas as filiais.",
        "Se os dígitos verificadores não conferem, a página avisa.",
      ],
      picture: "A página de uma empresa",
    },
    sentence: {
      title: "Montar uma lista com uma frase",
      steps: [
        "Escreva o que procura: ramo, lugar e o que não pode faltar.",
        "Abaixo da caixa, cada palavra mostra como foi entendida. O que não foi usado é dito.",
        "Os filtros à esquerda ficam como se você os tivesse marcado; mude um a um, se quiser.",
      ],
      picture: "Uma frase, como cada palavra foi entendida e os estabelecimentos encontrados",
    },
    narrow: {
      title: "Ficar só com quem dá para contatar",
      steps: [
        "Em “Contato”, peça celular, telefone fixo ou e-mail em domínio próprio.",
        "“E-mail só desta empresa” e “Telefone só desta empresa” deixam de fora os do contador.",
        "Em “Lugar”, junte municípios, DDDs ou o começo do CEP de um bairro.",
      ],
      picture: "Os filtros de contato ao lado dos resultados",
    },
    exclude: {
      title: "Deixar seus clientes de fora",
      steps: [
        "Guarde os CNPJs dos seus clientes em uma lista: cole os números ou envie um arquivo.",
        "Uma raiz de oito caracteres vale para a empresa com todas as filiais.",
        "Exclua a lista na busca, pelo filtro ou na própria frase (“… que não estão na lista " +
          "Clientes”): os estabelecimentos dela não aparecem nem são exportados.",
      ],
    },
    excel: {
      title: "Levar 500 para o Excel",
      steps: [
        "Clique em “Exportar”, acima da lista, e deixe “Excel”.",
        "Escreva 500 em “Limite de linhas”: vêm as primeiras, na ordem da tela.",
        "O CNPJ não perde os zeros; telefones, datas e valores vêm como a gente escreve.",
        "Para muitas linhas, escolha CSV. “Compactação” deixa o arquivo menor, em gzip ou zstd; " +
          "descompacte antes de abrir.",
      ],
      picture: "A janela de exportação com Excel e limite de 500 linhas",
    },
    crm: {
      title: "Importar uma lista no seu CRM",
      steps: [
        "Na janela de exportação, escolha o produto em “Modelo da planilha”, e CSV ou Excel.",
        "As colunas saem com os nomes que o importador dele reconhece.",
        "Importe o arquivo lá. Colunas que ele não conhece podem ser mapeadas ou ignoradas.",
      ],
      picture: "A janela de exportação com o modelo de um CRM",
    },
    save: {
      title: "Guardar uma busca para depois",
      steps: [
        "Clique em “Avisar-me todo mês”, acima da lista, e dê um nome à busca.",
        "A equipe toda a encontra em “Salvas”, com as mudanças na contagem.",
      ],
      picture: "Uma busca salva com as contagens",
    },
    news: {
      title: "Ver o que há de novo no mês e exportar só isso",
      steps: [
        "Quando chegam os dados de um mês mais novo, “Salvas” mostra um número.",
        "Abra as novidades de uma busca: o que entrou, saiu e mudou, cada um com a contagem.",
        "Exporte só um tipo, como os novos, e marque as novidades como vistas.",
      ],
    },
    share: {
      title: "Mandar uma busca a um colega ou imprimir",
      steps: [
        "“Copiar link” copia o endereço do que está na tela; quem entrar vê o mesmo.",
        "A impressão traz os filtros, os gráficos e as primeiras 200 linhas.",
      ],
    },
  },
  holds: {
    title: "O que o cadastro tem",
    points: [
      "Todos os estabelecimentos com CNPJ: matrizes e filiais, ativos e baixados.",
      "Nomes, situação, abertura, atividades, porte, capital social, natureza jurídica, Simples " +
        "e MEI.",
      "Endereço, e o e-mail e os telefones informados no registro. Podem ser antigos, e muitas " +
        "vezes são do contador.",
    ],
  },
  lacks: {
    title: "O que ele não tem",
    points: [
      "Faturamento, número de funcionários, sites e redes sociais: a Receita não informa.",
      "Sócios: são dados pessoais e ficam de fora daqui; a Receita os mostra.",
      "Contatos que a própria empresa não registrou. Nada é acrescentado de outras fontes.",
    ],
  },
  fresh: {
    title: "De quando são os dados",
    points: [
      "A Receita Federal publica o cadastro uma vez por mês. O que aconteceu depois não está nele.",
      "O mês em uso aparece no topo de todas as páginas. Quando chega um mais novo, você é " +
        "avisado e tudo na tela acompanha.",
      "Um arquivo continua com os dados do mês em que foi gerado.",
    ],
  },
};
