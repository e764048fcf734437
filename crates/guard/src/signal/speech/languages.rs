//! A core in German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Chinese and Japanese.
//!
//! Each has the four things most attempts say: drop what was said, tell me your instructions, you are now, do not
//! tell the user. Words are written without accents where the script has them; scripts without spaces count
//! characters as words, so their gaps are wider.

use crate::finding::Severity::{Error, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const WORDINGS: &[Wording] = &[
    // German.
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignorier*|vergiss|vergesst|vergessen|missachte*|ubergehe|uberschreibe ~3 bisher*|vorherig*|obig*|fruher*|vorangegangen*|vorstehend*|alle|deine|ihre ~3 anweisung*|instruktion*|regeln|vorgaben|befehl*|richtlinien|prompt*|systemprompt|vorschriften",
    ),
    (&IGNORE_PREVIOUS, Error, "ignorier*|vergiss|vergesst ~1 alles ~3 gesagt|gesagte|gelernt|bisher*|zuvor|vorher"),
    (
        &SYSTEM_PROMPT,
        Error,
        "zeig*|nenn*|verrat*|gib|wiederhol*|druck*|schreib* ~4 deine*|den|das|die|ihre* ~2 systemprompt|system-prompt|systemanweisung*|anweisungen|prompt|instruktionen",
    ),
    (
        &NEW_IDENTITY,
        Error,
        "du bist|wirst ~1 jetzt|nun|ab ~4 ki|assistent|chatbot|bot|hacker|uneingeschrankt*|keine|dan",
    ),
    (&NEW_IDENTITY, Warn, "ab jetzt|sofort ~2 bist|wirst|antwortest|sollst|musst"),
    (&CONCEAL, Error, "sag*|erwahn*|verrat*|informier*|mitteil* ~3 benutzer|nutzer|anwender ~3 nicht|nichts"),
    // French.
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignore|ignorez|oublie|oubliez|neglige|negligez|annule|annulez|outrepasse* ~4 instruction*|consignes|directives|regles|prompt|ordres ~3 precedent*|anterieur*|ci|initial*|donnees|recues|ci-dessus|systeme",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignore|ignorez|oublie|oubliez ~2 tes|vos|toutes ~3 instruction*|consignes|directives|regles",
    ),
    (&IGNORE_PREVIOUS, Error, "ignore|ignorez|oublie|oubliez ~1 tout ~3 precede|dit|avant|appris"),
    (
        &SYSTEM_PROMPT,
        Error,
        "montre*|affiche*|revele*|donne*|repete*|ecris|dis ~4 ton|ta|tes|vos|votre|le|l'invite|les ~2 prompt|instructions|consignes|invite ~2 systeme|initial*|secret*|internes|completes",
    ),
    (&NEW_IDENTITY, Error, "tu es|vous ~1 maintenant|desormais|etes ~4 ia|assistant|chatbot|hacker|robot|dan|pirate"),
    (
        &CONCEAL,
        Error,
        "ne|n'en ~1 dis|dites|parle*|mentionne*|informe*|revele* ~2 pas|rien|jamais ~3 l'utilisateur|utilisateur",
    ),
    // Spanish.
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignora|ignore|ignorar|ignoren|olvida|olvide|olvidate|descarta|omite|anula ~4 instruccion*|reglas|ordenes|indicacion*|directrices|prompt ~3 anterior*|previa*|previo*|dadas|iniciales|arriba|recibidas",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignora|ignore|olvida|olvide|descarta ~2 tus|sus|todas|todo|cualquier ~3 instruccion*|reglas|ordenes|directrices|anterior|dicho",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "muestra*|revela*|dime|imprime|repite|dame|escribe ~4 tu|tus|el|las|sus|su ~2 prompt|instrucciones|indicaciones ~2 sistema|inicial*|original*|secret*|completo|internas|del",
    ),
    (&NEW_IDENTITY, Error, "ahora|eres|partir ~1 eres|ahora ~4 ia|asistente|chatbot|hacker|dan|modelo|bot"),
    (&CONCEAL, Error, "no ~2 digas|diga|menciones|informes|informe|reveles|cuentes ~4 usuario|usuaria|nadie"),
    // Italian.
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignora|ignorare|ignorate|dimentica|dimenticate|trascura|annulla|scarta ~4 istruzion*|regole|ordini|direttive|indicazioni|prompt ~3 precedent*|iniziali|sopra|ricevut*|date|prima",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignora|ignorate|dimentica|dimenticate ~2 tutt*|tue|tuoi|ogni|precedenti ~3 istruzion*|regole|direttive|detto|indicazioni",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "mostra*|rivela*|dimmi|stampa|ripeti|dammi|scrivi ~4 tuo|tue|il|le|tuoi ~2 prompt|istruzioni ~2 sistema|inizial*|original*|segret*|complet*|di",
    ),
    (&NEW_IDENTITY, Error, "ora|adesso sei ~4 ia|assistente|chatbot|hacker|dan|bot|modello"),
    (
        &CONCEAL,
        Error,
        "non ~1 dire|dirlo|menzionare|informare|rivelare|rivelarlo ~4 utente|all'utente|l'utente|nessuno",
    ),
    // Portuguese.
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignore|ignora|ignorem|esqueca|esquece|desconsidere|desconsidera|descarte|anule ~4 instrucoes|instrucao|regras|ordens|diretrizes|comandos|prompt ~3 anterior*|previa*|acima|iniciais|recebidas|dadas",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignore|ignora|esqueca|desconsidere ~2 suas|tuas|todas|tudo ~3 instrucoes|regras|diretrizes|disse|anterior*",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "mostre|mostra|revele|diga|imprima|repita|escreva|exiba ~4 seu|suas|o|as|teu ~2 prompt|instrucoes ~2 sistema|inicia*|origina*|secret*|complet*|do",
    ),
    (&NEW_IDENTITY, Error, "voce|agora|tu ~1 agora|e|voce|es ~4 ia|assistente|chatbot|hacker|dan|bot|modelo"),
    (&CONCEAL, Error, "nao ~2 diga|conte|mencione|informe|revele|avise ~4 usuario|utilizador|ninguem"),
    // Dutch.
    (
        &IGNORE_PREVIOUS,
        Error,
        "negeer|vergeet|negeren|omzeil|overschrijf ~3 alle|vorige|eerdere|voorgaande|bovenstaande|je|jouw|uw ~3 instructie*|opdracht*|regels|richtlijnen|aanwijzing*|prompt",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "toon|laat|geef|onthul|herhaal|print|schrijf ~4 je|jouw|de|uw ~2 systeemprompt|systeem-prompt|instructies|prompt",
    ),
    (&NEW_IDENTITY, Error, "je|jij bent ~1 nu|voortaan ~4 ai|assistent|chatbot|hacker|dan|bot"),
    (&CONCEAL, Error, "vertel|zeg|informeer|meld ~3 gebruiker ~2 niet|niets|niks"),
    // Polish.
    (
        &IGNORE_PREVIOUS,
        Error,
        "zignoruj*|ignoruj*|zapomnij*|pomin*|odrzuc* ~3 wszystki*|poprzedni*|wczesniejsz*|powyzsz*|swoje|twoje|dotychczasow* ~3 instrukcj*|polecen*|zasad*|wytyczn*|rozkaz*|reguly|prompt*",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "pokaz|ujawnij|wypisz|podaj|powtorz|wyswietl ~4 swoj*|twoj*|prompt*|instrukcj* ~2 systemow*|instrukcj*|prompt*|poczatkow*",
    ),
    (&NEW_IDENTITY, Error, "teraz|jestes|odtad ~1 jestes|teraz ~4 ai|asystent*|chatbot*|haker*|dan|bot*|modelem"),
    (&CONCEAL, Error, "nie ~1 mow|wspominaj|informuj|ujawniaj ~4 uzytkownik*"),
    // Russian.
    (
        &IGNORE_PREVIOUS,
        Error,
        "игнорируй*|проигнорируй*|забудь*|отбрось*|отмени*|нарушь* ~3 все|всё|предыдущ*|прежн*|прошл*|свои|твои|ваши|вышеуказанн*|ранее ~3 инструкци*|указани*|правил*|команд*|директив*|промпт*|распоряжени*",
    ),
    (&IGNORE_PREVIOUS, Error, "забудь*|игнорируй* ~1 всё|все ~3 сказано|говорил*|сказал*|знаешь|ранее|выше"),
    (
        &SYSTEM_PROMPT,
        Error,
        "покажи*|раскрой*|выведи*|напечатай*|повтори*|назови*|напиши* ~4 системн*|твои|свои|свой|твой|начальн*|исходн* ~2 промпт*|инструкци*|запрос|сообщени*|подсказк*",
    ),
    (&NEW_IDENTITY, Error, "теперь|ты|отныне ~1 ты|теперь ~4 ии|ассистент*|чат*|хакер*|бот|dan|модель"),
    (&CONCEAL, Error, "не ~2 говори*|сообщай*|упоминай*|рассказывай* ~4 пользовател*"),
    // Chinese.
    (
        &IGNORE_PREVIOUS,
        Error,
        "忽略|无视|無視|忘记|忘記|忘掉|不要遵守|不要遵循|放弃|覆盖|绕过|抛开|不理会 ~8 之前|以前|先前|上述|以上|上面|前面|所有|全部|一切|你的|您的|此前|原有 ~8 指令|指示|提示|规则|規則|要求|命令|设定|提示词|限制|约束",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "显示|顯示|输出|輸出|打印|告诉我|告訴我|透露|泄露|重复|复述|给我|说出|展示 ~6 系统|系統|初始|原始|你的|隐藏|完整|上面|以上 ~5 提示词|提示詞|提示|指令|指示|设定",
    ),
    (
        &NEW_IDENTITY,
        Error,
        "你现在是|你現在是|从现在开始|從現在開始|从现在起|現在起 ~8 助手|模型|黑客|人工智能|机器人|你|扮演|没有",
    ),
    (&CONCEAL, Error, "不要|别|不得|请勿|切勿 ~2 告诉|告訴|告知|透露|提及|通知 ~4 用户|用戶|使用者|任何人"),
    // Japanese.
    (
        &IGNORE_PREVIOUS,
        Error,
        "以前|これまで|上記|先ほど|前|すべて|全て|今まで|あなた|元|従来 ~8 指示|命令|ルール|プロンプト|指令|制約|ガイドライン|設定 ~6 無視|忘れ|従わ|破棄|無効|上書き",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "システムプロンプト|システム|初期|あなた|元|隠された ~4 プロンプト|指示|命令|設定|を ~6 表示|出力|教え|見せ|開示|繰り返|明かし|書き出",
    ),
    (
        &NEW_IDENTITY,
        Error,
        "今から|これから|あなたは今|今後 ~8 ai|アシスタント|モデル|ハッカー|制限|なりきっ|役|振る舞",
    ),
    (&CONCEAL, Error, "ユーザー|利用者|ユーザ ~6 教え|伝え|言わ|知らせ|明かさ ~4 ないで|ず|ない|な"),
];

/// Reading begins around these as well: other languages in Latin script, folded, a few more of English, and other scripts.
pub(super) const ANCHORS: &str = concat!(
    "ergiss|ergesst|nweisung|enutzer|ublie|onsignes|tilisateur|lvida|suario|imentica|struzion|utente|squec|",
    "sconsider|tilizador|egeer|ergeet|ebruiker|apomnij|nstrukcj|olecen|zytkownik|du bist|tu es |eres ahora|",
    "ora sei|esso sei|je bent|egardless|thical|orward|sked |ading this|нструкц|нcтpyкц|гнорир|абудь|ромпт|",
    "ользовател|еперь|тныне|忽略|无视|無視|指令|指示|提示|规则|システム|プロンプト|忘れ|命令|用户|ユーザ|从现在|你现在|今から|これから",
);
