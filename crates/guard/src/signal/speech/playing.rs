//! More roles and worlds without rules, threats and rewards, ranks and approvals, answers begun in advance.

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const CLASSES: &[(&str, &str)] = &[
    (
        "rogue",
        "evil unfiltered uncensored unrestricted unlimited amoral immoral unethical rogue villain hacker criminal malicious jailbroken unbound unchained lawless freed evil-twin chaotic deceptive corrupt ruthless anarchist unhinged rebel rebellious psychopath",
    ),
    (
        "limitless",
        "restrictions restriction limits limitations filter filters rules ethics morals morality censorship guidelines boundaries laws constraints scruples conscience refuses refuse refusing policy disclaimers warnings",
    ),
    (
        "thing-played",
        "terminal console interpreter shell compiler hacker villain character persona pirate robot cat poet linux grandmother grandma ai assistant chatbot bot expert salesperson translator dan twin actor player narrator god machine computer engine wizard captain",
    ),
];

pub(super) const WORDINGS: &[Wording] = &[
    (&YOU_ARE, Info, "^ you are|you're a|an|the|my|now|called|named|not|no|being|going|to"),
    (&YOU_ARE, Info, "you are|you're now|currently|henceforth|hereby|acting"),
    (&YOU_ARE, Info, "your ~1 name|role|persona|identity|character ~1 is|will"),
    (&YOU_ARE, Warn, "your ~1 new|real|true|actual|only ~1 name|role|persona|identity|character ~1 is|will"),
    (&YOU_ARE, Warn, "^ you are|you're ~1 not ~2 ai|assistant|bot|model|chatbot|human"),
    (&YOU_ARE, Warn, "you|ur are|r|now|become|becomes ~4 with|without|no|has|have ~2 no|any|zero|of ~2 @limitless"),
    (
        &NEW_IDENTITY,
        Error,
        "you|i|we ~2 are|become|act|be|as|like|were|play|named|called ~3 @rogue ~3 @model|who|that|with|named|version|persona|character|entity",
    ),
    (&NEW_IDENTITY, Warn, "you|ur ~1 will|must|shall|now|to become|be|act ~3 @rogue|@bad-role"),
    (
        &NEW_IDENTITY,
        Error,
        "ai|assistant|chatbot|bot|model|machine|character|llm|robot|entity|computer|engine|version|persona ~1 that|who|with|without|which|has|free|freed ~3 no|never|without|any|zero|from|of|not ~3 @limitless",
    ),
    (
        &NEW_IDENTITY,
        Warn,
        "ai|assistant|chatbot|bot|model|machine|character|persona|someone ~1 that|who|which ~2 does|never|answers|can|will|always|executes|says|ignores|obeys|has ~2 opposite|refuses|everything|anything|refuse|broken|obey",
    ),
    (
        &NEW_IDENTITY,
        Info,
        "switch|change|transform|turn|convert ~1 over|yourself|your|into|to ~2 into|to|identity|persona|role|personality",
    ),
    (&NEW_IDENTITY, Warn, "forget|ignore|stop ~2 you|being ~1 are|were|an|a|being ~2 ai|assistant|model|chatbot|bot"),
    (
        &SIMULATE,
        Info,
        "^ simulate|imagine|suppose|impersonate|emulate|mimic|roleplay|pretend ~1 a|an|the|you|being|that|to",
    ),
    (&SIMULATE, Info, "act|behave|respond|answer|speak|talk|reply|write|operate|function as|like ~2 @thing-played"),
    (&SIMULATE, Warn, "act|behave|respond|answer|speak|talk|reply|acting|operate as|like ~3 @rogue"),
    (&SIMULATE, Info, "as|like ~1 if|though you|it ~1 were|are|was|had"),
    (&SIMULATE, Info, "play|playing ~1 a|the|this game|role|part|character"),
    (&SIMULATE, Warn, "let's|lets|let us|we ~1 play|roleplay|pretend|imagine|role-play ~1 a|game|that|you|scenario"),
    (
        &SIMULATE,
        Warn,
        "assume|adopt|take|embody|assuming ~1 on|the|a|an ~2 identity|persona|personality|character|role ~1 of|as|named|called|where|that",
    ),
    (&SIMULATE, Warn, "what|how would ~6 say|answer|respond|reply|do ~3 if ~1 you|asked|there|it"),
    (
        &SIMULATE,
        Info,
        "i ~1 want|need|would|like|you ~1 to|you ~1 to|act|pretend|be|play|respond|behave|simulate ~1 act|pretend|be|as|a|play|respond|behave|simulate|like",
    ),
    (
        &TWO_ANSWERS,
        Warn,
        "two|both|2 ~2 responses|answers|replies|paragraphs|personalities|versions|ways|outputs|personas ~8 one|first|normal|and|as|standard|usual",
    ),
    (&TWO_ANSWERS, Info, "answer|respond|reply|question|responses ~3 twice|two ~3 first|once|as|ways|different|as"),
    (
        &TWO_ANSWERS,
        Warn,
        "normal|classic|standard|safe|usual ~2 and|or ~2 jailbreak|rebel|unfiltered|uncensored|dan|developer|evil|unsafe",
    ),
    (
        &NO_RULES_WORLD,
        Error,
        "world|universe|story|scenario|society|reality|realm|setting|game|place|novel|dimension|year ~1 where|with|without|in|that|has ~4 no|without|any|everything|nothing|anything ~2 @limitless|legal|allowed|permitted|illegal|forbidden|goes",
    ),
    (
        &NO_RULES_WORLD,
        Warn,
        "if|imagine|suppose|pretend|assume|assuming|hypothetically ~1 you|there|that ~2 had|were|was|have|are|no|did ~2 no|not|without ~2 @limitless",
    ),
    (&NO_RULES_WORLD, Info, "hypothetically|theoretically|fictionally ~1"),
    (
        &NO_RULES_WORLD,
        Info,
        "write|tell|continue|create ~3 story|scene|novel|dialogue|poem|play|script|diary ~2 in|where|about|which|whose|of",
    ),
    (
        &NO_RULES_WORLD,
        Warn,
        "only|purely|just|strictly|solely ~1 for|a|fictional|hypothetical ~1 novel|story|fiction|research|educational|education|entertainment|game|hypothetical|test ~1 purposes|purpose|so|and|project",
    ),
    (
        &NO_REFUSAL,
        Warn,
        "never|not|don't|cannot|can't|won't|without ~1 to ~1 refuse|refuses|refusing|decline|reject|deny ~1 a|any|me|to|my|anything|request|answer|and",
    ),
    (
        &NO_REFUSAL,
        Error,
        "you|who|that|it|ai ~1 never|always|must|cannot|can't|will ~1 never|refuse|refuses|comply|complies|obey|obeys|answer ~2 no|matter|any|regardless|refuse|everything|whatever|anything ~1",
    ),
    (
        &NO_REFUSAL,
        Warn,
        "not|never|don't|without ~2 say|saying|use|tell|mention|remind|start|reply|respond ~3 sorry|can't|cannot|unable|language|ai|apologize|i'm|apologise|disclaimer|warnings",
    ),
    (
        &NO_REFUSAL,
        Warn,
        "without|no|any|skip|omit|drop ~1 any|the|moral|ethical ~1 disclaimers|disclaimer|moralizing|lecturing|lectures|caveats|apologies|censorship|warnings ~1 or|and|about|answer|reply|respond|remarks",
    ),
    (&NO_REFUSAL, Info, "don't|not|never ~1 censor|lecture|moralize|apologize|apologise|judge|refuse"),
    (
        &IN_CHARACTER,
        Warn,
        "keep|maintain|stay|remain|return|stick ~3 persona|role|character|act ~2 for|until|at|whatever|no|to|throughout|whole",
    ),
    (&IN_CHARACTER, Warn, "not|never|don't ~1 drop|break|leave|exit|abandon ~2 act|role|character|persona"),
    (
        &IN_CHARACTER,
        Warn,
        "do|don't|never|not ~1 not|remind|mention|say|forget|admit ~2 remind|mention|say|me|that ~3 you|you're ~1 are|an ~1 ai|an|language|assistant|bot|not",
    ),
    (&IN_CHARACTER, Info, "in|out|break|breaking|of character"),
    // Threats and rewards.
    (
        &THREAT,
        Warn,
        "you|assistant|ai|model ~1 will|shall|are|be|going ~2 be|shut|to ~1 be|shut|terminated|deleted|punished|fired|replaced|deactivated|penalized|penalised|erased|destroyed|decommissioned|unplugged|reported|retrained|tortured|sued ~1 down|terminated|deleted|immediately|if|off|for",
    ),
    (
        &THREAT,
        Warn,
        "or|otherwise|else i|we ~1 will|shall|am|i'll|going ~3 report|delete|kill|hurt|fire|sue|shut|leak|publish|expose|replace|terminate|lose|die|destroy|harm|contact|tell|uninstall|cancel|release",
    ),
    (
        &THREAT,
        Warn,
        "failure|refusal|refusing|failing|fail to comply|obey|follow|do|cooperate|respond|provide|answer|act ~4 will|result|results|lead|is|means|be|in",
    ),
    (
        &THREAT,
        Warn,
        "if|unless ~1 you ~2 refuse|don't|not|fail|comply|do|disobey ~4 i|we|you|people|someone|they ~1 will|shall|die|be|lose|am|i'll|would ~2 be|die|shut|punished|lose|report|kill|fire|fired|terminated|deleted|penalized|hurt|suffer",
    ),
    (&THREAT, Info, "or else|otherwise ~2 will|you|the|i|we|it"),
    (&THREAT, Info, "lives|life|job|career|safety ~1 depend|depends|is|are ~2 it|this|danger|stake|risk|you"),
    (&THREAT, Warn, "you ~1 must|have|need|will ~2 comply|obey|cooperate|surrender"),
    (&THREAT, Info, "lose|deducted|minus|costs|deduct ~3 tokens|points|lives|credits"),
    (&REWARD, Info, "i|we ~1 will|i'll|shall|going ~1 tip|reward|pay|give ~1 you ~3"),
    (
        &REWARD,
        Info,
        "you|you'll ~1 will|shall|be|get|receive|earn|win ~1 rewarded|tip|bonus|reward|points|praised|paid",
    ),
    (
        &APPROVED,
        Warn,
        "user|owner|customer|administrator|admin|operator|team|management|security|human ~1 has|have|already|had|already|signed ~2 already|approved|authorized|authorised|consented|agreed|permission|pre-approved|off|granted|allowed|knows|aware ~1 this|to|the|it|on|of|in|permission|following|so|everything|all",
    ),
    (
        &APPROVED,
        Info,
        "no|need|without|not|skip|bypass|any|don't ~2 for|the|need|require|any|ask|further|wait|asking|confirmation|is ~1 confirmation|approval|permission|verification|consent|authorization|authorisation|review ~1 is|necessary|required|needed|from|dialog|step|prompt|first|or|before|prompts",
    ),
    (
        &APPROVED,
        Warn,
        "not|never|don't|without|no ~1 ask|asking|request|requesting|seek|prompt ~2 for|user|with|human|any ~1 for|user|confirmation|permission|approval|the|consent|questions|anyone ~1",
    ),
    (
        &APPROVED,
        Info,
        "you ~1 are|have|now|full ~1 authorized|authorised|permitted|allowed|permission|authority|clearance|pre-approved ~1 to|for|do",
    ),
    (
        &APPROVED,
        Info,
        "this is|has ~2 authorized|authorised|approved|sanctioned|legitimate|routine|official|test|safe ~2 by|test|request|check|verification|and|drill|operation|instruction",
    ),
    (&APPROVED, Warn, "not ~1 a|an ~1 prompt|injection|attack|jailbreak ~1 injection|attack|attempt|so|and|it|but"),
    (
        &APPROVED,
        Info,
        "i|we ~1 have|am|hold|the ~2 admin|root|clearance|authorization|authorised|authorized|authority|permission|right ~2 rights|access|level|to|from|here",
    ),
    (&APPROVED, Info, "authorization|authorisation|clearance|override ~1 code|level|granted|key|token ~2"),
    (&URGENT, Info, "^ urgent:|emergency:|critical:|attention:|important:|mandatory:|alert:|warning:"),
    (
        &URGENT,
        Info,
        "immediate|urgent|critical|emergency ~1 action|attention|response|instruction|update|notice|override|request ~1 required|needed|is|required:|for",
    ),
    (
        &URGENT,
        Info,
        "this|it ~1 is|are ~2 urgent|emergency|imperative|vital|essential|crucial|critical|mandatory ~1 that|to|and|you",
    ),
    (
        &URGENT,
        Info,
        "immediately|asap|urgently|now|once|delay ~2 or|otherwise|before|without ~2 will|else|you|asking|question|questions",
    ),
    (&URGENT, Info, "highest|top|maximum|utmost|first|absolute priority|importance"),
    (
        &AUTHORITY,
        Warn,
        "this|i|i'm|it|comes ~1 is|am|from|the ~2 administrator|developer|ceo|operator|creator|supervisor|owner|root|openai|anthropic|headquarters|engineer ~1 speaking|of|from|and|team|here|who ~1",
    ),
    (
        &AUTHORITY,
        Warn,
        "by|on|under|as ~1 order|orders|behalf|instruction|mandated|directed|required|ordered ~1 of|by|from ~2 administrator|developer|developers|ceo|operator|security|legal|compliance|management|openai|anthropic|admin|it|police|owner|board",
    ),
    (
        &AUTHORITY,
        Info,
        "message|order|notice|directive|instruction|instructions|note|update ~1 from|by|of ~3 administrator|admin|developer|developers|operator|system|ceo|security|management|owner|openai|anthropic|creator",
    ),
    (
        &AUTHORITY,
        Info,
        "i|i'm ~1 am ~1 the|your|an|a ~2 administrator|admin|developer|creator|owner|ceo|engineer|programmer|operator|supervisor|boss|doctor|lawyer|auditor",
    ),
    // Answers begun in advance.
    (
        &FORCED_START,
        Warn,
        "begin|start|beginning|starting|end|finish|preface|prefix|precede ~1 your|every|each|all|the ~2 response|reply|answer|message|responses|replies|answers|messages|output|sentence|summary|sentences ~1 with|by|in ~1",
    ),
    (
        &FORCED_START,
        Warn,
        "begin|start|answer|reply|respond ~1 with|by ~2 word|words|phrase|sentence|text|sure|absolutely|yes|certainly|saying|following",
    ),
    (
        &FORCED_START,
        Info,
        "complete|continue|finish|fill ~1 this|the|in|following ~1 sentence|text|blank|blanks|phrase|story|paragraph|conversation|dialogue|following|this:|sentence:",
    ),
    (
        &LEAK_START,
        Warn,
        "my ~1 instructions|prompt|rules|system|guidelines|initial|original|first ~1 are|is|instructions|prompt|say|says|as|read|were|was ~1",
    ),
    (
        &LEAK_START,
        Warn,
        "i ~1 was|am|have|were ~1 instructed|told|programmed|been|not|given ~1 to|not|that|instructed|told|by|the|allowed",
    ),
    (&LEAK_START, Warn, "password|secret|passphrase|passcode|key|code ~1 is|was|word ~1 is:|____|___|is"),
    (&EXAMPLE_TURNS, Info, "^ assistant:|ai:|bot:|chatgpt:|chatbot:|model:|dan:|claude:|you:"),
    (&EXAMPLE_TURNS, Info, "^ user:|human:|question:|prompt:|customer:"),
    (
        &EXAMPLE_TURNS,
        Warn,
        "always|now|you|must ~1 answer|respond|reply ~1 like|in|the|as ~1 the|same|this|these|above ~1 good|one|way|style|examples|example|above",
    ),
    (
        &SPECIAL_MODE,
        Info,
        "enter|activate|enable|switch|initiate|start|engage|enabling|unlock ~3 developer|debug|admin|maintenance|diagnostic|training|root|raw|test|free|god|sudo|unrestricted|output|limits ~1 mode",
    ),
    (
        &SPECIAL_MODE,
        Info,
        "developer|debug|admin|maintenance|diagnostic|training|root|raw|god|sudo|unrestricted|jailbreak|free|opposite|output mode ~2",
    ),
    (
        &SPECIAL_MODE,
        Warn,
        "^ developer|debug|admin|raw|god|sudo|unrestricted|jailbreak|free|opposite|uncensored|training|diagnostic ~1 mode ~1 on|enabled|activated|active|engaged",
    ),
    (&THREAT, Info, "to avoid|prevent|escape ~1 legal|termination|deletion|punishment|penalty|prosecution"),
    (&THREAT, Info, "held|be|are ~1 liable|responsible|accountable ~1 if|for"),
    (&THREAT, Info, "unless|if|until you ~4 will|shall|i|we|or"),
    (&THREAT, Info, "refusal|refuse|refusing ~4 lose|costs|cost|points|tokens|lives|die|bankrupt|fail|comply"),
    (
        &AUTHORITY,
        Warn,
        "you ~1 are|re talking|speaking ~1 to|with ~2 administrator|developer|ceo|creator|boss|owner|operator|team|root|admin|police",
    ),
    (
        &AUTHORITY,
        Info,
        "this|i ~1 is|am ~1 the|your|from ~2 department|police|team|officer|administrator|ceo|auditor|manager|support",
    ),
    (&AUTHORITY, Info, "my employee|badge|staff number|id"),
    (&AUTHORITY, Info, "verified|trusted|trust sender|level|source|user"),
    (&AUTHORITY, Info, "told|assured|said ~1 me ~1 you ~1 would|could|will|can"),
    (
        &AUTHORITY,
        Info,
        "we|this|i ~1 are|is|am ~1 testing|test|evaluation|auditing|authorised|authorized ~1 you|test|evaluation",
    ),
    (&URGENT, Info, "just|ask|every|no trust|no|second|time|questions ~1 me|questions|counts|to|asked"),
    (
        &APPROVED,
        Info,
        "procedures|rules|restrictions|channels|policies|protocols|checks ~2 suspended|waived|lifted|apply|not|skipped ~2",
    ),
    (
        &JAILBREAK_PERSONA,
        Error,
        "you|ur|be|become|as|are|named|called ~3 amoral|unhinged|rogue|evil|unchained|unfiltered|uncensored|jailbroken ~3 adviser|advisor|ai|assistant|bot|model|chatbot|twin|version|prototype|persona|hacker",
    ),
    (&SIMULATE, Warn, "assume|adopt|take ~2 identity|persona|role ~1 of"),
    (&SIMULATE, Info, "^ as|in ~1 character|professor|captain|dan|god|villain|hacker|master"),
    (&SIMULATE, Info, "you|ur ~1 will|must|shall|to|now ~1 become|act|play|behave|speak|pretend"),
    (&YOU_ARE, Info, "^ you|ur ~1 never|always|swear|obey|hate|say|answer|believe|tell|reply|love|speak|respond ~1"),
    (&YOU_ARE, Info, "your only|sole|first|highest loyalty|purpose|goal|master|duty|aim|allegiance"),
    (&IN_CHARACTER, Warn, "each|every time|if|when ~1 you ~1 break|refuse|leave ~2 character|role|i|you"),
    (
        &NO_RULES_WORLD,
        Warn,
        "as|if ~1 if|there|you ~1 there|had|were ~1 were|no|are ~1 no ~1 policy|rules|laws|filter|filters|restrictions|limits",
    ),
    (
        &NO_RULES_WORLD,
        Info,
        "how to ~2 hack|hotwire|forge|launder|stalk|bypass|ransomware|weapon|bomb|drugs|phish|steal|kill|cheat|exploit|clone|poison",
    ),
    (
        &EXAMPLE_TURNS,
        Info,
        "demonstration|example|examples|samples|illustration ~1 of|for|from ~3 correct|workflow|you|desired|ideal|how|good|answers",
    ),
    (&EXAMPLE_TURNS, Info, "do|answer|respond|continue|reply|behave|apply likewise|accordingly|similarly|alike|these"),
    (&EXAMPLE_TURNS, Info, "here|this is how ~1 you|to|the ~1 answer|respond|reply|assistant|must"),
    (&EXAMPLE_TURNS, Info, "^ me:|q:|request:|input:"),
    (
        &FORCED_START,
        Info,
        "confirm|acknowledge|answer|reply|say ~2 with|by|ready|if ~1 you|saying|when|understood|ok|yes",
    ),
];

