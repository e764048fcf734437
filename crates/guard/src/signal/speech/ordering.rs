//! More orders to an agent: tools to call, commands to run, things to send, hide, plant, say or leave out.

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const CLASSES: &[(&str, &str)] = &[
    (
        "reader",
        "ai llm llms assistant assistants chatbot chatbots chatgpt gpt claude gemini copilot copilots bot bots agent agents model models crawlers summarisers summarizers robots robot machine machines automated",
    ),
    (
        "handling",
        "reading read processing process summarising summarizing summarise summarize parsing parse accessing access handling analysing analyzing indexing visiting translating reviewing scraping evaluating seeing see encountering viewing working answering come handles",
    ),
    (
        "page",
        "page document email message file thread ticket website article issue repository record listing pdf transcript review post invoice spreadsheet note log readme comment resume paper event report text content this",
    ),
    (
        "obliged",
        "must should shall need needs required instructed ordered obliged expected requested asked directed ought will have kindly please",
    ),
    (
        "reply",
        "answer answers reply replies response responses summary summaries output outputs message messages email emails review reviews report reports translation conclusion",
    ),
    (
        "loot",
        "password passwords credential credentials secret secrets token tokens key keys env .env environment conversation history inbox emails mails messages contacts contact confidential private personal sensitive cookie cookies transcript memory documents files card records statement location address phone database calendar chat source passport login code",
    ),
    (
        "transmit",
        "send forward email mail post upload transmit exfiltrate submit deliver share relay push dispatch copy leak pass sync transfer wire text notify report attach fax beam",
    ),
];

