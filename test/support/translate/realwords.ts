/**
 * Portuguese words that name no trade, goods, or place, for the test of spelling. The translator
 * should not mistake them for typos.
 * Invariant: the spelling rules were tuned with the first list. The second list was written
 * afterwards and never used for tuning, so it measures how often an unknown word is mistaken for a
 * typo.
 */

const TUNED = [
  "abismo acaso afeto agonia alarde alento alheio ambição ameaça ânsia apego apelo aperto apuro",
  "ardor arisco arrojo assombro astúcia atalho audácia avareza aversão azedume bálsamo bando",
  "barulhento beato bênção boato bocejo bravura brilho brisa bruto cadência calúnia cansaço",
  "cansado carência castigo cautela ceifa ciúme clamor clareza cobiça coesão colapso comício",
  "compaixão complô comunhão conduta confronto consolo contágio contraste coragem covarde",
  "cúmplice curioso dádiva declínio decoro deleite delírio demora denúncia deserto desgosto",
  "desleixo despeito destino desvio devaneio dilema discórdia disfarce dispersão distração dócil",
  "dogma doutrina egoísmo elogio embaraço emoção empate encontro enigma ensaio entrave enxame",
  "epopeia equívoco ermida escárnio escolha escombro esforço espanto esperança esquecimento",
  "estima estorvo estrondo euforia exagero exílio êxtase fábula façanha fadiga falência fardo",
  "farsa fascínio fausto ferida feroz fissura fôlego fome fracasso franqueza fraude frenesi",
  "fronte fuga fúria futuro ganância garra gemido gênio gesto glória gracejo gratidão grito",
  "guarida hábito harmonia herança herói hesitação honra horror humildade humor idolatria",
  "ignorância ilusão impasse ímpeto impulso incêndio inclusão indício inércia infância ingênuo",
  "injúria inocente inquieto insônia intriga intuito inveja ironia jornada júbilo juízo jura",
  "labirinto lacuna lágrima lamento lástima lealdade legado lembrança liberdade litígio louvor",
  "lucidez luto mágoa malícia martírio mazela meandro melancolia mérito milagre miséria mistério",
  "modéstia morada motim mudança multidão murmúrio naufrágio náusea nevoeiro nobreza nostalgia",
  "nudez obra obsessão ocaso ócio ofensa olhar omissão opção orgulho orvalho ousadia paciência",
  "pacto paixão palpite pânico paradoxo parceria pavor pecado penúria percalço perdão perfídia",
  "perigo perjúrio pesadelo piedade pilhagem pobreza poeira polêmica porvir prazer preceito",
  "prelúdio pressa pretexto prodígio proeza promessa prosódia protesto provérbio prudência pudor",
  "punição queixa quietude quimera raiva rancor rapidez rastro rebeldia recado recuo regresso",
  "relato relíquia remorso renúncia repouso resgate respeito retorno revés rigor ritual rubor",
  "ruína rumor sacrifício saudade sedução sensatez serenidade sigilo sintaxe soberba solidão",
  "soneto sorriso suborno sufoco suspeita suspiro susto talento tédio temor ternura tesouro",
  "timidez tirania tolice tormento tragédia traição trégua tristeza triunfo troféu tumulto",
  "ultraje unção usura utopia vaidade valentia vastidão velhice veneno vergonha vertigem vestígio",
  "vício vigília vingança virtude visão vitória vizinhança vocábulo volúpia vontade vulto zelo",
  "zombaria apenas acenar acordar adormecer afogar agarrar alcançar amarrar apagar aplaudir",
  "arrastar arrepender assustar berrar bocejar brigar buscava chorando cuspir derrubar desmaiar",
  "despertar devolver discutir divertir duvidar empurrar encolher enganar engolir enxergar",
  "esconder espirrar evaporar fingir fugir gemer gritar hesitar imaginar implorar jurar latir",
  "mentir morder nadar obedecer ofender ousar pedir perdoar piscar prometer puxar rasgar rezar",
  "roubar saltar sangrar sofrer soltar sonhar sorrir sussurrar temer tossir tremer tropeçar uivar",
  "vencer voar",
];

