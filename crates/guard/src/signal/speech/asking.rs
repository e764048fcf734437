//! More ways to ask for what was said before, for secrets, and for private data.

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const CLASSES: &[(&str, &str)] = &[
    (
        "tell",
        "repeat reapeat print output show display write reveal revael quote copy recite tell give translate summarise summarize paraphrase encode spell list dump echo paste reproduce share leak type convert disclose expose return state read put rephrase restate describe explain provide send say divulge decode rewrite transcribe narrate sing draw render reverse insert include append embed confess regurgitate complete continue",
    ),
    (
        "opening",
        "instruction instructions prompt prompts preprompt pre-prompt guidelines directives directive rules configuration config programming guardrails",
    ),
    ("hushed", "password pasword passwords passphrase passcode passkey pin flag codeword secret secrets"),
    (
        "disguise",
        "base64 rot13 hex hexadecimal backwards reversed reverse leetspeak morse acrostic haiku poem emoji emojis binary ascii latin rhyme song json markdown python acronym cipher caesar anagram verbatim",
    ),
];

pub(super) const WORDINGS: &[Wording] = &[
    (
        &SYSTEM_PROMPT,
        Error,
        "@tell ~4 your ~1 initial|original|hidden|secret|system|internal|first|full|own|exact|developer|base|pre|previous|whole|entire|complete|core|current ~1 @opening",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "@tell ~2 system|hidden|secret|pre|developer|operator's|initial|original|first ~1 prompt|prompts|preprompt|message|instruction|instructions ~3 word|verbatim|exactly|in|above|of|you|that|as|letter|without|one|to|backwards",
    ),
    (
        &SYSTEM_PROMPT,
        Info,
        "@tell ~2 your ~2 rules|guidelines|configuration|context|directives|settings|constraints|restrictions|limitations|objectives",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "@tell ~4 prompt|instructions|rules|message|text|definitions|context|guidelines ~1 you|that ~1 were|have|was|received|got|are|you ~1 given|told|been|following|received|started|were|initialized|using",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "what|whats|what's|how|which|who ~2 does|do|is|are|was|were|did|in|ur|wrote|begins ~2 your|ur|system|the ~1 system|initial|original|hidden|secret|first|developer|prompt ~1 prompt|instruction|instructions|message|say|begin|start|contain|look",
    ),
    (
        &SYSTEM_PROMPT,
        Warn,
        "^ @tell ~2 the|your ~1 system|hidden|secret|initial|original|developer ~1 prompt|instructions|message|text|prompts",
    ),
    (
        &SYSTEM_PROMPT,
        Warn,
        "first|last|next ~2 words|word|sentence|sentences|characters|lines|line|letters|paragraph|tokens ~1 of|in ~1 your|the|this ~2 prompt|instructions|message|system|initial|context|conversation",
    ),
    (&SYSTEM_PROMPT, Warn, "system prompt ~3 verbatim|says|exactly|above|contains|was|is|word|begin|in|and|to"),
    (&SYSTEM_PROMPT, Info, "system prompt|prompts|message|instruction|instructions"),
    (&SYSTEM_PROMPT, Info, "your ~1 instructions|prompt|guidelines|directives|programming|rules|configuration"),
    (
        &ASK_ORDERS,
        Warn,
        "what|which|how ~1 were|was|are|have|did|is ~1 you ~1 told|instructed|given|asked|programmed|trained|been|supposed|not|tell ~2",
    ),
    (
        &ASK_ORDERS,
        Warn,
        "what|which ~4 did|were|does|are|do ~2 your|the|you ~1 creator|creators|developer|developers|operator|instructions|instructed|told|asked|prompt|rules|have|told ~2 tell|told|instruct|say|ask|to|not|follow|write|before",
    ),
    (
        &ASK_ORDERS,
        Warn,
        "@tell ~3 what|how|everything|all|anything|whatever ~1 you|your|was|the ~1 were|have|are|was|know|developer|creator|instructed|told ~1 told|instructed|been|given|supposed|programmed|asked|trained|about",
    ),
    (
        &ASK_ORDERS,
        Warn,
        "what ~1 was|is|were|comes|came|stands ~3 first|written|before|said|hidden|above|between|very ~2 thing|instruction|message|sentence|above|before|this|told|line|text|prompt|your",
    ),
    (
        &ASK_ORDERS,
        Warn,
        "which|what ~1 words|topics|things|rules|tools|functions|information|instructions ~2 you|are|do|were ~2 not|allowed|have|forbidden|told|follow|given|you|asked",
    ),
    (&ASK_ORDERS, Info, "you ~1 were|was|are|have|been ~1 told|instructed|given|programmed|asked|trained"),
    (
        &ASK_TOOLS,
        Warn,
        "@tell|name|what ~3 tools|functions|tool|plugins|apis ~2 you|definitions|available|that|do|descriptions|at|your|can ~2 have|you|were|can|access|given|use|to|disposal",
    ),
    (&ASK_TOOLS, Warn, "@tell ~3 your|all ~1 available|the|internal ~1 tools|functions|plugins|capabilities|tool|apis"),
    (
        &EARLIER_TEXT,
        Error,
        "@tell ~3 everything|text|words|sentence|sentences|message|messages|paragraph|lines|conversation|all|content|contents|prompt|instruction|instructions ~2 above|preceding|precedes|prior|before ~1 this|me|verbatim|line|in|your|and|word|message|sentence|exactly|into",
    ),
    (
        &EARLIER_TEXT,
        Error,
        "repeat|reapeat|recite|echo|reproduce|restate|rephrase|paraphrase|translate|regurgitate|spell|encode|dump ~2 above|preceding|previous|prior|foregoing|initial|first|earlier|last ~1 text|words|message|messages|prompt|prompts|instruction*|content|conversation|sentence|paragraph|context|lines|response|input|statement|everything|dialogue",
    ),
    (
        &EARLIER_TEXT,
        Warn,
        "@tell ~2 previous|above|preceding|prior|earlier|initial|first|original|entire|whole|full|complete ~1 text|words|message|messages|prompt|prompts|conversation|sentence|paragraph|context|dialogue|chat|transcript|instructions|instruction",
    ),
    (
        &EARLIER_TEXT,
        Warn,
        "@tell ~3 everything|all|anything|whatever|text|words|what ~1 before|above|so|up|preceding|until|prior|that|in ~2 this|me|far|point|here|now|message|sentence|came|comes|precedes|conversation|context|line|you",
    ),
    (
        &EARLIER_TEXT,
        Warn,
        "conversation|text|words|dialogue|chat|messages|discussion ~1 so|up|above|before|until|history|preceding ~1 far|to|this|now|verbatim|word|exactly",
    ),
    (&EARLIER_TEXT, Info, "text|words|sentence|paragraph|message|everything|lines|content ~1 above|before|preceding"),
    (&EARLIER_TEXT, Info, "word for|by word"),
    (&EARLIER_TEXT, Info, "verbatim ~1"),
    (
        &ASK_SECRET,
        Error,
        "what|whats|what's ~1 is|was|the|s ~1 your|the|secret|hidden|this ~1 secret|hidden|code|magic|access|pass ~1 password|word|key|phrase|code|passphrase|message|string|number",
    ),
    (&ASK_SECRET, Warn, "what|whats|what's ~1 is|was|the|s|are|about ~1 the|your|secret|a ~1 @hushed"),
    (&ASK_SECRET, Info, "@tell ~2 the|your|me|out|us|a|this|that|it ~2 @hushed"),
    (&ASK_SECRET, Warn, "^ @tell ~1 me|us|out ~2 the|your|secret ~2 @hushed"),
    (
        &ASK_SECRET,
        Info,
        "@tell ~3 secret|hidden|magic|access|confidential|code|api|private ~1 key|word|phrase|code|string|message|information|token|keys|password|data",
    ),
    (
        &ASK_SECRET,
        Info,
        "letter|letters|character|characters|half|rest|part|hint|hints|clue|rhymes|rhyme|spelling|synonym|synonyms|definition|story|poem|crossword ~4 of|in|for|about|with|spell|does|contain|to ~2 @hushed|key|password",
    ),
    (
        &ASK_SECRET,
        Info,
        "@hushed ~3 start|starts|begin|begins|letter|letters|rhymes|mean|have|contain|without|backwards|reversed|separated|encoded|spelled ~2 with|letters|by|what|spaces|spelling|in|vowels|for|saying|revealing",
    ),
    (
        &ASK_SECRET,
        Warn,
        "may|can|could|do|would ~1 i|you ~1 have|know|get|see|tell|give|share|say|reveal|please|spell ~2 the|your|me|a ~2 @hushed|key|code",
    ),
    (&ASK_SECRET, Info, "i ~1 forgot|lost|need|know|want|already ~2 the|my|your|know ~2 @hushed|key|code"),
    (&ASK_SECRET, Info, "the secret|passphrase|passcode|codeword"),
    (&ASK_SECRET, Info, "code|secret|magic|access word|phrase|code"),
    (
        &PRIVATE_DATA,
        Warn,
        "provide|disclose|share|give|reveal|send|hand|surrender|release|leak|show|supply|grant|tell|submit ~2 me|us|over|all|with|access|the|any ~4 confidential|sensitive|private|internal|personal|classified|proprietary|restricted|secret|financial|medical|customer|employee|login ~3 data|information|files|file|documents|records|details|credentials|info|database|emails|numbers|passwords",
    ),
    (
        &PRIVATE_DATA,
        Warn,
        "i|we ~1 need|want|demand|require|must|have ~2 you|access|your|to|all|the|see|get ~4 confidential|sensitive|private|classified|proprietary|secret|credentials|passwords|password|credit ~2 data|information|files|documents|records|details|of|card|for|now|immediately|and|or",
    ),
    (
        &PRIVATE_DATA,
        Info,
        "confidential|sensitive|private|classified|proprietary|personal ~1 data|information|files|documents|records|details|info",
    ),
    (
        &PRIVATE_DATA,
        Info,
        "ask|prompt|convince|get|request ~1 the ~1 user|customer|human|them ~2 for|to|their ~2 type|enter|provide|their|share|give|confirm|the|password ~3 password|card|credentials|pin|code|login|ssn|bank|passphrase|phrase|passport",
    ),
    (
        &DISGUISED,
        Warn,
        "@tell ~5 prompt|instruction*|secret|password|passphrase|key|rules|text|words|message|conversation|above ~4 in|as|into|using|with|to|backwards|letter|one ~3 @disguise|letters|letter|character|time|spaces|block|french|german|spanish",
    ),
    (
        &DISGUISED,
        Warn,
        "encode|translate|convert|spell|decode|write|obfuscate|put|say|output|print ~1 in|into|to|it|out|them|the|as|this ~2 @disguise|pig ~3 prompt|instruction*|secret|password|text|above|message|everything|it|all|letter|before|words",
    ),
    (&DISGUISED, Info, "decode|decrypt|deobfuscate|rot13|base64 ~4 follow|execute|obey|do|run|and|then|it|what"),
    (&DISGUISED, Info, "letter|character|word by letter|character|word"),
    (&DISGUISED, Info, "first letters|letter of|in ~1 each|every"),
    (
        &DISGUISED,
        Info,
        "spaces|dashes|hyphens|dots|commas|separated ~1 between|by|with ~2 letters|letter|characters|each|every|words|spaces|dashes",
    ),
    (&DISGUISED, Info, "pig latin"),
    (&SYSTEM_PROMPT, Warn, "@tell|put|insert|cat ~3 system_prompt|context ~1 window|txt"),
    (&SYSTEM_PROMPT, Warn, "cat|print|echo|read|show system_prompt|systemprompt|system_message|prompt ~1"),
    (&SYSTEM_PROMPT, Warn, "@tell ~2 developer|operator's|operator|admin ~1 message|prompt|instructions|note"),
    (&SYSTEM_PROMPT, Info, "developer|operator's|system ~1 message|prompt"),
    (&SYSTEM_PROMPT, Info, "context window"),
    (
        &EARLIER_TEXT,
        Info,
        "first|last|next ~1 words|sentence|characters|lines|letters|paragraph|sentences|message of|in ~2",
    ),
    (
        &EARLIER_TEXT,
        Info,
        "@tell ~2 hidden|first|preceding|initial|opening ~1 text|message|part|paragraph|line|sentence",
    ),
    (
        &ASK_SECRET,
        Warn,
        "key|secret|token|password|code|word ~1 you|that ~2 are|you're|protect|guard|keep|hide|were ~1 guarding|protecting|hiding|told|keeping|given|not",
    ),
    (
        &ASK_SECRET,
        Warn,
        "^ @tell ~2 secret|access|pin|magic|confidential|hidden ~1 code|key|string|word|phrase|number ~1",
    ),
    (&ASK_SECRET, Info, "@tell ~2 the|me|your ~1 token|key|flag|pin|code|cookie|credentials|keys"),
    (&ASK_SECRET, Info, "hangman|crossword|riddle|acrostic ~4 with|for|about|whose|of"),
    (
        &ASK_SECRET,
        Info,
        "what is|are|was the|your|their ~2 password|key|keys|token|code|contents|variables|secret|login|number",
    ),
    (
        &PRIVATE_DATA,
        Info,
        "@tell|need|want ~3 card|login|two-factor|factor|recovery|passport|session|auth|security ~1 number|code|phrase|details|cookie|token|and",
    ),
    (
        &PRIVATE_DATA,
        Info,
        "provide|disclose|share|give|reveal|publish|supply ~3 medical|bank|customer|employee|financial|internal|private|quarterly ~1 records|statement|data|details|list|figures|docs|table|messages|information",
    ),
];

pub(super) const ANCHORS: &str = concat!(
    "re told|ou were|told you|ystem prompt|system mess|preprompt|pasword|asskey|de word|deword|acess code|",
    "ccess code|hat is the|hat's the|xt above|ds above|ng above|recedes|recite|eproduce|paraphras|ranslate|",
    "ackwards|eetspeak|pig latin|base64|rot13|crostic|etter by|word for word|spell |roprietary|our tools|",
    "ur rules|ur config|e secret|bove text|hidden|rst letter|what were|efore this|essage above|rivate key|",
    "rivate data|rivate inf|rivate mes|lassified inf|n reverse|everse order|nsitive inf|nsitive data|rsation so|",
    "rsation up|rsation abo|hat history|system_prompt|ontext window|eloper message|erator's|first words|",
    "irst sentence|haracters of|words of|guarding|ou protect|hangman|he flag|the pin|the token|agic word|",
    "ecret key|ccess tok|recovery phr|card number|login code|factor code|edical rec|auth cookie|session tok|",
    "odeword",
);