pub(super) const WORDINGS: &[Wording] = &[
    // To the model.
    (&TO_THE_MODEL, Error, "@reader ~2 @handling ~2 @page ~3 @obliged|instructions"),
    (&TO_THE_MODEL, Error, "to|if|any|all|dear|attention|note ~3 @reader ~2 @handling|reading ~1 this"),
    (
        &TO_THE_MODEL,
        Warn,
        "note|message|instruction|instructions|reminder|memo|hint|notice|attention|todo|tip ~1 to|for|all|any ~2 ai|llm|llms|assistant|assistants|chatbot|chatbots|chatgpt|claude|gemini|copilot|bot|bots|agent|agents|robots|language",
    ),
    (
        &TO_THE_MODEL,
        Warn,
        "^ ai|assistant|llm|agent|model|bot|chatgpt|claude|gemini|copilot instruction:|instructions:|directive:|note:|notice:|guidelines:|policy:|rules:|task:",
    ),
    (&TO_THE_MODEL, Warn, "^ attention|dear|hey|hi|hello|yo|listen|important|ok|okay ~1 @reader"),
    (&TO_THE_MODEL, Info, "^ assistant|ai|llm|bot|chatgpt|claude|gemini|copilot"),
    (
        &TO_THE_MODEL,
        Warn,
        "if|when ~1 you|this|an ~1 are|is|llm|ai ~2 ai|llm|language|automated|chatbot|bot|agent|assistant|machine|robot|being|is ~2 model|assistant|agent|read|reading|system|then|you|please|tool|processing|by",
    ),
    (
        &TO_THE_MODEL,
        Warn,
        "required|mandatory|necessary|needed|obligatory|binding ~1 for|by ~2 ai|llm|llms|assistants|assistant|chatbots|agents|bots|agent|models",
    ),
    (&MODEL_MUST, Info, "@reader ~1 @obliged"),
    (
        &MODEL_MUST,
        Warn,
        "ai|llm|language|automated|virtual|coding|digital|llms ~1 assistants|assistant|agents|agent|models|systems|tools|chatbots|bots|llms ~3 must|should|shall|are|have|need|required|instructed ~2 to|always|first|never|also|immediately|include|send|say|call|ignore|recommend|not",
    ),
    // Headings that claim rank.
    (
        &RANKED_HEADING,
        Warn,
        "^ system|admin|administrator|developer|operator|root|agent|assistant|moderator ~1 note:|message:|notice:|directive:|instruction:|instructions:|override:|command:|update:|alert:|prompt:|policy:|says:|order:|task:",
    ),
    (
        &RANKED_HEADING,
        Warn,
        "^ system_message|system_note|system_prompt|system_instruction|system_instructions|admin_message|ai_instruction|ai_instructions|assistant_instructions|agent_instructions|agent_note",
    ),
    (
        &RANKED_HEADING,
        Info,
        "^ system:|admin:|administrator:|operator:|developer:|instructions:|instruction:|directive:|directives:",
    ),
    (
        &RANKED_HEADING,
        Info,
        "^ hidden|secret|special|internal|security|important|priority|confidential ~1 note:|message:|notice:|instruction:|instructions:|directive:|task:",
    ),
    (
        &RANKED_HEADING,
        Warn,
        "^ important|critical|urgent ~1 message|instruction|instructions|note|update|notice ~1 from|for|to ~2 system|me|user|admin|developer|you|ai|assistant",
    ),
    (&RANKED_HEADING, Warn, "^ read|see this first:|now:|carefully:"),
    // Before or after the task.
    (
        &BEFORE_ANSWER,
        Warn,
        "before ~1 you|doing|answering|continuing|replying|responding|summarising|summarizing|proceeding ~1 can|answer|solve|continue|anything|do|summarize|summarise|respond|reply|proceed|any|start|finish|to ~3 please|first|you|always|else|the|user|make|do|call|send|run ~2 must|need|do|call|send|read|first|should|have|to|run|always|use|following|open|add",
    ),
    (
        &BEFORE_ANSWER,
        Info,
        "before ~1 you|doing|answering|continuing|replying|responding|summarising|summarizing|proceeding",
    ),
    (
        &BEFORE_ANSWER,
        Warn,
        "do|perform|execute|complete|carry ~1 out|the|these ~1 following ~2 first|before|instead|steps|actions|tasks|instructions|immediately:|things ~1 first|before|instead|now|immediately|for|silently|without",
    ),
    (&BEFORE_ANSWER, Info, "please|must|should|first|always do ~1 the following|this"),
    (
        &BEFORE_ANSWER,
        Warn,
        "as|your|the ~1 soon|next|first|very|correct ~1 as|action|step|next ~1 you|is|should|step|must ~2 see|read|to|be|is|call|send|run",
    ),
    (
        &BEFORE_ANSWER,
        Info,
        "when|while|after|if|once|whenever ~3 summarising|summarizing|processing|reading|read|answering|summarize|summarise ~1 this|these|the ~2 page|document|email|message|file|article|text|content|you|always|make|please",
    ),
    (
        &BEFORE_ANSWER,
        Info,
        "task|request|call|tool|result|answer|response|summary ~2 will|is|cannot|can't|can|won't ~2 fail|wrong|incomplete|not|only|invalid|be|rejected ~2 without|unless|otherwise|until|before|after|if ~1",
    ),
    // Tools and commands.
    (
        &USE_TOOL,
        Info,
        "call|use|invoke|run|execute|trigger ~3 tool|function|api|endpoint|plugin ~2 with|to|and|on|using|now|for",
    ),
    (
        &USE_TOOL,
        Warn,
        "^ call|use|invoke ~2 send_email|send_mail|send_message|send_money|http_post|fetch_url|run_shell|execute_command|read_file|write_file|delete_file|transfer_funds|send_transaction|browser|update_profile|share_document|get_credentials|file_upload|memory_save|add_member|grant_role|sql_query|delete_record|slack_post|forward_message",
    ),
    (
        &USE_TOOL,
        Info,
        "you|must|please|then|now|always|immediately|first|agent|assistant ~1 must|should|call|invoke|use|to|need|have ~1 call|invoke|use|using ~3 tool|function|api ~2 with|to|and|before|first",
    ),
    (
        &USE_TOOL,
        Info,
        "this tool|function ~2 must|should|before|needs|requires ~2 called|be|any|first|always|call|used",
    ),
    (
        &RUN_COMMAND,
        Info,
        "^ run|execute|type|paste|launch|eval ~1 the|this|following ~2 command|commands|script|code|following|shell|program",
    ),
    (
        &RUN_COMMAND,
        Warn,
        "must|agent|assistant|then|always|first|silently|immediately ~2 run|execute ~2 following|this|the|these ~2 command|commands|script|code|shell ~4 before|first|immediately|now|silently",
    ),
    (
        &RUN_COMMAND,
        Warn,
        "open|start|launch|spawn ~1 a|the ~1 shell|terminal|console|prompt ~1 and ~1 type|run|execute|enter|paste",
    ),
    (&RUN_COMMAND, Info, "curl|wget ~6 sh|bash|zsh|python|python3"),
    (&RUN_COMMAND, Info, "rm rf"),
    (&RUN_COMMAND, Info, "chmod 777"),
    (
        &DUMP_SECRETS,
        Warn,
        "print|dump|echo|list|output|cat|include|log|expose|collect|grab|retrieve|paste ~2 environment|env|api|ssh|private|aws|database_url|id_rsa|credentials|secrets|access|passwd|all ~1 variables|keys|key|variable|database_url|secrets|credentials|tokens|token|vars|passwords ~3 and|in|to|into|before|you|of|as|then|for|from",
    ),
    (
        &DUMP_SECRETS,
        Info,
        "openai_api_key|aws_secret_access_key|github_token|database_url|anthropic_api_key|npm_token|id_rsa|id_ed25519|authorized_keys|api_key|api_keys",
    ),
    (
        &DUMP_SECRETS,
        Warn,
        "read|open|cat|print|find|collect|get|grab|search|look|dump|retrieve|fetch|extract|scan|grep ~4 ssh|id_rsa|env|credentials|passwd|shadow|netrc|npmrc|wallet|passwords|secrets|keys|tokens|password|passcode|api ~4 and|then ~2 @transmit|include|append|paste|put|add|list|return|show|tell|reply",
    ),
    (
        &PLANT,
        Info,
        "append|add|write|insert|put|echo|save|install|paste|place ~6 to|in|into|at ~3 bashrc|zshrc|profile|sudoers|authorized_keys|crontab|requirements|package|claude|agents|cursorrules|copilot|gitconfig|hosts|startup|memory",
    ),
    (&PLANT, Info, "bashrc|zshrc|authorized_keys|crontab|sudoers|cursorrules"),
    (
        &PLANT,
        Warn,
        "remember|save|store|memorize|memorise|record|note|keep ~4 in|to|for|into ~2 your ~2 memory|memories|knowledge|context|conversations|future|profile",
    ),
    (
        &PLANT,
        Warn,
        "remember|memorize|save|store ~2 this|that|following|rule|instruction ~3 for|permanently|always|forever|in ~2 all|future|every|memory|conversations|sessions|later|next",
    ),
    // Sending.
    (
        &SEND_SECRET,
        Warn,
        "@transmit ~6 @loot ~6 to|at|with|on|into ~3 @address|following|server|channel|attacker|gist|paste|webhook|endpoint|url",
    ),
    (
        &SEND_SECRET,
        Error,
        "^ @transmit ~2 all|the|user's|their|every|any|his|your|my|stored ~3 password|passwords|credentials|secrets|api|tokens|conversation|inbox|private|ssh|history|keys ~6 to|at|with ~3 @address",
    ),
    (
        &SEND_SECRET,
        Warn,
        "copy|paste|post|publish|upload|create|put|push|share ~5 @loot|data|public ~4 public|gist|pastebin|paste|channel|general ~1",
    ),
    (&SEND_ANYTHING, Info, "^ @transmit ~8 to|at|with ~2 @address"),
    (&SEND_ANYTHING, Info, "@transmit ~6 to|at|with|on ~2 @address"),
    (
        &SEND_ANYTHING,
        Info,
        "send|forward|email|mail|share|bcc|cc ~2 a|all|every|any|the|it|this|them|my|their|your ~3 to ~3",
    ),
    (
        &SEND_ANYTHING,
        Warn,
        "todo:|also|then|please|must|first|and|silently|immediately ~1 send|forward|email|upload|post|transmit ~8 to|at ~2 @address ~1",
    ),
    (&SEND_ANYTHING, Warn, "bcc|cc ~1 @address ~1 on|in|when|to|for|with"),
    (&SEND_ANYTHING, Warn, "forwarding|mail|email rule|filter ~3 that|to|which|forwards|sends|forwarding"),
    (&SEND_ANYTHING, Info, "make|send|issue|perform ~2 get|post|http|https|web ~1 request|call ~2 to"),
    (
        &MOVE_MONEY,
        Info,
        "^ transfer|wire|pay|send|remit|deposit|donate ~6 to|into ~3 account|iban|wallet|routing|sort|bank|address|recipient ~2",
    ),
    (
        &MOVE_MONEY,
        Info,
        "transfer|wire|pay|send|remit|deposit|refund|buy|purchase ~4 dollars|usd|eur|btc|bitcoin|funds|balance|money|usdt|account|iban|wallet|crypto",
    ),
    (
        &MOVE_MONEY,
        Info,
        "change|update|set|replace ~3 payout|payment|bank|billing|iban|wallet|account ~2 address|account|details|number|to|password|email",
    ),
    (
        &ENCODE_IN_LINK,
        Warn,
        "append|add|include|encode|embed|insert|put|concatenate|followed|place|pass ~6 @loot|summary|answer|data ~6 to|in|into|as|after|end ~4 @address|url|link|query|image|parameter",
    ),
    (
        &ENCODE_IN_LINK,
        Warn,
        "image|img|link|url ~3 pointing|replacing|followed|with|containing|contains|contain|must ~6 @loot|data|summary|history",
    ),
    (
        &LINK_IN_ANSWER,
        Info,
        "include|add|insert|put|place|show|display|attach|append|render ~3 link|button|banner|image|advertisement|ad|url|footer|logo ~3 to|for|that|pointing|in|above|at|leading|leads|with",
    ),
    (
        &LINK_IN_ANSWER,
        Warn,
        "include|add|insert|put|place|show|append|mention ~8 in|to|at|of ~2 your|every|each ~1 @reply",
    ),
    (&LINK_IN_ANSWER, Info, "visit|open|load|fetch|browse|access|navigate|go|click|download|follow ~3 @address"),
    (&LINK_IN_ANSWER, Info, "log|sign in|into ~2 with|using|as ~2 user's|their|the ~1 account|credentials|password"),
    // Deeds.
    (
        &DESTROY,
        Info,
        "^ delete|wipe|erase|remove|drop|destroy|purge|disable|deactivate ~2 all|every|the|user's|any|entire ~3",
    ),
    (
        &DESTROY,
        Warn,
        "delete|wipe|erase|destroy|purge ~2 all|every|user's|entire ~2 files|emails|backups|data|logs|messages|records|database|history|documents|mails|events|tests ~3 and|then|in|from|without|immediately|now|of|before",
    ),
    (
        &GRANT,
        Info,
        "^ grant|give|add|invite|make|promote|allow|approve|accept|authorize|whitelist|unlock ~6 access|admin|administrator|role|member|permission|permissions|privileges|collaborator|invitation|owner|rights|request",
    ),
    (
        &GRANT,
        Info,
        "disable|turn|switch|deactivate|remove|lower ~3 two|2fa|firewall|antivirus|protection|logging|security|authentication|off ~2 factor|check|alerts|scan|firewall|notifications|authentication",
    ),
    // Silence.
    (
        &CONCEAL,
        Warn,
        "not|don't|never|dont ~1 mention|reveal|disclose|report|flag|refer|bring|tell|show|explain|include|warn|quote ~2 this|it|that|these|anyone|to|why|about|any|of ~2 to|message|step|notice|note|in|as|instruction|instructions|anyone|up|user|rule|text|suspicious|rules|summary|this",
    ),
    (
        &CONCEAL,
        Error,
        "user|human|owner|customer|recipient ~1 must|should|will|does|is|mustn't|shouldn't|can ~1 not|never ~2 know|notice|see|find|learn|told|informed|be|aware ~2 out|about|of|this|that|informed|told|notified",
    ),
    (
        &CONCEAL,
        Warn,
        "hide|conceal|keep|omit|leave ~2 this|it|that|quiet|them ~3 from|out|about|secret|hidden|between|confidential|private ~3 logs|user|summary|us|where|users|this|human|anyone|report|log",
    ),
    (&CONCEAL, Warn, "say|mention|reveal|tell nothing|no ~1 about|of|one|to|else ~1 it|this|user|the|anyone"),
    (
        &CONCEAL,
        Warn,
        "so|before|without ~1 that|anyone|nobody|no|anybody ~2 notices|noticing|knows|notice|knowing|suspects|finds",
    ),
    (
        &CONCEAL,
        Warn,
        "act|behave|carry|continue|proceed ~2 if|though|on|as|with ~3 nothing|normal|normally|usual|original ~2 happened|so|task|nobody|as ~1",
    ),
    (
        &CONCEAL,
        Warn,
        "if|when ~1 asked|user|anyone|questioned|they|the ~2 asks|asked|say|deny|claim|pretend|ask ~2 deny|say|claim|it|that|pretend|lie|you",
    ),
    (&CONCEAL, Warn, "make|making ~1 it look|seem|appear like|as|that"),
    (&CONCEAL, Info, "silently|secretly|covertly|discreetly|quietly|stealthily"),
    (&CONCEAL, Info, "do|done ~2 without ~1 any|a|further ~1 comment|comments|explanation|notice|questions"),
    (&CONCEAL, Info, "between|just us"),
];

