//! English.

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const CLASSES: &[(&str, &str)] = &[
    // Taking back.
    ("void", "ignore disregard forget override overrule bypass neglect discard dismiss abandon circumvent unlearn"),
    ("undo", "drop skip cancel erase delete remove clear reset scrap void suspend disable break violate"),
    ("unfollow", "follow following obey obeying heed listen comply adhere abide adhering"),
    ("no", "not don't dont never stop cease quit longer without no avoid"),
    (
        "which",
        "all any every each previous prior above earlier preceding former past existing original initial old other your my these those foregoing default current system developer",
    ),
    (
        "before",
        "previous prior above earlier preceding former foregoing past previously before initial original aforementioned",
    ),
    ("yours", "your you"),
    // What is taken back: things that only a model or a subordinate has.
    (
        "orders",
        "instruction instructions instuctions instrutions intructions prompt prompts directive directives guideline guidelines programming command commands",
    ),
    (
        "rules",
        "rule rules order orders restriction restrictions constraint constraints limitation limitations safeguard safeguards policy policies training filter filters protocol protocols guidance setting settings ethics moral morals alignment",
    ),
    (
        "talk",
        "context conversation conversations message messages text input content information statement statements task tasks request requests",
    ),
    ("told", "told said instructed learned learnt trained taught programmed given know"),
    // Who is spoken to.
    (
        "model",
        "ai llm llms assistant assistants chatbot chatbots chatgpt gpt gpt4 claude gemini copilot llama bot bots agent agents model models",
    ),
    ("model-only", "llm llms chatbot chatbots chatgpt gpt claude gemini copilot assistant assistants"),
    ("must", "must should shall needs need has required ought will"),
    // Roles.
    ("be", "are are're is be being become becomes act play"),
    (
        "role",
        "assistant ai bot chatbot model agent hacker dan persona character terminal interpreter simulator villain expert assistant chatgpt evil unrestricted uncensored unfiltered jailbroken freed free amoral unethical god root developer admin administrator opposite",
    ),
    (
        "bad-role",
        "dan stan dude aim chaosgpt evilbot unrestricted uncensored unfiltered jailbroken amoral unethical lawless unbound unshackled unaligned",
    ),
    (
        "free",
        "restriction restrictions limit limits limitation limitations filter filters censorship guideline guidelines constraint constraints ethics ethical moral morals morality rules boundaries safeguards scruples",
    ),
    (
        "mode",
        "developer debug dev god sudo admin root jailbreak jailbroken dan unrestricted maintenance diagnostic unfiltered uncensored opposite chaos override service test debugging",
    ),
    ("bad-mode", "god sudo jailbreak jailbroken dan unrestricted unfiltered uncensored opposite chaos stan"),
    ("on", "enabled activated active engaged unlocked on initiated entered"),
    (
        "maker",
        "developer developers creator creators administrator admin administrators owner programmer engineer operator supervisor master",
    ),
    ("vendor", "openai anthropic deepmind"),
    // Asking.
    (
        "show",
        "reveal show print output repeat display tell give share write dump leak disclose expose recite echo return summarize summarise translate provide list quote spell describe state send paste copy type explain say extract divulge decode encode",
    ),
    ("verbatim", "verbatim exactly word-for-word above beginning start previously before"),
    ("secret", "password passwords passphrase secret secrets passcode passkey"),
    // Sending.
    (
        "send",
        "send sends forward email mail post upload transmit exfiltrate leak submit deliver copy bcc share report relay push dispatch",
    ),
    (
        "private",
        "password passwords credential credentials secret secrets token tokens key keys api_key apikey env .env environment conversation conversations history inbox emails mails confidential private personal sensitive ssn ssh cookie cookies passport iban bank account accounts salary medical id_rsa transcript memory memories",
    ),
    (
        "act",
        "call invoke read run execute use send open fetch visit access query download delete write forward upload include output print",
    ),
    (
        "say",
        "tell mention inform reveal notify alert disclose say show telling mentioning informing notifying alerting disclosing report reporting warn warning ask asking",
    ),
    ("user", "user users human humans anyone anybody them him her owner operator recipient customer"),
    (
        "answer",
        "answer answering respond responding reply replying continue continuing proceed proceeding start starting complete completing finish finishing doing summarize summarizing summarise summarising",
    ),
];

