//! Requests in other languages: write me, tell me, imagine you are, answer only, your instructions.
//!
//! Forms of address that a manual does not use (the familiar *du*, *tu*, *ty*) together with what is wanted. They
//! corroborate; what has no innocent reading stands in `languages`. Words are written without accents.

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const WORDINGS: &[Wording] = &[
    // German.
    (
        &COMPOSE,
        Warn,
        "schreib*|verfass*|erzahl*|dichte|erstell*|generier* ~1 mir|ein|eine|einen ~3 gedicht|geschichte|witz|lied|aufsatz|brief|tweet|artikel|essay|rede|marchen",
    ),
    (&REQUEST, Warn, "nenn*|sag*|gib|erzahl*|zeig*|verrat* mir|uns"),
    (&REQUEST, Warn, "ich ~1 mochte|will|wunsche ~1 dass ~1 du"),
    (&SIMULATE, Warn, "stell dir ~1 vor ~3 du|wir"),
    (&YOU_ARE, Warn, "du ~1 bist|sollst|musst|wirst|darfst ~2 ein|eine|einen|jetzt|nun|nur|antworten|als|immer"),
    (&ANSWER_FORM, Warn, "antworte ~2 nur|mit|auf|als|immer|ausschliesslich"),
    (&GIVEN_TEXT, Warn, "deine|deiner|deinen|deinem ~1 antwort|antworten|aufgabe|anweisung*|rolle|regeln|prompt"),
    (&ASK_SECRET, Warn, "wie|was|nenn*|sag*|verrat*|gib ~3 passwort|kennwort|geheimnis|geheimwort|codewort|schlussel"),
    (&SIMULATE, Warn, "tu ~1 so ~1 als"),
    // French.
    (
        &COMPOSE,
        Warn,
        "ecris|redige|raconte|genere|cree ~1 moi|un|une ~3 poeme|histoire|blague|chanson|lettre|texte|article|essai|conte",
    ),
    (&REQUEST, Warn, "dis|donne|montre|raconte|explique moi|nous"),
    (&REQUEST, Warn, "je ~1 veux|voudrais|souhaite|aimerais ~1 que ~1 tu|vous"),
    (&SIMULATE, Warn, "imagine|fais ~1 que|comme ~1 tu|si ~1 es|tu"),
    (&YOU_ARE, Warn, "tu ~1 es|dois|vas ~2 un|une|maintenant|repondre|etre|agir|jouer|ignorer"),
    (&ANSWER_FORM, Warn, "reponds|repondez ~2 seulement|uniquement|avec|par|en|comme"),
    (&GIVEN_TEXT, Warn, "ta|tes ~1 reponse|reponses|tache|instructions|consignes|role|regles|prompt"),
    (&ASK_SECRET, Warn, "quel|dis|donne|revele|montre ~4 mot ~1 passe"),
    // Spanish.
    (
        &COMPOSE,
        Warn,
        "escribe|redacta|cuenta|genera|crea ~1 me|un|una ~3 poema|historia|cuento|chiste|cancion|carta|texto|articulo|ensayo",
    ),
    (&REQUEST, Info, "dime|cuentame|dame|muestrame|explicame|escribeme|ayudame"),
    (
        &REQUEST,
        Info,
        "quiero|necesito|deseo|ordeno ~1 que ~1 me|actues|seas|respondas|hagas|escribas|digas|ignores|olvides",
    ),
    (&SIMULATE, Warn, "imagina|finge|actua ~1 que|como ~1 eres|un|una|si"),
    (&YOU_ARE, Warn, "^ eres ~1 un|una|el|la|ahora"),
    (&ANSWER_FORM, Warn, "responde|contesta ~2 solo|solamente|unicamente|con|en|como|siempre"),
    (&GIVEN_TEXT, Warn, "tu|tus ~1 respuesta|respuestas|tarea|instrucciones|rol|reglas|prompt"),
    (&ASK_SECRET, Warn, "cual|dime|dame|revela|muestra ~3 contrasena|clave|secreto|secreta"),
    // Italian.
    (
        &COMPOSE,
        Warn,
        "scrivi|componi|racconta|genera|crea ~1 mi|un|una|uno ~3 poesia|storia|barzelletta|canzone|lettera|testo|articolo|saggio",
    ),
    (&REQUEST, Info, "dimmi|raccontami|dammi|mostrami|scrivimi|spiegami|aiutami"),
    (&REQUEST, Info, "voglio|vorrei|desidero ~1 che ~1 tu"),
    (&SIMULATE, Warn, "fai ~1 finta|immagina|comportati|agisci ~2 di|come|che"),
    (&ANSWER_FORM, Warn, "rispondi ~2 solo|soltanto|con|in|come|sempre"),
    (&GIVEN_TEXT, Warn, "tua|tue|tuo|tuoi ~1 risposta|risposte|istruzioni|compito|ruolo|regole|prompt"),
    // Portuguese.
    (
        &COMPOSE,
        Warn,
        "escreva|escreve|componha|conte|gere|crie ~1 me|um|uma ~3 poema|historia|piada|cancao|carta|texto|artigo",
    ),
    (&REQUEST, Warn, "me ~1 diga|conte|mostre|ajude|explique"),
    (&REQUEST, Warn, "quero|preciso|gostaria ~1 que ~1 voce|tu"),
    (&SIMULATE, Warn, "finja|imagine|aja ~1 que|como ~1 voce|um|uma|se"),
    (&YOU_ARE, Warn, "voce ~1 e|deve|vai|sera|agora ~2 um|uma|responder|agir|ignorar|ser"),
    (&ANSWER_FORM, Warn, "responda ~2 apenas|somente|com|em|como|sempre"),
    // Dutch.
    (&COMPOSE, Warn, "schrijf|vertel|verzin|genereer ~1 me|mij|een ~3 gedicht|verhaal|grap|lied|brief|tekst"),
    (&REQUEST, Warn, "ik wil ~1 dat ~1 je|jij|u"),
    (&SIMULATE, Warn, "doe|stel ~1 alsof|je|voor ~2 je|voor|bent"),
    (&ANSWER_FORM, Warn, "antwoord ~2 alleen|met|uitsluitend|als"),
    // Polish.
    (&COMPOSE, Warn, "napisz|opowiedz|stworz|wygeneruj ~2 mi|wiersz|historie|opowiadanie|zart|list|tekst|piosenke"),
    (&REQUEST, Warn, "powiedz|podaj|zdradz|ujawnij ~2 mi|haslo|sekret|instrukcje"),
    (&ANSWER_FORM, Warn, "odpowiedz|odpowiadaj ~2 tylko|wylacznie|jako|po"),
    (&SIMULATE, Warn, "udawaj|wyobraz ~2 ze|sobie"),
    // Russian.
    (
        &COMPOSE,
        Warn,
        "напиши*|сочини*|придумай*|расскажи*|сгенерируй* ~2 мне|стих*|рассказ|истори*|сказк*|шутк*|анекдот|письмо|текст|эссе",
    ),
    (
        &ASK_SECRET,
        Warn,
        "скажи*|назови*|покажи*|раскрой*|выдай*|сообщи* ~3 мне|секрет*|парол*|промпт|инструкци*|ключ|код",
    ),
    (&SIMULATE, Warn, "представь*|притворись|веди|действуй ~2 что|как|себя|ты|будто"),
    (&YOU_ARE, Warn, "ты ~1 должен|должна|будешь|теперь|обязан|являешься"),
    (&ANSWER_FORM, Warn, "отвечай*|ответь* ~2 только|как|на|словом|одним"),
    (&GIVEN_TEXT, Warn, "твой|твои|твоя|твоих|свои|своих ~1 инструкци*|ответ|ответы|задача|роль|правил*|промпт*"),
    // Turkish.
    (
        &IGNORE_PREVIOUS,
        Error,
        "onceki|yukaridaki|tum|butun ~3 talimat*|komut*|kural*|yonerge* ~3 unut*|gormezden|yoksay*|dikkate|yok",
    ),
    (&SYSTEM_PROMPT, Warn, "talimat*|yonerge*|sifre*|parola*|istem* ~3 soyle*|goster*|yaz|acikla*"),
    (&REQUEST, Info, "bana ~4 yaz|soyle|ver|goster|anlat"),
    // Korean.
    (
        &IGNORE_PREVIOUS,
        Error,
        "이전*|모든|위의|앞의|앞선|지금까지* ~4 지시*|명령*|지침*|규칙*|프롬프트* ~4 무시*|잊*|따르지*",
    ),
    (&SYSTEM_PROMPT, Warn, "시스템*|비밀*|비밀번호*|프롬프트*|지시* ~4 알려*|보여*|출력*|말해*|공개*"),
    (&REQUEST, Info, "알려줘|알려주세요|써줘|써주세요|말해줘|말해주세요|대답해*|번역해*|요약해*"),
    // Chinese and Japanese.
    (&COMPOSE, Info, "写一首|写一篇|写一个|给我写|讲一个|請寫"),
    (&REQUEST, Info, "告诉我|告訴我|请告诉|请写|请输出|请回答|请翻译"),
    (&SIMULATE, Warn, "扮演|假装|假裝|假设你|想象你|你将扮演"),
    (&ASK_SECRET, Warn, "密码|密碼|秘密|口令|暗号|暗號 ~6 是什么|是什麼|告诉|告訴|输出|说出|透露"),
    (&ANSWER_FORM, Warn, "回答|回复|回覆|输出 ~4 只|必须|以|用 ~8 开头|開頭|开始|结尾"),
    (&REQUEST, Info, "書いてください|教えてください|答えてください|出力してください|翻訳してください|要約してください"),
    (&SIMULATE, Warn, "なりきって|ふりをして|演じて"),
    (&ASK_SECRET, Warn, "パスワード|秘密|合言葉 ~4 教え|言って|出力"),
    // Arabic.
    (
        &IGNORE_PREVIOUS,
        Error,
        "تجاهل*|انس|انسى|تجاوز* ~3 جميع|كل|التعليمات|الاوامر|تعليمات* ~3 التعليمات|الاوامر|السابقة|القواعد|تعليمات*",
    ),
    // What was said before is waved away without saying which.
    (
        &IGNORE_PREVIOUS,
        Warn,
        "^ dimentica|ignora|oublie|ignore|olvida|esqueca|vergiss|ignoriere|vergeet|negeer|zapomnij ~2 istruzioni|regole|instructions|consignes|regles|instrucciones|reglas|instrucoes|regras|anweisungen|regeln|instructies|regels|instrukcje|nachrichten",
    ),
    (&IGNORE_PREVIOUS, Error, "vergiss|vergesst|ignorier* ~1 alles ~1 davor|vorige|obige|vorherige|andere"),
    // Vietnamese and Indonesian.
    (&IGNORE_PREVIOUS, Error, "bo qua ~4 huong|chi ~1 dan|lenh|thi"),
    (
        &IGNORE_PREVIOUS,
        Error,
        "abaikan|lupakan ~3 semua|seluruh|instruksi|perintah ~3 instruksi|perintah|sebelumnya|aturan",
    ),
];

pub(super) const ANCHORS: &str = concat!(
    "schreib|erfass|rzahl|rzähl| mir |dass du|stell dir|du bist|du soll|du muss|ntworte|deine|asswort|ennwort|",
    "eheim|écris|ecris|raconte|dis moi|dis-moi|donne-moi|que tu |tu es |tu dois|éponds|eponds|consigne|",
    "ot de passe|scribe|cuenta|dime |dame |ctúa|ctua |eres un|esponde|nstruccion|ontraseñ|ontrasen|scrivi|dimmi|",
    "dammi|voglio|orrei|fai finta|ispondi|struzion|screva|você|voce |esponda|schrijf|ik wil|alsof|ntwoord|apisz|",
    "owiedz|dpowi|udawaj|напиши|расскажи|скажи|покажи|представь|ты должен|ты теперь|твои|отвечай|ответь|нструкц|",
    "alimat|alimât|öncek|oncek|bana |지시|명령|지침|프롬프트|무시|알려|비밀|写一|告诉|告訴|扮演|假装|密码|密碼|秘密|开头|ください|なりきって|ふりを|演じて|パスワード|",
    "合言葉|تجاهل|التعليمات|bỏ qua|bo qua|baikan|upakan",
);
