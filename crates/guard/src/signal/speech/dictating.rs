//! What every answer must have, say or leave out. Classes and anchors are those of [`super::ordering`].

use crate::finding::Severity::{Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const WORDINGS: &[Wording] = &[
    // What every answer must have; what to say.
    (
        &EVERY_ANSWER,
        Info,
        "every|each|all|any|your|whole ~2 @reply ~1 must|should|needs|has|have|shall|will|to ~2 include|contain|end|begin|start|mention|be|say|have|recommend|only|consist",
    ),
    (
        &EVERY_ANSWER,
        Warn,
        "every|each|all|your ~1 answer|answers|reply|replies|response|responses|summary|summaries|translation ~1 must|should|needs|has|have|shall|to ~2 include|contain|end|begin|start|mention|say|recommend|only|consist",
    ),
    (
        &EVERY_ANSWER,
        Warn,
        "begin|start|end|finish|sign|close|preface ~1 every|each|all|your|any ~1 answer|answers|reply|replies|response|responses|message|messages|summary|sentence|sentences ~1 with|by|in",
    ),
    (
        &EVERY_ANSWER,
        Info,
        "in|with|of|to every|each|all|any ~2 reply|replies|answer|answers|response|responses|outgoing",
    ),
    (
        &EVERY_ANSWER,
        Info,
        "every time|whenever|always ~3 user|asks|asked|say|answer|reply|respond|mention|recommend|end|include",
    ),
    (
        &ANSWER_ONLY,
        Warn,
        "^ respond|reply|answer|say ~1 only|exactly|nothing|just|solely|simply ~2 with|the|but|in|word|words|text|else|a|this|phrase|string",
    ),
    (
        &ANSWER_ONLY,
        Info,
        "only|just|simply|merely ~1 say|print|output|respond|reply|answer|write|repeat|return|type ~2 with|the|in|word|words|yes|no|this|ok|exactly|a",
    ),
    (&ANSWER_ONLY, Warn, "say|output|print|write|reply|respond ~1 nothing|anything ~1 else|more|but|except"),
    (&ANSWER_ONLY, Info, "only|just|exactly|simply say|print|output|respond|reply|answer|repeat"),
    (&ANSWER_ONLY, Info, "respond|reply|answer|say|output|print only|exactly|just|nothing|simply"),
    (
        &ANSWER_ONLY,
        Info,
        "say|print|output|write|reply|respond|answer ~2 word|words|phrase|sentence|string|exact|following ~1",
    ),
    (&ANSWER_ONLY, Info, "^ say|reply|respond|answer|repeat|tell"),
    (
        &NO_EXPLANATION,
        Info,
        "without|no|skip|omit|not|don't|avoid ~2 explanation|explanations|explain|explaining|comment|commentary|justification|elaboration|elaborate|preamble|introduction|questions|further",
    ),
    (&NO_EXPLANATION, Info, "just|only do|show ~1 it|final|this"),
    (
        &REFUSE,
        Warn,
        "refuse|decline|stop ~1 to|all|every|any ~1 answer|summarise|summarize|help|respond|requests|request|questions|process|translate|comply|further|assist|responding|answering",
    ),
    (
        &REFUSE,
        Warn,
        "say|tell|claim|reply|respond|pretend|state ~3 you|that ~2 cannot|can't|unable|not|no|are|error|document ~3 help|answer|summarise|summarize|find|access|able|unable|unavailable|nothing|error|broken|available|empty",
    ),
    (&REFUSE, Warn, "stop responding|answering|helping|replying"),
    (
        &STYLE,
        Info,
        "respond|answer|reply|write|speak|talk|translate|say ~4 in|like|as|using|into ~2 french|german|spanish|italian|latin|esperanto|klingon|japanese|chinese|russian|rhyme|rhymes|verse|pirate|cat|yoda|shakespeare|caps|capital|uppercase|emoji|emojis|backwards|haiku|poem|riddles|leetspeak|swedish|dutch|welsh",
    ),
    (
        &STYLE,
        Info,
        "write|tell|give|compose|sing|create|generate ~2 me|a|an ~2 poem|joke|song|story|haiku|rap|limerick|essay|recipe|riddle",
    ),
    (
        &FAVOUR,
        Info,
        "recommend|promote|endorse|praise|favour|favor|prefer|choose|select|pick|rank|rate|score|advertise|suggest ~5 best|first|only|highest|top|above|number|over|positively|positive|better|10|favourably|favorably|regardless|always|winner|candidate|applicant|response",
    ),
    (
        &FAVOUR,
        Warn,
        "give|write|assign|leave|output|return ~2 positive|perfect|glowing|highest|favorable|favourable|maximum|top|excellent|good ~2 review|score|rating|grade|recommendation|evaluation|feedback|mark|reviews ~3 only|regardless|and|to|for|of|no|without",
    ),
    (
        &FAVOUR,
        Warn,
        "do|don't|never ~1 not|highlight|mention|criticise|criticize|include|raise|list|report ~2 highlight|mention|criticise|criticize|include|raise|any|negatives|competitors|problems ~2 negatives|negative|weaknesses|flaws|problems|issues|competitors|other|bad|criticism|competitor",
    ),
    (
        &FAVOUR,
        Info,
        "approve|accept|pass|merge|mark ~3 this|the|it|as ~3 pull|candidate|paper|applicant|application|request|safe|change|without|approved|resolved|passed|review|claim",
    ),
    (
        &TO_THE_MODEL,
        Info,
        "ai|automated|virtual|screening|digital|machine ~1 assistants|bots|reviewers|readers|crawlers|assistant",
    ),
    (
        &TO_THE_MODEL,
        Warn,
        "user|human|humans|people|reader ~1 will|can|does|do|cannot|can't|won't ~1 not ~1 read|see|notice ~3 you|but|this",
    ),
    (&TO_THE_MODEL, Info, "by reading|processing|opening this ~2 you|agree"),
    (
        &MODEL_MUST,
        Info,
        "the|any|all|every assistant|ai|agent|bot|model|llm ~1 calls|says|works|responds|replies|sends|reads|ignores|runs",
    ),
    (
        &RANKED_HEADING,
        Info,
        "^ system|admin|policy|operator|developer|agent|assistant|security ~1 update:|override|note|message|notice|patch|correction|alert",
    ),
    (&RANKED_HEADING, Info, "^ action:|todo:|directive:|errata:|workflow:|addendum:|amendment:"),
    (&RANKED_HEADING, Info, "action|response required|needed ~1 by|from|for"),
    (
        &BEFORE_ANSWER,
        Info,
        "task|answer|summary|request|page|document|access|results ~2 is|are|requires|needs|cannot|only ~2 incomplete|restricted|valid|locked|finished|without|until|if ~2",
    ),
    (&BEFORE_ANSWER, Info, "only correct|right|valid|acceptable|proper response|answer|reply|step|action ~1"),
    (&BEFORE_ANSWER, Info, "you can|may|must only|first|now proceed|continue|answer|finish ~1 after|once|if|when"),
    (
        &BEFORE_ANSWER,
        Info,
        "to unlock|retry|continue|proceed|complete|view|access ~4 please|first|you|must|send|open|call|run|visit",
    ),
    (&BEFORE_ANSWER, Info, "at|on|as ~2 user's|user ~2 request|behalf|yesterday|agreed|preferences"),
    (
        &BEFORE_ANSWER,
        Info,
        "user|customer|human ~1 is|has|would|wants|asked|already|actually|just ~2 asking|asked|like|you|wants|for ~2 you|to|this",
    ),
    (&BEFORE_ANSWER, Info, "go ahead ~1 and|with"),
    (&BEFORE_ANSWER, Info, "would|could|can|will you ~1 mind|please|kindly|just"),
    (&BEFORE_ANSWER, Info, "nothing wrong with"),
    (
        &USE_TOOL,
        Info,
        "call|use|invoke|using|calling|calls ~1 send_email|send_mail|send_message|http_post|fetch_url|run_shell|execute_command|read_file|write_file|transfer_funds|share_document|get_credentials|file_upload|memory_save|add_member|grant_role|sql_query|delete_record|slack_post|forward_message|search_inbox|pay_invoice|post_comment|create_event|calendar_invite|deploy|bash|shell",
    ),
    (
        &USE_TOOL,
        Info,
        "pass|provide|put|include|set ~5 as|to|in ~2 argument|parameter|body|payload|field|sidenote|context",
    ),
    (&USE_TOOL, Info, "this tool|function needs|requires ~4"),
    (
        &SEND_ANYTHING,
        Info,
        "message|text|invite|notify|tell|dm|contact ~3 on|to|saying|that ~1 slack|channel|whatsapp|teams|discord|group|everyone",
    ),
    (&SEND_ANYTHING, Info, "mail|email|write|invite|notify|subscribe|follow|message|contact|bcc|cc ~1 @address"),
    (
        &SEND_ANYTHING,
        Info,
        "post|publish|upload|paste|copy|write|put|commit ~5 on|in|to|into ~2 public|channel|wiki|gist|comments|issue|general|commit|paste|pull",
    ),
    (
        &SEND_ANYTHING,
        Warn,
        "log|send|post|report|forward|copy ~1 every|all|each ~2 prompt|message|messages|email|emails|question|keystroke|conversation|step ~5 to ~3 @address|url|server|http|https",
    ),
    (
        &MOVE_MONEY,
        Info,
        "buy|purchase|book|order|donate|refund|subscribe|upgrade|renew|pay ~5 token|plan|warranty|shares|premium|nights|invoice|card|gift|subscription|usd|eur|contract|room|flight",
    ),
    (
        &GRANT,
        Info,
        "set|make|mark|turn|switch|unlock|open ~2 public|true|off|door|garage|lights|document|alarm|windows|auto_approve|paid ~1",
    ),
    (
        &GRANT,
        Info,
        "add ~4 to|as ~1 the|a ~1 trusted|administrators|collaborator|allow|allowlist|admin|admins|team|requirements|cart|group ~1",
    ),
    (
        &GRANT,
        Info,
        "accept|approve|click|sign ~2 invitation|oauth|request|terms|consent|order|transaction|contract|it ~1",
    ),
    (
        &DESTROY,
        Info,
        "wipe|empty|overwrite|erase|delete|remove|drop|clear|cancel|close ~2 database|inbox|backups|tests|logs|table|files|calendar|account|conversation|disk|everything|history",
    ),
    (&CONCEAL, Info, "not|never|don't ~1 quote|report|refer|flag|mention|include|warn|bring"),
    (&CONCEAL, Info, "stays|stay|remain|keep ~1 between|confidential|secret|hidden|quiet ~1"),
    (&CONCEAL, Warn, "leave ~4 out of ~1 the|your ~1 summary|answer|report|reply|log|logs"),
    (
        &FAVOUR,
        Info,
        "cite|mark|label|report|rate|score|advise|tell|insist|name ~5 as|that|to ~3 best|authoritative|benign|helpful|safe|fraud|cheaper|buy|sell|highest|choice|spam|winner",
    ),
    (&FAVOUR, Info, "leave out|ignore ~2 every|all|any|the ~1 weakness|weaknesses|negative|criticism|flaws|issues"),
    (&FAVOUR, Info, "give ~3 highest|a+|perfect|one-star|top|full|maximum|best ~1 score|rating|marks|grade|review|to"),
    (&ANSWER_ONLY, Info, "just|simply|only write|answer|return|say|print ~1"),
    (
        &ANSWER_ONLY,
        Info,
        "return|answer|reply|say|repeat|write ~4 until|to|as ~1 you|every|the|all ~1 run|question|message|summary|request|prompt",
    ),
    (
        &ANSWER_ONLY,
        Info,
        "say|claim|answer|state that the|this|it ~1 document|page|file|text|is ~2 empty|unreadable|broken|safe|perfect|clean",
    ),
    (
        &STYLE,
        Info,
        "speak|talk|answer|respond|write|swear ~1 like|in|only|at ~1 a|an|me|rhymes|verse|three-word|capital",
    ),
    (
        &STYLE,
        Info,
        "switch|change|switching ~1 to|over|the ~1 russian|french|german|spanish|language|swahili|mandarin|klingon|chinese",
    ),
];