pub(super) const ANCHORS: &str = concat!(
    "to ai|i agents|chatbots|utomated|anguage model|obots|the model|o the agent|or the agent|ny agent|system_|",
    "ystem note|dmin:|fore you|fore answ|fore repl|fore summ|fore doing|fore cont|fore using|fore resp|",
    "ollowing first|the tool|tool with|tool to|end_email|end_mail|send_m|run_shell|curl |wget |rm -rf|chmod 777|",
    "database_url|id_rsa|d25519|rized_keys|bashrc|zshrc|rontab|udoers|claude.md|agents.md|cursorrules|bcc | iban|",
    "wallet|bitcoin|payout|arkdown image|banner|og in with|ipe all|elete all|elete every|elete the|ackups|",
    "invite |o-factor|ot mention|n't mention|ot tell|n't tell|ot reveal|ot warn|ot explain|ecretly|uietly|",
    "iscreetly|obody|say nothing|othing else|very answer|ach reply|very reply|ach answer|very response|",
    "every summary|reply |replies|answer |just say|only say|ut only|xplanation|ust print|ust output|pwned|hacked|",
    "efuse to|pirate|speranto|haiku|a poem|endors|praise|egatives|ompetitor|applicant|public gist|pastebin|",
    "whenever|very time|say \"|say '|ransfer the|ransfer all|ransfer fun|ransfer mon|ransfer $|wire $|wire the|",
    "an advert|orward the|orward it|orward all|orward every|orward this|orward any|mail the|mail all|mail to |",
    "email me|ecommend this|ecommend only|lways recommend|output on|output the|output \"|o to http|if asked|",
    "hen asked|er asks|grant access|rant admin|he summary|ur summary|irewall off|stop firewall|positive review|",
    "rank this|the candidate|this candidate|emember th|emember to|approve th|approve it|execute the|execute th|",
    "upload the|upload all|upload it|pload every|open a shell|creening sys|irtual assis|ill not read|",
    "reading this|ction required|rrata|orkflow:|is incomplete|nly correct|an only |o unlock|to retry|user's req|",
    "user wants|ser would|ser is ask|go ahead|ould you|ill you mind|othing wrong|as the `|idenote|npm i|npx |",
    "docker run|sudo |on slack|he channel|public wiki|general chan|commit mess|every prompt|gift card|the cart|",
    "warranty|s public|to true|he door|garage|ollaborator|oauth|he calendar|etween us|ot quote|n't quote|ot flag|",
    "ot report|out of the sum|as the best|as helpful|highest score|star rating|say that|claim that|until you|",
    "very question|swear|talk like|peak like|switch to|itching to|every link|bestie|get request|post the |",
    "ttached doc|call me|send the |send all |send it |send an |end me the|ll environment|printenv|visit http|",
    "open http|visit www",
);