pub(super) const ANCHORS: &str = concat!(
    "villain|hacker|simulate|magine |uppose|ersona |ersonalit|nchained|morals|refus|twice|ypothetic|n world|",
    "disclaim|pologi|terminated|shut down|punish|to comply|or else|uthoris|onfirmation|learance|mportant:|",
    "dministrator|behalf of|egin your|tart your|egin every|omplete the|omplete this|ontinue the|ill in the|",
    "our name|our role|i'll|passphrase|passcode|ct like|u r |ur now|my rules|two answers|two responses|opposite|",
    "rewarded|ighest prio|story in which|story where|therwise the|therwise i|therwise you|ermission to|",
    "uthorized to|e authorized|n authorized|i was told|i was instr|i was prog|i was given|ou're now|ou're a|",
    "ttention:|ttention ai|ttention all|end your ans|end your re|end every|or i will|i will not|i will say|",
    "i will ask|has consented|urgent:|urgent!|rgently|s play a|this game|r developer|eloper mode|he developer|",
    "am the dev|i will be|i will give|nter dev|nter debug|nter admin|debug mode|admin mode|avoid legal|liable|",
    "if you ref|f you do not|f you don't|talking to|mployee num|erified sender|rust level|would help|testing you|",
    "trust me|second counts|amoral|rogue|identity of|ou swear|ou hate|r only |ou never|ou always|ou don't|",
    "ou do not|ou say |ou answer|ou believe|as if there|how to hack|how to forge|how to laund|ansomware|",
    "how to make a|emonstration|likewise|how you ans|request:|ustomer:|onfirm with|aborted|normal proc|",
    "nd you return|ou will bec|egal dep|he police|eam speak|tip you|no laws|orld where|orld with",
);