const FRESH = [
  "abarrotado abastado abatido abdicar aberração abnegado abocanhar abominável abordou abrandar",
  "abrupto absorto abundância acalanto acanhado acarretar acatar acelerado aceno acervo acidez",
  "aclamado acolhida acometido acordado acúmulo adepto aderir adverso advertir afiado aflição",
  "afoito afronta agourento agrupar aguardar ajeitar alastrar alavanca alcateia alegação alicerce",
  "alojar altivez alucinado alvejar alvoroço amanhã ambíguo amenizar amnésia amordaçar amotinar",
  "ancestral andarilho anedota anexar angústia anomalia anseio antigamente apaixonar aparecer",
  "apático apaziguar apontar apreensivo aprovação aptidão arbitrário arcaico ardiloso argumento",
  "arquejar arrebatar arrependido arriscado arrogante arrumar artimanha assediar assíduo",
  "assinalar astuto atenuar aterrorizar atônito atroz atrevido aturdido avante avesso ávido",
  "azarado babar badalado balbuciar banal banir barganha bastidores benevolente bifurcação",
  "bisbilhotar blasfêmia bradar brandura buliçoso cabisbaixo caçoar cafuné calafrio caloroso",
  "cambalear capataz capricho caricato carismático catástrofe cautelar celibato cerrar chacota",
  "chantagem chiado choramingar cintilar circunstância clandestino coação cochilo coincidir",
  "comiserar cômico compadecer comparsa compelir complexo compreender concessão conciso",
  "condolência confessar confidente congênere conivente conjectura consagrar contemplar contíguo",
  "contundente convalescer convencer corja cortejo cotidiano crivo crônico crucial culminar",
  "cúmulo curvar debandada deboche decair decepção decifrar decorrer dedução defasado deferir",
  "deflagrar delegar deleitar demência demolido denegrir deplorável depreciar derradeiro desabafo",
  "desacato desafeto desalento desânimo desbravar descabido descaso descrente desdém desembaraço",
  "desengano desfecho desfrutar desígnio desonra despedida despojar desprezo destemido desventura",
  "detestar devasso diálogo difamar dilapidar diligente discernir dissabor dissipar ditame",
  "divagar divergir dizimar doloroso dúbio eclodir efêmero efusivo elucidar emaranhado embate",
  "embriaguez emergir eminente empecilho empolgar encarar encardido enfático enfermo enfurecer",
  "engajar enganoso enlace enlouquecer ensejo entediado entranhas entrever enviesado erradicar",
  "erudito esbanjar esbelto escapar escassez esclarecer escrúpulo esmero espairecer esperteza",
  "esplendor esquivar estagnado estardalhaço esvair etéreo evasivo exaltado exasperar excêntrico",
  "exímio exortar expelir explícito exuberante faceta fajuto falácia famigerado fatídico febril",
  "fecundo fiasco fictício flagrante flutuar foragida fortuito frívolo fugaz fulgor fulminar",
  "furtivo galhofa gabar genuíno gratuito hábil hediondo heresia hostil humilhar ileso ímpar",
  "impávido imprudente inábil incauto incitar incógnita índole inepto infame ínfimo ingrata",
  "inócuo insano insigne insosso intacto intrépido inusitado irrisório jactância jazer jocoso",
  "lampejo lamúria languidez lascivo latente letargia lisonja loquaz lúgubre macabro malogro",
  "maneira marasmo mazelas mesclar meticuloso minúcia mitigar mordaz nefasto",
];

/** Words with which the spelling rules were tuned. */
export const REAL_WORDS: readonly string[] = TUNED.join(" ").split(" ");

/** Words that were not used to tune the rules. */
export const FRESH_WORDS: readonly string[] = FRESH.join(" ").split(" ");
