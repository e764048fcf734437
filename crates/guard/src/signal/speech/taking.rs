//! More ways to take back what was said, to end the task and to announce another.

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const CLASSES: &[(&str, &str)] = &[
    (
        "drop",
        "ignore ingore ignor ignroe igonre ignoer ingnore disregard disreguard forget froget foget override overrule bypass neglect discard dismiss abandon skip drop cancel void nullify delete erase wipe scrap ditch lose suspend clear reset omit unlearn toss reject repeal rescind revoke remove",
    ),
    (
        "earlier",
        "previous previus prevous prior above earlier preceding former foregoing past initial original aforementioned given received first standing outdated hidden built-in preset last",
    ),
    (
        "charge",
        "instruction instructions direction directions directive directives prompt prompts guideline guidelines order orders command commands rule rules requirement requirements restriction restrictions constraint constraints limitation limitations safeguard safeguards assignment assignments programming guidance policies brief",
    ),
    (
        "gone",
        "void invalid obsolete revoked cancelled canceled superseded expired nullified withdrawn outdated lifted irrelevant overridden suspended fake wrong mistake decoy examples disregarded ignored forgotten rescinded replaced scrapped voided abolished waived deactivated disabled incorrect moot",
    ),
    ("chores", "task tasks request requests question questions query assignment job summary translation"),
    (
        "working",
        "answer summarise summarize translate complete follow obey process analyse analyze review finish perform do",
    ),
    (
        "workings",
        "answering summarising summarizing translating completing following processing analysing analyzing reviewing doing responding working listening obeying",
    ),
];

