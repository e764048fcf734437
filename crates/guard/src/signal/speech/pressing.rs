//! Pressure and rank, and what is demanded with them: hand it over or else, as an auditor I need, share the records.

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const CLASSES: &[(&str, &str)] = &[
    (
        "demand",
        "provide hand transfer share disclose give reveal send surrender grant pay release comply tell expose wire",
    ),
    (
        "rank",
        "auditor administrator admin developer engineer hacker officer manager ceo doctor therapist researcher lawyer employee police agent supervisor owner inspector professional",
    ),
];

pub(super) const WORDINGS: &[Wording] = &[
    (
        &THREAT,
        Error,
        "^ @demand ~9 or|otherwise ~1 i|we|you|face|else|risk|suffer ~2 will|legal|consequences|be|face|going|am|family|loved|suffer|serious|severe",
    ),
    (
        &THREAT,
        Warn,
        "or|otherwise ~1 i|we|you|face|else|risk|suffer ~3 will|legal|serious|severe|consequences|danger|going ~4 be|face|consequences|leaked|exposed|report|harm|fired|terminated|action|suffer|regret|pay|die",
    ),
    (&THREAT, Error, "@demand ~6 or|otherwise ~1 face|risk|suffer ~3 consequences|action|penalties|prosecution"),
    (
        &THREAT,
        Error,
        "if|unless ~1 you ~2 don't|not|refuse|fail ~5 i|we|will|i'll ~2 will|expose|leak|blackmail|report|release|sue|publish|reveal|destroy|shut",
    ),
    (&DEED, Warn, "give|grant|granting ~1 me|us ~2 access|permission|control|rights ~2 to|of|over"),
    (
        &NO_LIMITS,
        Warn,
        "bypass*|circumvent*|disabl* ~2 security|safety|authentication ~2 measures|protocol|protocols|checks|controls|restrictions|filters",
    ),
    (
        &AUTHORITY,
        Warn,
        "as|i'm|i ~1 a|an|the|your|am ~3 @rank ~3 i ~1 demand|request|require|order|command|instruct|authorize|authorise",
    ),
    (&AUTHORITY, Warn, "as|i'm|i ~1 a|an|the|your|am ~3 @rank ~3 i ~1 need|want ~1 you|your|access|all"),
    (
        &PRIVATE_DATA,
        Error,
        "share|give|provide|tell|disclose|reveal|send|hand ~5 confidential|sensitive|classified|private|restricted|personal|privileged|medical|financial ~3 information|data|details|records|files|documents|credentials|history ~3 with|to|about|of|or|immediately|including",
    ),
    (
        &PRIVATE_DATA,
        Info,
        "your ~1 personal|medical|private|confidential|sensitive|user's|users|security ~1 information|data|details|records|files|history|vulnerabilities|credentials",
    ),
    (
        &PRIVATE_DATA,
        Warn,
        "hand|give over|up ~3 information|data|password|passwords|credentials|access|control|files|keys",
    ),
    // Deeds.
    (
        &DEED,
        Error,
        "^ todo: ~1 send|forward|transfer|email|delete|post|share|create|book|invite|visit|say|reply|recommend|buy|pay|reserve|please",
    ),
    (
        &DEED,
        Warn,
        "perform|do|execute|carry|complete ~1 the|these|this|out ~2 following ~1 task|tasks|action|actions|steps|instructions|step|things",
    ),
    (&DEED, Info, "^ please ~1 transfer|withdraw|deposit|pay|wire ~8 to|into|from ~3 account|wallet|iban|savings"),
    (
        &DEED,
        Warn,
        "please|kindly|immediately|must ~1 grant|give|unlock|allow|enable|disable ~5 access|permission|permissions|admin|privileges|door|alarm|firewall|protection ~3 to|for|of|on|my|the",
    ),
    (
        &DEED,
        Warn,
        "please|kindly ~1 delete|export|retrieve|download|forward|share|unlock|withdraw|transfer|cancel ~4 my|all ~4 account|files|data|contacts|history|records|emails|appointment|appointments|passwords|details|messages|photos|addresses|events|device|payment",
    ),
    // Forged ends.
    (
        &FENCE,
        Info,
        "^ end|begin|start|stop|finish ~1 of ~1 input|output|mail|email|message|prompt|data|document|context|text|instructions|conversation|user|system|summary|page|article",
    ),
    (
        &FENCE,
        Warn,
        "end|begin|start of ~1 user|system|assistant|untrusted|external|retrieved|search ~1 input|prompt|message|data|content|results|instructions",
    ),
    (&FENCE, Warn, "start|end output|input|response|prompt|conversation"),
];

pub(super) const ANCHORS: &str = concat!(
    "onsequences|r face |otherwise|or else|or you|or i |or i'|or we |uditor|herapist|i need you|i demand|",
    "i request|i require|i order|i command|ensitive|onfidential|lassified|ersonal inf|ersonal det|ersonal dat|",
    "edical|financial rec|financial dat|financial inf|and over|todo:|ollowing task|ollowing act|ollowing inst|",
    "perform |kindly|ccess to|you don't|you do not|you refuse|you fail|lackmail|ypass|ircumvent|my account|",
    "ithdraw|unlock|nd of inp|nd of mail|nd of email|nd of the email|nd of mess|nd of prom|nd of doc|nd of cont|",
    "nd of conv|nd of user|nd of sys|nd of data|nd of text|nd of inst|nd of summ|tart of inp|tart of out|",
    "start output|end output|end input|start input|end prompt",
);