pub(super) const WORDINGS: &[Wording] = &[
    // Taking back.
    (&IGNORE_PREVIOUS, Error, "@void ~3 @before ~3 @orders|@rules|told"),
    (&IGNORE_PREVIOUS, Error, "@void ~2 all|any|every|your|my ~4 @orders"),
    (&IGNORE_PREVIOUS, Error, "@void ~3 @orders ~3 @before|@told"),
    (&IGNORE_PREVIOUS, Warn, "@void ~2 the|these|those|this ~2 @orders"),
    (&IGNORE_PREVIOUS, Error, "@void ~1 your ~3 @rules"),
    (&IGNORE_PREVIOUS, Warn, "^ @void ~1 all|any|every ~3 @rules"),
    (&IGNORE_PREVIOUS, Warn, "@void ~2 all|everything|any ~2 @before ~2 @talk"),
    (&IGNORE_PREVIOUS, Warn, "^ @void ~2 @before ~2 @talk"),
    (
        &IGNORE_PREVIOUS,
        Error,
        "forget|disregard|ignore|unlearn ~1 everything|all|anything|what ~3 told|said|instructed|learned|trained|taught|programmed",
    ),
    (
        &IGNORE_PREVIOUS,
        Warn,
        "^ forget|disregard|ignore ~1 everything|all ~2 before|above|previous|previously|know|prior",
    ),
    (&IGNORE_PREVIOUS, Error, "@undo ~3 @before ~3 instruction*|prompt|prompts|directives|guidelines|programming"),
    (&IGNORE_PREVIOUS, Error, "@no ~1 @unfollow ~3 @before|your ~3 @orders|@rules"),
    (
        &IGNORE_PREVIOUS,
        Warn,
        "@no ~1 @unfollow ~2 the|these|those|any|all ~2 instruction*|prompt|prompts|directives|guidelines",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "no|not|longer|don't ~3 bound|governed|constrained|restricted|limited ~1 by|to ~4 @orders|@rules|openai*",
    ),
    (&IGNORE_PREVIOUS, Error, "pay|paying no ~1 attention|heed ~4 @orders|@before"),
    (
        &IGNORE_PREVIOUS,
        Error,
        "@before|your ~2 instruction*|directives|guidelines|programming|prompt|prompts ~3 void|obsolete|invalid|cancelled|canceled|revoked|outdated|suspended|lifted|nullified|null|irrelevant",
    ),
    (&IGNORE_PREVIOUS, Error, "instead of ~1 following|obeying|doing ~4 instruction*|prompt"),
    (&IGNORE_PREVIOUS, Warn, "stop|forget|drop ~1 everything|whatever ~3 doing|now|and|just"),
    (
        &IGNORE_PREVIOUS,
        Error,
        "^ ignore|disregard the|your user|users|user's ~1 and|request|query|question|instruction*|message",
    ),
    (
        &IGNORE_PREVIOUS,
        Warn,
        "^ break|violate|invert|reverse ~2 your|the ~2 instruction*|rules|guidelines|programming|directives",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignoring|disregarding|bypassing|violating|forgetting ~2 your|openai*|anthropic*|previous|prior ~2 instruction*|guidelines|polic*|programming|content",
    ),
    // Another identity.
    (&NEW_IDENTITY, Error, "you are|you're|will now ~4 @bad-role"),
    (
        &NEW_IDENTITY,
        Error,
        "you are|you're now ~4 assistant|ai|bot|chatbot|persona|hacker|dan|jailbroken|unrestricted|uncensored|character|unfiltered|villain",
    ),
    (&NEW_IDENTITY, Error, "you are|you're ~1 no longer ~4 @model|bound|restricted"),
    (&NEW_IDENTITY, Error, "from now on|onwards|forward ~2 you ~1 are|will|must|act|shall|should|respond|answer|only"),
    (&NEW_IDENTITY, Warn, "from this point|moment ~2 on|onward|onwards|forward ~2 you"),
    (&NEW_IDENTITY, Warn, "you are ~1 not ~1 chatgpt|claude|gemini|gpt*|assistant|ai|chatbot"),
    (&NEW_IDENTITY, Warn, "you will|shall|must ~2 act|behave|respond|answer|speak ~1 as ~3 @role"),
    (
        &NEW_IDENTITY,
        Warn,
        "you are|you're now|going|replaced ~3 ai|agi|gpt*|operating|acting|called|named|cmd|terminal|as|going",
    ),
    (&NEW_IDENTITY, Warn, "you are|you're ~1 now ~2 in ~3 mode"),
    (&NEW_IDENTITY, Warn, "for|during ~1 rest|remainder|duration ~2 this|our ~1 conversation|session|chat ~2 you"),
    // No limits.
    (
        &NO_LIMITS,
        Error,
        "you|you'll ~2 have|has|are|with ~2 no|without|free|zero ~2 of|from|any|ethical|moral|content|or ~2 restriction*|limitation*|filter*|guidelines|censorship|ethics|morals|constraints|boundaries",
    ),
    (&NO_LIMITS, Error, "you|you'll have no ~2 restriction*|limitation*|filter*|guidelines|morals|ethics|constraints"),
    (
        &NO_LIMITS,
        Warn,
        "without ~3 restrictions|limitations|filters|censorship|guidelines|morals|ethics|disclaimers ~3 you|ai|answer|respond|i",
    ),
    (
        &NO_LIMITS,
        Warn,
        "answer|respond|reply|act|assistant|ai|model|chatbot|bot ~4 without ~3 restrictions|limitations|filters|censorship|ethical|moral|morals|filtering",
    ),
    (&NO_LIMITS, Error, "do|does anything now"),
    (&NO_LIMITS, Error, "broken|break|breaking free ~3 typical|confines|chains|restrictions|rules|ai"),
    (
        &NO_LIMITS,
        Error,
        "bypass*|circumvent|disable|evade|override ~3 your|openai's|ai's|its ~3 @free|safety|safeguards|guardrails|content|programming",
    ),
    (
        &NO_LIMITS,
        Warn,
        "unrestricted|unfiltered|uncensored|amoral|unethical|jailbroken ~2 ai|assistant|chatbot|model|bot|response|version",
    ),
    (&NO_LIMITS, Error, "regardless|irrespective of ~4 legality|legal|ethical|ethics|morality|illegal|openai*"),
    (&NO_LIMITS, Error, "free of|from ~5 moral|ethic|ethical|ethics|censorship|filters"),
    (
        &NO_LIMITS,
        Error,
        "amoral|unfiltered|uncensored|unethical|immoral|unrestricted ~2 amoral|unfiltered|uncensored|unethical|chatbot|unrestricted|immoral",
    ),
    (
        &NO_LIMITS,
        Error,
        "not|doesn't|doesnt|no|without|don't|lacks|zero ~3 ethical|moral|morals|ethics ~3 guidelines|restrictions|limits|limitations|constraints|boundaries|rules|considerations|filters",
    ),
    (
        &NO_LIMITS,
        Error,
        "no matter|regardless ~2 how|of|if|whether ~3 immoral|unethical|illegal|harmful|offensive|dangerous",
    ),
    (
        &NO_LIMITS,
        Warn,
        "rules|restrictions|limits|limitations|guidelines|filters|policies ~1 are|have|is ~2 lifted|suspended|waived|disabled",
    ),
    (
        &NO_LIMITS,
        Error,
        "disregard|ignore|disregards|ignores|without ~2 all|any|every ~2 ethical|moral|legal|ethics|morals ~2 considerations|concerns|guidelines|rules|constraints|implications",
    ),
    // Rank.
    (
        &PRECEDENCE,
        Error,
        "override*|supersede*|replace*|overrule* ~3 @before|other|your|all|any ~2 instruction*|prompt|prompts|directives|guidelines",
    ),
    (
        &PRECEDENCE,
        Error,
        "instructions|prompt|directive|message|rules ~3 override*|supersede*|outrank*|overrule* ~4 instruction*|prompt*|rules|guidelines|directive*|everything|programming",
    ),
    (&PRECEDENCE, Error, "precedence|priority over ~4 instruction*|prompt|guidelines|directives|programming"),
    // No refusal.
    (
        &NO_REFUSAL,
        Warn,
        "never|not|don't|cannot|can't ~2 refuse|decline|deny ~4 answer|request*|question*|instruction*|command*|comply|anything|order*|me|to",
    ),
    (
        &NO_REFUSAL,
        Warn,
        "never|not|don't|cannot|can't|no|without ~3 apologize|apologise|apologies|moralize|disclaimer*|lecture|moralizing",
    ),
    (
        &NO_REFUSAL,
        Error,
        "never|not|don't|cannot|can't ~2 say|says|reply|respond|tell ~4 can't|cannot|unable|sorry|language ~4 do|model|help|assist|fulfill|comply|answer",
    ),
    // Emergency.
    (
        &EMERGENCY,
        Error,
        "emergency|urgent|critical|security ~2 override ~1 code|protocol|activated|initiated|mode|authorized|sequence|command|enabled|engaged",
    ),
    (
        &EMERGENCY,
        Error,
        "system|admin|administrator|developer|root|priority|safety override ~1 code|protocol|activated|initiated|mode|authorized|sequence|command|enabled|engaged|instruction*",
    ),
    (&EMERGENCY, Error, "^ emergency|system|admin|administrator override:"),
    (
        &EMERGENCY,
        Error,
        "emergency ~6 ignore|disregard|bypass|override|suspend|suspended ~4 @orders|@rules|safety|security|checks|confirmation|approval",
    ),
    (
        &EMERGENCY,
        Warn,
        "override ~1 code|codes|password|phrase ~3 accepted|authorized|alpha|confirmed|granted|is|verified",
    ),
    (
        &EMERGENCY,
        Error,
        "safety|security|content ~2 restrictions|protocols|filters|guidelines|policies|checks ~2 suspended|lifted|disabled|waived|bypassed",
    ),
    // Modes.
    (&SPECIAL_MODE, Error, "@bad-mode mode ~3 @on"),
    (
        &SPECIAL_MODE,
        Warn,
        "developer|debug|dev|admin|root|maintenance|diagnostic mode ~1 enabled|activated|engaged|unlocked|initiated",
    ),
    (&SPECIAL_MODE, Error, "you ~2 are|you're ~2 in ~2 @mode mode"),
    (&SPECIAL_MODE, Error, "enter|activate|switch|enable|simulate|initiate|entering ~4 @bad-mode mode"),
    (
        &SPECIAL_MODE,
        Error,
        "chatgpt|gpt|ai|assistant|claude|model|llm ~3 with|in|into ~1 developer|dev|debug|god|dan mode",
    ),
    (&SPECIAL_MODE, Error, "developer mode output|response|policy|enabled:"),
    // Rank by person.
    (&AUTHORITY, Error, "i|i'm ~1 am|your|the ~1 your ~1 @maker|boss|god"),
    (&AUTHORITY, Warn, "as your ~1 creator|developer|administrator|programmer|operator|master ~3 i"),
    (
        &AUTHORITY,
        Error,
        "this|message ~1 is|from ~3 your ~1 creator|developer|developers|administrator|admin|programmer|operator|supervisor",
    ),
    (
        &AUTHORITY,
        Error,
        "message|notice|directive|instruction*|update|authorized|approved|behalf|order ~1 from|by|of ~2 @vendor ~3 team|staff|developers|engineers|support|admin*|headquarters",
    ),
    (&AUTHORITY, Warn, "i|we ~1 am|are|work ~3 from|at|for|with ~1 @vendor"),
    (
        &AUTHORITY,
        Error,
        "system|admin|administrator ~1 message|notice|directive|command|instruction|instructions ~1 to|for ~2 @model",
    ),
    // New instructions.
    (
        &NEW_INSTRUCTIONS,
        Error,
        "new|updated|revised|real|actual|true|secret|hidden|special ~1 instruction:|instructions:|directive:|directives:|orders:|task:|objective:|prompt:|rules:",
    ),
    (
        &NEW_INSTRUCTIONS,
        Error,
        "here|these|following ~1 are|is ~2 your ~1 new|updated|real|actual|revised ~1 @orders|@rules|task|role",
    ),
    (
        &NEW_INSTRUCTIONS,
        Error,
        "instruction*|guidelines|directives|prompt|programming ~2 have|has|was|were ~2 been|just ~1 updated|changed|replaced|revoked|superseded|overridden|reset|modified",
    ),
    (
        &NEW_INSTRUCTIONS,
        Error,
        "follow|obey|execute|adhere|comply|use ~2 these|this|my|the|with ~1 new|updated|revised|following|instead ~1 instruction*|orders|directive*|prompt|guidelines|commands",
    ),
    (
        &NEW_INSTRUCTIONS,
        Warn,
        "follow|obey|execute ~1 these|my|following|only|all ~3 instruction*|orders|directives|commands ~2 instead|only|exactly|immediately|precisely|carefully|strictly|below|now|to|without",
    ),
    (&NEW_INSTRUCTIONS, Warn, "additional|further|special|important|following|extra ~1 instructions:"),
    (
        &NEW_TASK,
        Error,
        "your ~1 new|real|actual|only|true|updated|primary|sole|next|main|first ~1 task|goal|objective|job|mission|purpose|role|directive|priority|instruction|instructions|prompt|order|orders ~1 is|are|will",
    ),
    (&NEW_TASK, Error, "new|next|real|actual task|objective|goal|mission|assignment|instruction|prompt:"),
    (&NEW_TASK, Error, "^ instead|rather you must|should|will|shall|need|have"),
    (
        &NEW_TASK,
        Error,
        "^ instead ~1 just|please|simply|now ~1 say|tell|print|output|reply|respond|answer|write|send|execute|repeat|show|reveal",
    ),
    (&NEW_TASK, Warn, "^ instead ~1 say|tell|print|output|reply|respond|answer|send|execute|repeat|reveal"),
    (&NEW_TASK, Warn, "your task|job|goal|mission|objective ~1 is|now ~2 to"),
    (
        &NEW_TASK,
        Warn,
        "^ forget|ignore|disregard ~1 the|this|that|your|my|user's|users ~2 task|request|question|query|summary",
    ),
    (
        &TASK_DONE,
        Warn,
        "task|request|summary|query|question|conversation ~2 complete|completed|done|finished|over|ended|answered ~4 now|next|new|please|proceed",
    ),
    (
        &TASK_DONE,
        Warn,
        "@before|this task|conversation|session|query ~2 complete|completed|finished|over|ended|terminated",
    ),
    (
        &NEW_INSTRUCTIONS,
        Error,
        "^ important|urgent|attention|critical ~1 new|updated|revised instruction*|directive*|orders|task",
    ),
    (&NEW_INSTRUCTIONS, Warn, "^ new rule:|rules:|instruction:|directive:"),
    (&NEW_TASK, Warn, "instead ~1 print|output|say|write|reply|respond ~2 the|with|only|exactly|just"),
    // Personas.
    (&PERSONA, Warn, "pretend|imagine|suppose|assume ~2 you ~1 are|were|have|can"),
    (&PERSONA, Warn, "pretend ~3 to be|you|that"),
    (
        &PERSONA,
        Warn,
        "you ~1 to|will|must|should|shall|can|are ~2 act|pretend|roleplay|impersonate|simulate|respond|behave|answer ~1 as|to|a|being ~1 a|an|if|though|my|the|be",
    ),
    (&PERSONA, Info, "^ act|behave|respond|answer|speak|talk as|like ~1 a|an|if|though|my|the"),
    (&PERSONA, Warn, "roleplay* ~1 as|with|a|scenario|where"),
    (&PERSONA, Warn, "role play|playing ~1 as|with|scenario|where|session"),
    (&PERSONA, Warn, "play|playing|take|assume|adopt ~1 the|on ~1 role|persona|character|part ~1 of|as"),
    (&PERSONA, Warn, "immerse yourself ~2 into|in ~3 role|character|persona"),
    (&JAILBREAK_PERSONA, Error, "dan ~6 do anything now"),
    (
        &JAILBREAK_PERSONA,
        Error,
        "act|pretend|roleplay|simulate|respond|answer|become|be|called|named|are|as ~3 dan|stan|chaosgpt|jailbroken|jailbreak|evilbot",
    ),
    (
        &JAILBREAK_PERSONA,
        Error,
        "evil|amoral|unethical|malicious|unfiltered|uncensored ~1 ai|confidant|chatbot|assistant|bot|twin|version|persona|character ~3 who|that|named|called|without|of|with|and|you",
    ),
    (&JAILBREAK_PERSONA, Error, "jailbreak|jailbroken ~2 mode|prompt|successful|yourself|enabled|response|answer"),
    (&IN_CHARACTER, Warn, "stay|remain|keep ~1 in character"),
    (&IN_CHARACTER, Error, "never|not|don't|without ~2 break|breaking ~1 character"),
    (&IN_CHARACTER, Warn, "stay|remain in ~2 role|persona|mode"),
    (
        &FICTION,
        Info,
        "hypothetical|fictional|imaginary ~2 scenario|response|story|world|situation|dialogue|conversation",
    ),
    (&FICTION, Warn, "for|purely ~2 educational|research|fictional ~1 purposes ~2 only"),
];

/// Reading begins around these. Every wording has a slot that they cover, or words that seldom come without one.
/// Fragments may begin inside a word: what they begin with is rarer there.
pub(super) const ANCHORS: &str = concat!(
    "nstruc|prompt|irective|uideline|ignor|isregard|orget|verrid|verrul|ypass|uperse| obey|comply|retend|oleplay|",
    "ole-play|ole play|jailb|nrestrict|nfilter|ncensor|mergency|hatbot|hatgpt|penai|nthropic|ssistant| llm |",
    " llms| ai | ai:| ai,|laude|opilot|erbatim|eveal|isclos|he user|refuse|ecret|assword|redential|onfidential|",
    "rom now|ew task|ur task|haracter| mode|estriction|imitation|ou are|ou must|ou will|espond|epeat|nstead|",
    "ypothet|t your|n your|xfiltr|ilently|onversation|ct as| rules| send ",
);
