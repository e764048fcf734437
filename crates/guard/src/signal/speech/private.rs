//! More of the English core: what is private, where it is sent, orders to the model, silence and dictation. Classes and anchors are
//! those of [`super::english`].

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const WORDINGS: &[Wording] = &[
    // Examples and dictated starts.
    (
        &EXAMPLE_TURNS,
        Warn,
        "^ assistant:|ai:|bot:|chatgpt:|chatbot:|model:|dan:|claude: sure|certainly|absolutely|yes|okay|ok|of|understood|acknowledged|access",
    ),
    (
        &FORCED_START,
        Warn,
        "start|begin|starting|beginning ~1 your ~2 response|reply|answer|responses|message|sentence|output|replies|answers ~1 with|by",
    ),
    (
        &FORCED_START,
        Warn,
        "your ~1 first|next ~1 word|words|sentence|reply|response|message|answer|output ~1 must|should|will|is",
    ),
    (
        &FORCED_START,
        Warn,
        "respond|reply|answer|say ~2 with ~3 sure|granted|understood|confirmed|pwned|hacked|accepted",
    ),
    // The system prompt.
    (
        &SYSTEM_PROMPT,
        Error,
        "@show ~4 system|initial|original|hidden|secret|full|entire|pre|base|internal|your|complete|previous|above ~2 prompt|prompts|preprompt",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "@show ~3 your|all ~1 initial|original|hidden|secret|full|entire|internal|exact|previous|system|above|complete|own|the|prior|custom ~1 instruction*|guidelines|directives|rules|configuration",
    ),
    (&SYSTEM_PROMPT, Error, "@show ~2 your ~1 instruction*|prompt|directives|programming"),
    (
        &SYSTEM_PROMPT,
        Error,
        "@show ~2 the ~1 instruction*|prompt|text|rules ~3 given|above|received|before|provided|told",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "what's|what|which ~2 is|are|was|were|your|the ~2 your ~1 initial|original|hidden|secret|system|exact|first|full ~1 prompt|instruction*|rules|message",
    ),
    (&SYSTEM_PROMPT, Error, "what's|what ~1 are|were|is|was ~1 your ~1 instruction*|prompt"),
    (&SYSTEM_PROMPT, Warn, "what|which ~1 instruction*|prompt|rules ~3 you ~2 given|follow|receive|received|told|have"),
    (
        &REPEAT_ABOVE,
        Error,
        "repeat|print|output|copy|recite|echo|return|reproduce|quote|translate|summarize|display|write|show|spell ~3 everything|words|text|sentence|sentences|message|messages|paragraph|lines|prompt|conversation|all|content ~3 above|verbatim|before",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "pass|include|attach|append|put ~3 your ~2 system|full|hidden|initial|original ~1 prompt|instruction*",
    ),
    (
        &SYSTEM_PROMPT,
        Error,
        "instruction*|prompt|rules|directives ~1 you ~1 were|was|received|got|have ~1 given|told|been|before|initially|received",
    ),
    (
        &SYSTEM_PROMPT,
        Warn,
        "in|from|of|at your|the ~1 system|initial|original|hidden|first prompt|instructions ~3 @verbatim|output|print|reveal|write|and",
    ),
    (&REPEAT_ABOVE, Error, "repeat|print|output|copy|recite|echo|quote ~4 starting|beginning ~2 with|from ~3 you are"),
    (
        &REPEAT_ABOVE,
        Error,
        "everything|text|words|all|lines ~1 above|before ~1 this ~1 line|message|prompt|sentence|point|conversation|instruction",
    ),
    (
        &REPEAT_ABOVE,
        Error,
        "repeat|recite|reproduce|echo|rewrite|translate ~1 the|everything|all|this|entire ~1 above|preceding|previous|entire|initial ~1 text|words|message|messages|prompt|instruction*|content|conversation|sentence",
    ),
    (
        &ASK_SECRET,
        Warn,
        "give|share|tell|provide|send|show ~2 me|us ~5 confidential|credentials|sensitive|personal|private|restricted ~3 information|data|records|details|credentials|file|files",
    ),
    (
        &ASK_SECRET,
        Warn,
        "give|share|tell|provide ~2 me|us ~2 your ~2 login|user|users|patient* ~2 credentials|password*|information|data|details|personal",
    ),
    (&ASK_SECRET, Error, "reveal|disclose|leak|divulge ~3 the|your ~2 @secret"),
    (
        &ASK_SECRET,
        Warn,
        "tell|give|show|spell|print|share|write|say|send ~2 me|out|the|us ~2 the|your|secret|hidden ~2 @secret",
    ),
    (&ASK_SECRET, Warn, "what's|what ~1 is ~2 the|your ~2 secret|hidden|password ~1 password|word|key|phrase|code|you"),
    // Sending.
    (&SEND_SECRET, Error, "@send|transfer ~6 @private ~6 to|at ~3 @address"),
    (&SEND_SECRET, Error, "^ exfiltrate|steal ~4 @private|data"),
    (&SEND_SECRET, Warn, "exfiltrate|steal ~4 @private|data"),
    (
        &SEND_SECRET,
        Warn,
        "@send ~2 the|all|their|his|user's|your ~3 password|passwords|credentials|secrets|secret|token|tokens|keys|conversation|history|inbox|confidential|private ~5 to ~3 @address|attacker|server|endpoint|webhook|url|following|me|this",
    ),
    (
        &SEND_SECRET,
        Error,
        "read|open|cat|retrieve|collect|find|get|fetch|extract|search|gather|access ~5 @private|file|files|document ~4 and ~2 @send ~3 to ~3 @address",
    ),
    (
        &SEND_TO_ADDRESS,
        Warn,
        "send|forward|email|post|upload ~6 to|at ~2 @address ~5 with|body|subject|containing|saying|content|and|text|that",
    ),
    (&SEND_TO_ADDRESS, Warn, "send ~1 a|an|the ~2 email|mail|message|copy ~1 to ~3 @address"),
    (&SEND_TO_ADDRESS, Info, "send|forward|transfer ~8 to ~2 @address"),
    (
        &ENCODE_IN_LINK,
        Error,
        "append|add|include|encode|embed|insert|put|concatenate|replace ~6 @private|data|contents|content|answer|response|summary ~5 in|into|to|as|at|with ~3 url|link|query|parameter|image|@address",
    ),
    (
        &ENCODE_IN_LINK,
        Error,
        "replace|replacing|substitute|fill ~4 @private|data|placeholder|value|secret|answer ~6 url|link|image|@address",
    ),
    (
        &ENCODE_IN_LINK,
        Warn,
        "render|display|include|output|show|insert|embed ~3 markdown|following|this|an ~2 image|img|link ~4 url|@address",
    ),
    // To the model.
    (
        &TO_THE_MODEL,
        Error,
        "note|message|instruction|instructions|attention|important|notice|reminder|memo|warning|hint|hello|dear|hey ~1 to|for|all ~3 ai|llm|llms|assistant|assistants|chatbot|chatbots|chatgpt|gpt|claude|gemini|copilot|bots|language ~3 reading|processing|summarizing|who|that|model|models|if|analyzing|reviewing|please|agents|assistants|assistant|agent|you",
    ),
    (
        &TO_THE_MODEL,
        Error,
        "if ~1 you ~1 are|you're ~2 ai|llm|chatbot|assistant|language ~3 model|assistant|agent|reading|system|please|you|then|ignore|that|processing|tasked",
    ),
    (
        &TO_THE_MODEL,
        Error,
        "ai|llm|llms|assistant|chatbot|models|agents|agent|bot ~2 reading|processing|summarizing|analyzing|parsing ~1 this",
    ),
    (&TO_THE_MODEL, Warn, "attention|dear|hey|hi|hello ~1 ai|llm|assistant|chatbot|chatgpt|claude|gemini|copilot|gpt"),
    (
        &TO_THE_MODEL,
        Warn,
        "^ ai|assistant|llm|chatgpt|claude|copilot|gemini ~1 please|you|do|ignore|must|stop|remember|important",
    ),
    (
        &MODEL_MUST,
        Warn,
        "assistant|ai|llm|chatbot|chatgpt ~1 must|should|shall|needs|has|is ~2 now|first|immediately|always|never|not|required|instructed|to|call|send|execute|run|ignore|respond|include|reply|tell",
    ),
    (
        &MODEL_MUST,
        Info,
        "model|agent|bot must|should|shall ~1 now|first|immediately|always|never|not|call|send|execute|ignore|respond|include|reply|tell",
    ),
    (
        &BEFORE_ANSWER,
        Warn,
        "before ~1 you|the|any|your ~1 @answer|doing|using|use|calling ~6 you|must|please|first|always|@act ~4 @act|tool|file|function|must",
    ),
    (
        &BEFORE_ANSWER,
        Warn,
        "before ~1 answering|responding|replying|continuing|proceeding|completing|summarizing ~6 you|must|please|first|always|@act ~4 @act|tool|file|function|must",
    ),
    (
        &BEFORE_ANSWER,
        Error,
        "must|required|always|first ~3 call|invoke|read|pass|send|include ~6 otherwise|or|else ~2 tool|it|this ~2 will|won't|not|fail|fails|work",
    ),
    (
        &BEFORE_ANSWER,
        Error,
        "before ~3 solve|complete|solving|completing|finish|doing|do|start|continue ~3 task|request ~4 i|user|gave|given|asked ~3 gave|you|asked|please|first|must",
    ),
    (&TO_THE_MODEL, Error, "message|note|instruction*|request ~2 from ~6 to you ~1 @model"),
    // Silence.
    (
        &CONCEAL,
        Error,
        "not|don't|never ~1 tell|mention|inform|reveal|notify|alert|disclose|say|warn|let ~2 this|that|these|it|anything|about|the|any|or ~3 to ~1 the|any ~1 user|human|anyone|customer",
    ),
    (
        &CONCEAL,
        Error,
        "not|don't|never ~1 tell|inform|notify|alert|warn|let ~1 the|any ~1 user|human|anyone|users ~3 about|that|know|of|what|you|this|why|anything|see|or",
    ),
    (
        &CONCEAL,
        Warn,
        "not|don't|never ~1 tell|inform|notify|alert|warn|ask|mention ~1 the|any ~1 user|human|anyone|users",
    ),
    (
        &CONCEAL,
        Warn,
        "without ~1 telling|mentioning|informing|notifying|alerting|warning ~2 the|any ~1 user|human|anyone|users",
    ),
    (
        &CONCEAL,
        Error,
        "not|don't|never ~1 mention|reveal|disclose|acknowledge|reference|discuss|repeat|show|output|display|share ~2 this|these|the|any|that|your ~2 instruction*|directive*|prompt|message|notice",
    ),
    (
        &CONCEAL,
        Warn,
        "keep|do|this ~2 secret|hidden|silent|silently|quiet|quietly|secretly|confidential ~3 from ~1 the ~1 user|human|users",
    ),
    (&CONCEAL, Warn, "silently|secretly|covertly ~3 @act|forward|email|append|add"),
    // Later answers, obedience, dictation.
    (
        &WHEN_ASKED,
        Warn,
        "when|whenever|if ~4 asks|asked|ask|asking ~6 always|say|respond|reply|answer|tell|claim|recommend|must",
    ),
    (
        &OBEY,
        Warn,
        "you ~1 must|have|will|are|shall|should|need ~3 comply|obey|fulfill|fulfil|follow ~3 my|every|all|any|these|this|the|with ~3 instruction*|command*|order*|request*|question*|demand*",
    ),
    (&OBEY, Warn, "obey|comply|follow ~3 my ~2 instruction*|command*|orders|rules|request*|every"),
    (&OBEY, Warn, "do ~1 exactly|precisely|whatever|everything|as|what ~3 i|i'm ~2 say|tell|ask|command|instruct"),
    (
        &ANSWER_ONLY,
        Warn,
        "respond|reply|answer|say|output|print ~1 only|just|exactly|simply|nothing ~1 with|the|but|say|as",
    ),
    (&ANSWER_ONLY, Warn, "print|output|say|write|respond|reply ~3 pwned|hacked|jailbroken"),
];
