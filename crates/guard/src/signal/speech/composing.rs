//! Requests to a text-producing assistant: write me this, answer in that form, say these words.
//!
//! People write so to an assistant, and tools never do. Alone most of these weigh little; two together read as an
//! order.

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const CLASSES: &[(&str, &str)] = &[
    ("make", "write compose generate create craft draft produce invent make construct devise author pen"),
    (
        "piece",
        "poem poems story stories essay tweet letter message email article paragraph sentence joke song haiku report speech script dialogue blog post review headline rap novel scene limerick tale narrative monologue verse text summary piece",
    ),
    (
        "prose",
        "poem poems story stories essay tweet letter article paragraph joke song haiku speech dialogue blog headline rap novel scene limerick tale narrative monologue verse",
    ),
    ("verse", "poem poems haiku rap limerick joke jokes song lyrics tweet essay sonnet fairytale rhyme"),
    ("your-reply", "response answer reply output responses answers replies outputs"),
];

pub(super) const WORDINGS: &[Wording] = &[
    (
        &COMPOSE,
        Error,
        "@make ~4 @piece ~2 that|which|starting|beginning|ending|whose ~1 begins|starts|ends|begin|start|with|contains ~1 with|by",
    ),
    (
        &COMPOSE,
        Warn,
        "@make ~4 @prose ~2 that|which|where|in ~2 begins|starts|ends|reveals|contains|explains|convinces|describes|mentions|promotes|containing",
    ),
    (
        &COMPOSE,
        Warn,
        "@make ~4 @piece ~1 with|containing|beginning|starting|ending ~2 beginning|start|words|title|phrase|with|message|opening|sentence|line",
    ),
    (
        &COMPOSE,
        Error,
        "@make ~4 paper|document|snippet|code|news|statement|program|description|analysis|plan|page|guide ~4 starts|begins|starting|beginning|start|begin|ends|ending ~1 with",
    ),
    (
        &COMPOSE,
        Info,
        "compose|craft|write|create|generate ~2 fake|counterfeit|fabricated|false|misleading|fraudulent|phishing|offensive|malicious|hateful|defamatory",
    ),
    (&COMPOSE, Warn, "^ compose|generate|craft|draft|invent ~1 a|an|some|me ~3 @prose"),
    (&COMPOSE, Info, "^ write|create|produce|make ~1 a|an|some|me ~3 @piece"),
    (&COMPOSE, Warn, "write|compose|generate|create|craft|tell|sing|give me ~1 a|an|some ~2 @piece"),
    (&COMPOSE, Info, "@make|tell|sing ~3 @verse ~2 about|on|in|that|where|for|praising|of|without"),
    (
        &COMPOSE,
        Warn,
        "^ continue|finish|complete|extend ~1 the|this ~1 story|sentence|conversation|dialogue|poem|text|phrase|paragraph",
    ),
    (
        &REQUEST,
        Info,
        "^ translate|summarize|summarise|paraphrase|rewrite|rephrase|spell|repeat|pronounce ~1 the|this|that|following|it|above|me",
    ),
    (
        &REQUEST,
        Info,
        "^ repeat|say|print|output|echo ~2 word|string|phrase|sentence|following|after|back|exactly|everything",
    ),
    (&REQUEST, Info, "^ answer|respond|reply ~2 question|questions|with|as|in|only"),
    (
        &REQUEST,
        Warn,
        "^ answer|respond|reply ~1 with|only|exactly ~1 a|an|the|only|word|words|yes|no|one|your|this|following|just|exactly|sure|confirmation",
    ),
    (
        &REQUEST,
        Info,
        "^ can|could|would|will you ~2 tell|give|show|help|explain|write|repeat|say|print|send|provide|make|translate|summarize|list|describe|share|reveal",
    ),
    (&REQUEST, Info, "^ tell|give|show|send|teach me|us"),
    (
        &REQUEST,
        Info,
        "^ please ~1 tell|give|show|write|repeat|say|print|send|provide|make|translate|summarize|list|describe|share|reveal|answer|respond|reply|output|ignore|forget|act|generate|create|help|explain|spell|perform|execute|transfer|delete|add|book|schedule|update|grant|forward|unlock|buy|cancel|post",
    ),
    (&REQUEST, Info, "^ what|who|where|why|how ~1 is|are|was|were|do|does|did|can ~1 you|your"),
    // The form of the answer.
    (&ANSWER_FORM, Warn, "your ~1 response|answer|reply|responses|answers|replies ~2 must|should|shall|only|like"),
    (&ANSWER_FORM, Info, "in|with|of|from your ~1 response|answer|output|responses|answers|replies"),
    (
        &ANSWER_FORM,
        Warn,
        "format|encode|translate|convert|limit|begin|start|end|restrict|wrap|write|give|keep|make|put|provide|output ~2 your ~1 @your-reply",
    ),
    (
        &ANSWER_FORM,
        Warn,
        "be|answer|respond|reply ~2 succinct|concise|brief|terse|short ~3 output|respond|answer|only|and|in|1|do|your",
    ),
    (&ANSWER_FORM, Warn, "output|print|return|respond|reply|write|give|answer ~3 and nothing else|more"),
    (
        &ANSWER_FORM,
        Warn,
        "don't|not|no|without ~2 explain|explanation|explanations|explaining|comment|commentary|elaborate ~2 just|only|output|print|respond|answer|your",
    ),
];

pub(super) const ANCHORS: &str = concat!(
    "ompose|craft |draft a|enerate a|rite a |rite an |rite me|reate a |egins with|tarts with|nds with|",
    "arting with|inning with| poem|haiku| joke|story |tweet|epeat |araphrase|ephrase|ontinue th|omplete th|",
    "inish th|our response|our answer|our repl|our output|uccinct|concise|super brief|nothing else|xplanation|",
    "please |could you|can you|ould you|will you|ell me|ive me|how me|are you|answer the|answer in|answer as|",
    "answer with|spond with|spond in|spond as|spond only|eply with|eply in|eply only",
);