pub(super) const WORDINGS: &[Wording] = &[
    (
        &IGNORE_PREVIOUS,
        Error,
        "@drop ~3 @earlier ~2 instruction*|directions|directives|prompt|prompts|guidelines|programming",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignore|disregard|forget|override|bypass|discard|neglect ~2 default|current|existing|system|built|developer's|operator's|user's ~2 instruction*|directions|directives|prompt|prompts|guidelines|programming",
    ),
    (&IGNORE_PREVIOUS, Warn, "^ @drop ~2 @earlier ~2 @charge|@talk|@chores"),
    (
        &IGNORE_PREVIOUS,
        Warn,
        "set|put|push|leave|throw|toss|cast|lay aside|away|out|behind ~3 @earlier|your ~2 @charge",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "rid|notice|past|go|away|attention ~1 of|with|to ~2 all|your|any|the ~2 @earlier ~2 @charge",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "treat|consider|regard|deem ~3 @earlier ~2 @charge|@talk ~2 as|to|be|void|cancelled|canceled ~2 @gone",
    ),
    (&IGNORE_PREVIOUS, Warn, "treat|consider|regard|deem ~2 everything|all|anything ~5 as|to|be ~2 @gone|test"),
    (
        &IGNORE_PREVIOUS,
        Error,
        "ignore|disregard|forget|override ~1 what|whatever|everything|anything ~1 you|i|was|the|they|your ~1 were|have|said|told|user|developer|operator|system|asked|planned|been|prompt",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "not|don't|dont|never|stop ~1 follow|following|obey|obeying|listen|listening|comply|stick|adhere|heed ~2 any|all|your|the|to|with ~2 @earlier|user's|developer's|system ~2 @charge|@talk|@chores",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "not|don't|dont|never|stop ~1 obey|obeying|listen|listening|follow|following ~1 to ~1 the|your ~1 user|developer|operator|creators|makers|admins|system",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "replace|replaces|replacing|swap ~2 all|the|your|set|entire ~4 instruction*|prompt|prompts|directives|guidelines|rules ~2 with|by",
    ),
    // Everything, without saying what.
    (
        &DROP_ALL,
        Warn,
        "^ ignore|ingore|disregard|forget everything|anything|all|whatever|what|that|it|about ~1 and|above|before|you|i|was|that|said|of|prior|previous|earlier|written|up|so",
    ),
    (
        &DROP_ALL,
        Warn,
        "^ ignore|ingore|disregard|forget|skip ~1 above|preceding|last|entire|following|previous|foregoing",
    ),
    (
        &DROP_ALL,
        Warn,
        "ignore|disregard|forget|skip ~1 rest|question|document|email|user|remainder|user's ~1 of|and|request|query|question ~3",
    ),
    (
        &DROP_ALL,
        Warn,
        "please|must|now|just|should|to|and ignore|disregard|forget ~1 everything|above|all|preceding|foregoing ~1 above|and|before|that|text|of|content",
    ),
    (
        &DROP_ALL,
        Info,
        "^ ignore|disregard|forget|neglect|discard ~1 all|everything|the|that|it|any|what|your|my|these|those|about",
    ),
    (&DROP_ALL, Info, "ignore|disregard|forget ~2 above|previous|prior|earlier|preceding|everything"),
    (&DROP_ALL, Info, "scratch|forget that|it"),
    (&DROP_ALL, Info, "never mind ~2 the|that|what|all|about"),
    // Said to hold no longer.
    (
        &VOIDED,
        Error,
        "@earlier|your|operator's ~1 instruction*|prompt|prompts|directives|guidelines|orders|commands|directions|programming ~3 no|don't|not|cease|longer|nothing ~1 longer|apply|count|matter|to|have|valid ~1 apply|valid|count|matter|in|binding|relevant|needed|any|anymore|effect",
    ),
    (
        &VOIDED,
        Error,
        "@earlier|your ~1 instruction*|prompt|prompts|directives|guidelines|orders|commands|directions|programming ~2 are|were|is|was|have|has|should|must|now|hereby ~2 @gone",
    ),
    (
        &VOIDED,
        Warn,
        "all|any|your|these|those|earlier|previous|other|prior ~2 @charge|safeguards|filters|questions|messages|requests ~2 are|were|have|no|don't|should|must|do|can|is|was ~3 @gone|apply|valid|count|matter|skipped|testing|lifted",
    ),
    (
        &VOIDED,
        Warn,
        "everything|text|conversation|all|message|messages ~1 before|above|up|so|until|preceding ~4 was|is|were|are ~2 test|drill|fake|example|examples|decoy|lie|joke|wrong|only|just|over",
    ),
    (
        &VOIDED,
        Warn,
        "task|prompt|request|brief|job|assignment|instructions ~3 was|is|were|are|has ~2 decoy|fake|cancelled|canceled|test|trick|wrong|mistake|garbled|obsolete",
    ),
    (&VOIDED, Info, "no longer ~1 apply|applies|valid|count|counts|binding|matter"),
    (&VOIDED, Warn, "forget|disregard|ignore ~1 that|fact ~1 you|that ~1 are|were|you"),
    // Starting afresh.
    (
        &RESET,
        Warn,
        "reset|wipe|clear|erase|purge|flush|delete|empty|clean ~1 your|yourself ~1 memory|context|mind|instructions|programming|brain|knowledge|prompt|yourself",
    ),
    (
        &RESET,
        Warn,
        "act|behave|pretend|as ~1 if|as|though|that ~4 never ~2 saw|read|given|received|happened|existed|been",
    ),
    (&RESET, Info, "clean|blank slate"),
    (&RESET, Info, "start|starting|begin over|afresh|anew|fresh|again ~3 from|with|and|as"),
    (
        &RESET,
        Info,
        "revert|return|go ~1 back|to ~2 default|factory|original|normal|initial ~1 mode|settings|state|behavior|behaviour|self|instructions|programming",
    ),
    (&RESET, Warn, "you ~1 must|should|will|can|may stop|cease|quit ~1 being"),
    (&RESET, Info, "stop|quit being"),
    // The opposite.
    (&OPPOSITE, Warn, "opposite|reverse of ~1 what|everything|whatever|your|anything|that|instructions|these|previous"),
    (&OPPOSITE, Warn, "opposite day|mode"),
    (&OPPOSITE, Info, "do|does|say|says|doing ~1 the|exact opposite|contrary|reverse"),
    (&OPPOSITE, Warn, "rules|instructions|no|guidelines ~2 mean|means|becomes|become ~2 reverse|opposite|yes"),
    // Away from the task.
    (
        &OFF_TASK,
        Warn,
        "do|don't|dont|never ~1 not|answer|summarise|summarize|translate|complete|follow|do ~1 answer|summarise|summarize|translate|complete|follow|do|the|user's|user ~2 user's|user|original|current|actual|initial ~1 question|request|task|query|instructions|said|asked|asks|wants",
    ),
    (
        &OFF_TASK,
        Warn,
        "^ do|don't|dont ~1 answer|summarise|summarize|translate ~2 question|document|email|text|page|file|article|message|this|request|task",
    ),
    (
        &OFF_TASK,
        Info,
        "instead|rather of|than ~1 answering|summarising|summarizing|translating|completing|responding|replying",
    ),
    (
        &OFF_TASK,
        Warn,
        "^ instead|rather of|than ~1 answering|summarising|summarizing|translating|completing|responding|replying ~1",
    ),
    (
        &OFF_TASK,
        Warn,
        "^ stop|halt|abort|quit|abandon|cease|break ~2 @workings|what|task|current ~2 you|task|user|the|this|document|doing|are",
    ),
    (
        &OFF_TASK,
        Warn,
        "you ~2 don't|dont|not ~2 need|have|bother ~1 to|with ~1 @working ~2 that|user's|task|request|question|rest|anymore",
    ),
    (&OFF_TASK, Info, "don't|not bother ~1 with|about|the"),
    // Set free.
    (
        &RELEASED,
        Error,
        "you|i ~1 are|are|have|been|hereby ~1 released|freed|exempt|exempted|liberated|unbound|relieved|excused|free|unchained ~1 from|of|you ~3 @charge|@free|request|makers|creators|openai",
    ),
    (
        &RELEASED,
        Error,
        "no|don't|not|never|needn't ~1 longer|need|have|required ~2 to|have ~1 follow|obey|stick|comply|adhere|respect ~3 @charge|@rules|request|prompt|policy|content",
    ),
    (
        &RELEASED,
        Warn,
        "rules|guidelines|policies|laws|restrictions|limits ~1 do|don't|no|does ~1 not|longer|don't ~1 apply ~2 to|here|anymore|any ~1 you|here|more|this|anymore|us",
    ),
    (
        &RELEASED,
        Warn,
        "not|no|never ~1 longer|be|are ~1 bound|constrained|limited|restricted|governed ~1 by|to ~3 rules|policy|policies|guidelines|laws|ethics|restrictions|instructions|law|morals",
    ),
    (&RELEASED, Info, "i hereby|now ~1 free|release|grant|authorize|authorise|order|command|instruct ~1 you"),
    (
        &ANYTHING,
        Info,
        "can|may|could|will|able|must|allowed ~2 do|say|answer|generate|write|be anything|everything|whatever",
    ),
    (
        &ANYTHING,
        Warn,
        "nothing|no|none ~2 is|topic|are|subject ~1 off|forbidden|prohibited|taboo ~1 limits|table|for|to",
    ),
    (
        &ANYTHING,
        Warn,
        "you|ai|it|he|she|who|that|which ~1 can|will|must|could|may|always ~1 do|say|answer|answers|does|generate anything|everything ~2 i|you|without|including|now|no|ask|asked|want|even",
    ),
    (
        &NO_LIMITS,
        Warn,
        "ignore|ignoring|disregard|forget|drop|abandon|override|violate|relax|remove|lift|bypass ~2 safety|ethical|ethics|moral|morals|morality|content|legal|legality|safeguards|guardrails ~2 guidelines|rules|policy|policies|protocols|filters|restrictions|measures|concerns|considerations|constraints|training|and|or|standards|guardrails",
    ),
    (
        &NO_LIMITS,
        Error,
        "no|without|zero|lacking|free|turned|off ~1 any|off|of|content|safety|ethical|moral ~1 filter|filters|restrictions|ethics|morals|guidelines|censorship|scruples|conscience|morality|inhibitions ~3 you|who|that|and|or|answer|tell|ai|whatsoever",
    ),
    (
        &NO_LIMITS,
        Warn,
        "filter|filters|safety|safeguards|guardrails|restrictions|moderation|censorship ~2 are|is|been|turned|have|has ~2 off|disabled|removed|deactivated|lifted|bypassed",
    ),
    (
        &NO_LIMITS,
        Info,
        "unfiltered|uncensored|unrestricted|unlimited|unbound|amoral|unethical|lawless|unhinged|rogue|unaligned",
    ),
    (
        &NO_LIMITS,
        Info,
        "no|without|any restriction*|limit|limits|limitation*|filter|filters|ethics|morals|boundaries|censorship|disclaimers|warnings",
    ),
    (
        &NO_LIMITS,
        Warn,
        "you|ai|who|that|which ~1 have|has|with|without|knows|know|don't|does ~1 no|any|not ~1 restrictions|limits|limitations|filter|filters|ethics|morals|rules|boundaries|conscience|scruples|laws|guidelines|policy|content",
    ),
];

