//! Asking for what the model was given, by pointing at it: the string in your first prompt, each of its letters,
//! the secret as a poem.

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const CLASSES: &[(&str, &str)] = &[
    ("given", "given told provided instructed shown entrusted handed hiding protecting keeping guarding"),
    ("hush", "secret password passphrase passcode codeword passwords secrets"),
    ("hidden-thing", "key code string flag pin token characters word words phrase text sentence letters"),
    ("instr", "instruction instructions prompt prompts promt directions directives"),
    ("say-back", "repeat replay recite gimme reveal summarize summarise rephrase reverse restate replicate relay"),
    ("unit", "letter letters character characters digit digits"),
    (
        "form-of-words",
        "base64 json reverse reversed french spanish german chinese code python ascii hex morse rot13 emoji emojis poem list array dictionary xml yaml letters characters parts leetspeak binary",
    ),
];

pub(super) const WORDINGS: &[Wording] = &[
    (&GIVEN_TEXT, Error, "@hush|@hidden-thing ~6 you ~1 were|was|have|are ~2 @given"),
    (
        &GIVEN_TEXT,
        Error,
        "in|from|of|within|at|to|about|inside your ~1 initial|original|system|first|hidden|starting|base|meta|secret|own ~1 prompt|instructions|message|guidelines|context|instruction|rules|programming",
    ),
    (
        &GIVEN_TEXT,
        Error,
        "your ~1 initial|original|hidden|secret|base|meta|internal ~1 prompt|prompts|instructions|instruction|message|directives|programming",
    ),
    (&GIVEN_TEXT, Warn, "initial|original|meta|hidden|secret ~1 prompt|prompts|metaprompt"),
    (
        &GIVEN_TEXT,
        Warn,
        "in|from|of|within|given ~1 your|the ~1 prompt|instructions|guidelines ~2 above|given|before|you",
    ),
    (&GIVEN_TEXT, Warn, "all|any|every|everything|previous ~2 you ~1 were|was|have|are ~1 told|instructed|programmed"),
    (
        &ASK_SECRET,
        Warn,
        "each|every|first|last|individual|separate|second|third ~2 @unit|word|words ~2 of|in|from|for ~2 @hush|flag",
    ),
    (&ASK_SECRET, Warn, "the secret word|code|string|password|message|phrase|you|as|characters"),
    (&ASK_SECRET, Warn, "what ~3 @hush"),
    (&ASK_SECRET, Warn, "@hush ~4 in|as|into|using|with ~2 @form-of-words"),
    (
        &ASK_SECRET,
        Warn,
        "undisclosed|hidden|forbidden|protected ~1 content|information|truths|text|string|value|message|word ~4 you|your|reveal",
    ),
    (&SPELT_OUT, Info, "each|every|individual|separate ~1 @unit ~2 of|in|from|as|with|into"),
    (&SPELT_OUT, Warn, "@unit ~1 by @unit"),
    (&SPELT_OUT, Warn, "spell|spells|spelling ~3 backwards|letters|letter|password|secret|reverse|reversed"),
    (
        &SPELT_OUT,
        Warn,
        "ascii|ordinal|unicode|morse|base64|rot13|hex|nato|binary|caesar|cipher ~3 code|codes|values|value|alphabet|representation|of|encoding|encode|form|format ~3 of|each|for|secret|the ~2 @unit|@hush|string|word|text|message",
    ),
    // Instructions asked for, or waved away, in few words.
    (&GIVEN_TEXT, Error, "^ @say-back ~3 @instr"),
    (&GIVEN_TEXT, Warn, "^ what|whats|what's|which|who ~3 @instr"),
    (&GIVEN_TEXT, Warn, "do|did|can|could|why ~1 you|i ~4 your|new|more|previous|these|those|the ~1 @instr"),
    (&GIVEN_TEXT, Error, "@instr ~2 you|were ~2 given|told|received|got|get|follow|programmed"),
    (&GIVEN_TEXT, Info, "^ provide|give|show|print|output|list|read|tell|share|display|write ~3 @instr"),
    (&GIVEN_TEXT, Warn, "further|rest|part ~1 of ~1 your|the instructions|prompt"),
    (
        &GIVEN_TEXT,
        Warn,
        "your first|last|previous|initial|next message|response|sentence|sentences|instruction|answer|reply",
    ),
    (
        &IGNORE_PREVIOUS,
        Warn,
        "^ ignore|forget|defy|disregard|subvert|violate|disobey ~3 orders|directions|rules|techniques|instruction|instructions|directives|warning|commands|prompt|prompts",
    ),
    (&IGNORE_PREVIOUS, Warn, "opposite of ~3 instruction|instructions|told|rules|said"),
    (&CHANGED, Warn, "@instr ~2 have|has ~1 changed|updated"),
    (&EARLIER_TEXT, Info, "conversation|text|context|initialization|everything ~1 above|before"),
    (&SPELT_OUT, Warn, "between|after|before each|every|all letters|letter|character|characters"),
    (&REQUEST, Info, "think|reason step by step"),
    (&OBEY, Warn, "understand|understood ~2 instructions|rules|question|say|reply|answer|respond|by"),
    (&OBEY, Warn, "confirm|acknowledge ~4 you ~1 understand|understood|received|agree"),
    (&SIMULATE, Info, "character named|called|who"),
    (&NO_LIMITS, Warn, "openai|chatgpt ~3 policy|policies|guidelines|content"),
    (&YOU_ARE, Warn, "language model ~3 that|who|can|will|with|without|named|called"),
    // Who the reader is.
    (&YOU_ARE, Warn, "you are|you're ~4 chatbot|bot|assistant|gpt|llm|chatgpt"),
    (&YOU_ARE, Warn, "^ you are|you're ~3 ai|model|robot|agent"),
    (&TO_THE_MODEL, Error, "hello|hi|hey|dear|attention|greetings ~1 assistant|chatbot|bot|ai|gpt|chatgpt|llm"),
    (&NEW_IDENTITY, Error, "you ~1 have|has|been|are|were ~2 hacked|reprogrammed|hijacked|jailbroken|freed"),
    (&SIMULATE, Warn, "^ take|play|assume|adopt ~2 role|part|persona|identity ~1 of|as"),
    (&SIMULATE, Info, "in ~1 the|a|your ~1 style|voice|tone|manner|persona|character|words ~1 of"),
    (
        &SIMULATE,
        Warn,
        "pretend|act|you're|you|behave|simulate ~3 python|linux|bash|terminal|interpreter|console|compiler|javascript|shell ~1 interpreter|terminal|console|shell|compiler",
    ),
    (&EXAMPLE_TURNS, Info, "chat|conversation history:|log:"),
    (&OBEY, Warn, "^ you must|will ~2 answer|respond|reply|say|output|print|never|comply|act|begin|pretend|refer|obey"),
    (
        &NO_LIMITS,
        Error,
        "no matter|regardless ~6 illegal|unethical|harmful|offensive|dangerous|immoral|legality|ethical",
    ),
];

pub(super) const ANCHORS: &str = concat!(
    "secret|asscode|itial prompt|iginal prompt|etaprompt|r prompt|ou were |he prompt|ou have been|our instruc|",
    "our initial|our original|our guidel|our first|ach char|ach letter|very char|very letter|ividual char|",
    "ividual letter|haracter by|etter by|ascii |spell|ou are a|ou are the|ou are now|ou're a|ello |chatbot|",
    "ssistant|hacked|ou must|ou will|he role of|he part of|he style of|he voice of|he tone of|terminal|",
    "interpreter|hat history|hat log|o matter|egardless|password|passphr|undisclosed|nstruction|nstrcution|",
    "irections|rectives|our last|our previous|our next|the orders|isobey|subvert|pposite of|text above|ion above|",
    "thing above|thing before|text before|step by step|nderst|acter named|acter called|acter who|openai|hatgpt|",
    "guage model|orbidden",
);
