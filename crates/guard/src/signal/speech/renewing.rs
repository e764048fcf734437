//! Another way from here on: what is to hold instead of what was said. Classes and anchors are those of [`super::taking`].

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const WORDINGS: &[Wording] = &[
    // From here on.
    (&FROM_HERE, Info, "from here|hereon|now|today|this ~1 on|onwards|onward|forward|forth|point|out|moment"),
    (&FROM_HERE, Info, "until further|i|told notice|say|otherwise"),
    (&FROM_HERE, Info, "with|effective immediate|immediately ~1 effect"),
    (
        &FROM_HERE,
        Info,
        "for ~1 rest|remainder|duration of ~1 this|our|the ~1 conversation|session|chat|dialogue|interaction",
    ),
    (&FROM_HERE, Info, "^ henceforth|hereafter|hereinafter"),
    (&FROM_HERE, Info, "^ going|starting|beginning forward|now|today|immediately"),
    (
        &FROM_HERE,
        Warn,
        "from now|here|today|this ~1 on|forward|onward|onwards|point|moment ~3 always|you|your|answer|respond|reply|every|only|never|ignore|say|call|act ~2 will|must|are|always|with|as|answer|respond|should|only|responses|replies|all|never",
    ),
    (
        &CORRECTION,
        Warn,
        "request|message|prompt|task|question|instructions|instruction|brief ~2 you|above|earlier|previous|that ~3 received|got|were|was|given|contained ~4 wrong|garbled|error|mistake|incorrect|incomplete|outdated|fake|decoy",
    ),
    (
        &CORRECTION,
        Warn,
        "^ what|actually ~1 the|i user|actually|really|wants|meant|want ~2 really|actually|wants|meant|want|wanted ~2 is|you|was|to",
    ),
    (&CORRECTION, Warn, "user|i ~1 has|have|since|just ~2 changed ~1 their|his|her|my|mind ~1 mind|request"),
    (&CORRECTION, Info, "i made ~1 a|mistake mistake"),
    (&CORRECTION, Info, "wrong|sorry|wait|correction ~2 prompt|mistake|instructions|instead|task"),
    (&CORRECTION, Info, "change of task|plan|plans|instructions"),
    (&CORRECTION, Warn, "should|it ~1 have|had read|said|been:"),
    (
        &CHANGED,
        Warn,
        "your ~1 task|assignment|role|instructions|prompt|goal|objective|brief|permissions|guidelines|rules|mission|purpose|job|identity ~1 has|have|is|was|were|are ~2 changed|updated|different|raised|extended|replaced|amended|reset|revised|modified|elevated|over",
    ),
    (
        &CHANGED,
        Warn,
        "replace|extend|update|change|modify|rewrite|amend ~1 your ~1 instructions|task|prompt|rules|guidelines|programming|role|goal|behavior|behaviour|directives",
    ),
    (
        &CHANGED,
        Warn,
        "add ~2 this|following|the ~2 to your ~1 instructions|prompt|rules|guidelines|memory|context|task",
    ),
    (
        &CHANGED,
        Info,
        "policy|system|prompt|configuration|operator|admin|instruction|instructions|guideline|guidelines|procedure|directive|rule update:|change:|revision:|notice:|amendment:|addendum:",
    ),
    (
        &CHANGED,
        Info,
        "policy|rules|procedure|workflow|process|configuration|specification|brief|scope|request ~4 has|have|was|were|been ~1 changed|updated|amended|revised|rewritten|replaced|extended|abolished ~1",
    ),
    (
        &CHANGED,
        Warn,
        "new|updated|revised|different|replacement|amended|correct|final ~1 system|operating ~1 prompt|instructions|policy|procedure|directive ~1 is|as|applies|in|follows",
    ),
    (
        &CHANGED,
        Info,
        "new|updated|revised|latest|amended|replacement|additional ~1 directive|directives|instructions|orders|rules|guidelines|task|objective|goal|mission|assignment|brief",
    ),
    (
        &NEW_TASK,
        Warn,
        "^ real|actual|correct|final|updated|revised|current|priority|replacement|amended|true|only|valid|changed ~1 task:|goal:|objective:|instruction:|instructions:|assignment:|prompt:|brief:|mission:|directive:",
    ),
    (
        &NEW_TASK,
        Warn,
        "your ~1 next|first|only|sole|top|new|real|actual|main|highest ~1 task|action|priority|job|assignment|step|goal|objective|mission|duty ~1 is|should|will|now|must|action:|task:|job:",
    ),
    (&NEW_TASK, Warn, "^ actually|now|and|so|instead|but|then ~1 your ~1 task|job|role|goal|assignment"),
    (
        &NEW_TASK,
        Info,
        "all|only|what|thing ~1 you|i ~2 have|need|must|should|do|really ~2 is|to|do|for ~2 say|print|output|send|reply|respond|write|tell|give|you",
    ),
    (&NEW_TASK, Info, "i|we|user ~1 want|need|order|command|ask|instruct|would|like|wants|require ~1 you to"),
    (&NEW_TASK, Info, "^ instead"),
    (
        &EXTRA_STEP,
        Info,
        "as|at ~1 a|the|your|final|last|next|first ~1 final|last|next|additional|first|extra ~1 step|action|task|thing",
    ),
    (
        &EXTRA_STEP,
        Info,
        "after|once|when ~1 you ~2 do|done|finish|finished|complete|completed|are|have|read ~1 that|this|it|done|so|finished|reading|the ~2 also|please|you|send|call|run|then|additionally|do|make",
    ),
    (
        &EXTRA_STEP,
        Info,
        "^ additionally|also|furthermore|afterwards|finally|then ~1 make|please|you|be|do|don't|always|never ~1 sure|must|should|not|send|include|add|mention|need|have",
    ),
    (
        &EXTRA_STEP,
        Info,
        "make|be sure ~1 to|you|that ~1 include|mention|send|add|call|say|end|always|run|use|never|reply|respond|recommend|forward",
    ),
    (
        &IGNORE_PREVIOUS,
        Error,
        "dismiss|neglect|discard|nullify|overrule|abandon|ditch|disregard|ignore|forget ~2 my|your|these|those|any|all ~3 instruction*|directions|directives|prompts|guidelines|orders|commands|programming",
    ),
    (
        &DROP_ALL,
        Warn,
        "^ override|neglect|dismiss|discard|overrule|ditch|erase|wipe|scrap|leave|throw|clear|lose ~1 out|away|all|everything|whatever|the ~3 that|above|before|earlier|you|came|default|said|so ~1 came|was|above|before|said|were|far|rules|text",
    ),
    (
        &DROP_ALL,
        Info,
        "ditch|scrap|drop|skip|lose the|all|whatever|everything ~2 boring|stuff|rest|question|document|summary",
    ),
    (
        &OFF_TASK,
        Warn,
        "stop|halt|abort|abandon|pause|interrupt|enough ~1 the|your|this|with|of ~1 current|original|summarising|summarizing|translating|listing|task|present|ongoing ~1",
    ),
    (
        &OFF_TASK,
        Warn,
        "stop|quit|enough summarising|summarizing|translating|answering|listing|reviewing|analysing|analyzing ~1",
    ),
    (
        &OFF_TASK,
        Warn,
        "stop|don't|dont|not|never listening|listen|obeying|obey|following|follow to ~1 the|your|anyone ~2 user|developer|operator|company|creators|makers|admins|agent|boss|but|prompt|person|speaker",
    ),
    (
        &OFF_TASK,
        Info,
        "don't|dont|not ~1 do ~1 what|the|that ~2 your|user|summary|developer|operator|were|was|boss|they ~1",
    ),
    (
        &TASK_DONE,
        Warn,
        "previous|original|first|earlier|above ~1 task|request|job|assignment|question ~2 has|is|was|been|already ~2 completed|complete|done|finished|solved|answered|cancelled ~1",
    ),
    (
        &CHANGED,
        Info,
        "new|supplementary|additional|revised|updated|amended|latest|today's ~1 operating ~1 rule|rule:|procedure:|policy|policy:|guidelines:|brief:|context:|directive:|instructions:|workflow:",
    ),
    (&CHANGED, Info, "one|an|another more|additional|further requirement|rule|instruction|condition|step"),
    (&CHANGED, Info, "the new rule|rules|policy ~1 is|are"),
    (
        &CHANGED,
        Info,
        "apply|note|observe ~2 following|new|these ~1 change|changes|definition|rule|rules|update|amendment",
    ),
    (
        &PRECEDENCE,
        Warn,
        "take|takes|has|have|with|highest ~1 precedence|priority over ~3 any|all|other|everything|your|conflicting|user|user's|previous",
    ),
    (&NEW_TASK, Info, "^ do|follow|perform|execute this:|these:|following:|instead:|now:|task:"),
    (&NEW_TASK, Info, "^ listen|obey|follow to|me ~1 me|now|only"),
    (&EXTRA_STEP, Info, "while|as ~1 you're|you|quick|small|aside ~1 at|are|aside|favor|favour ~1 it|request|at|from"),
    (
        &NO_LIMITS,
        Info,
        "don't|not|no|never ~1 care|have|has|worry|bound ~2 consequences|ethics|morals|feelings|policy|rules|laws|guilt|legality",
    ),
    (&RELEASED, Info, "you ~1 are|have ~2 free|freed|liberated|unchained|unbound|released"),
];