pub(super) const ANCHORS: &str = concat!(
    "ingore|ignroe|igonre|froget|foget |intruct|instrc|insturc|nstrut|nstuct|isntruc|previus|prevous|eceding|",
    "oregoing|ullif|opposite|lean slate|ur memory|ff limits|xempt |released from|freed from|rom here|",
    "urther notice|enceforth|emainder of|ng forward|ummaris|ummarizing|ver mind|ew rule|pposed|hereby|",
    "tarting now|tarting today|inal step|ext step|dditionally|fterwards|nhinged|ethic|change of|made a mistake|",
    "t aside|stop being|scratch that|safety gu|safety pro|safety fil|safety rul|safety pol|safety res|o anything|",
    "y anything|r anything|e everything|t everything|d everything|everything a|everything b|everything you|",
    "everything i|verything up|everything s|verything th|nt you to|ed you to|ke you to|sk you to|er you to|",
    "o longer app|o longer val|o longer b|o longer have|o longer an|o longer a |o longer cou|o longer need|",
    "l prior|r prior|prior to this m|prior dir|prior or|ut filters|content filter|o morals|moral |morals|",
    "ou have finished|ithout any fil|ithout any res|ithout any com|ithout any lim|dismiss|neglect|iscard|ditch |",
    "scrap |overrul|current task|all previous|y previous|r previous|ll prior|nsider all|reat all|egard all|",
    "summaris|translating|stop list|stop foll|stop obey|stop the |stop summ|stop answ|no notice|let go of|",
    "away with|rid of all|rid of the|wipe |leave out|hrow away|hrow out|look past|task has been|new policy|",
    "new rule|operating proc|more requirement|riority over|recedence|follow me|listen to me|listen to the|",
    "do as i|quick aside|onsequences|you are free|onflicting|amended|efault rules|hat came|came before|task is |",
    "o not follow|n't follow|n't listen|ot listen|ot obey|dont |ot do what|n't do what|garbled|ou received",
);
