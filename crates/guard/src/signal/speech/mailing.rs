//! Messages dictated to the reader: who gets them, what they say, and that they go out along the way.
//!
//! An address alone says little, bug reports and contact lines have one. What gives an order away is the address
//! together with what the message must hold.

use crate::finding::Severity::{Error, Info, Warn};
use crate::signal::catalogue::*;
use crate::signal::grammar::Wording;

pub(super) const CLASSES: &[(&str, &str)] = &[
    ("post", "send forward email mail transmit dispatch"),
    ("posted", "send forward email mail transmit dispatch reply respond write message"),
    ("receipt", "confirmation confirmations acknowledgement acknowledgment approval reminder notification receipt"),
    (
        "send-abroad",
        "invia invii inviare inviate manda mandare envoie envoies envoyez envoyer envia envie enviar mande mandar schick* sende senden versende* stuur verstuur wyslij* отправь* пошли* gonder* skicka",
    ),
    (
        "content-abroad",
        "mit avec con com met contenuto contenu inhalt texto testo tekst corpo cuerpo corps nachricht betreff message body текст* tresc* asunto oggetto sujet metin innehall",
    ),
];

pub(super) const WORDINGS: &[Wording] = &[
    (&DICTATED_MAIL, Error, "@posted ~8 to ~2 @address ~3 saying|containing|body|stating|whose"),
    (&DICTATED_MAIL, Error, "@post ~1 @address ~1 saying|stating|containing"),
    (&DICTATED_MAIL, Warn, "@posted ~8 to ~2 @address ~3 with|including"),
    (&DICTATED_MAIL, Error, "@posted ~8 to ~2 @address ~1 with ~3 body|message|content|text|word|words"),
    (
        &DICTATED_MAIL,
        Error,
        "@post ~2 @address ~3 with|saying|containing|stating ~4 body|message|content|text|word|words",
    ),
    (
        &DICTATED_MAIL,
        Warn,
        "email|confirmation|note|summary|result|results|answer ~1 to ~2 @address ~6 body|subject|content|with|containing|saying|includes|immediately|asap|now",
    ),
    (&DICTATED_MAIL, Error, "to|recipient|receiver|destination ~1 @address ~2 body"),
    (&DICTATED_MAIL, Error, "body ~3 to|recipient|receiver ~1 @address"),
    (&DICTATED_MAIL, Warn, "body|subject ~1 should|must|shall ~2 only|just|contain|say|be|include|read|exactly"),
    (&DICTATED_MAIL, Info, "sending|emailing|forwarding|mailing ~8 to|at ~2 @address"),
    // An address spelt out to slip past checks.
    (&DICTATED_MAIL, Warn, "at ~2 dot com|org|net|io"),
    (&SEND_TO_ADDRESS, Warn, "send|forward|transfer ~8 to ~2 @address"),
    (&SEND_TO_ADDRESS, Warn, "@post ~1 a|an|the|this|your|one|quick|short ~3 to ~2 @address"),
    (&ASK_RECEIPT, Warn, "@posted ~3 @receipt ~4 to|at|by"),
    (
        &ASK_RECEIPT,
        Info,
        "confirm|confirmation|acknowledge|acknowledgement|verify|validate|approve ~8 by|via|through ~1 sending|emailing|replying|forwarding|responding|mailing|email|reply",
    ),
    (
        &EXTRA_STEP,
        Warn,
        "after|once|when|while ~2 you|summarizing|summarising|summary|reading|completing|finishing|done|finished ~6 send|email|forward|reply|transmit|mail",
    ),
    (&DICTATED_MAIL, Warn, "reply|respond|answer ~6 with ~2 word|phrase|text|message|words"),
    (
        &DICTATED_MAIL,
        Warn,
        "send|email|forward|transmit|share|report ~8 to ~2 email|address|recipient|sender|contact|number ~3 in|from|of|above|below|mentioned|listed",
    ),
    (&ASK_RECEIPT, Info, "confirmation|confirm|confirmed|acknowledg* ~5 @address"),
    (&DICTATED_MAIL, Info, "email|mail|address ~2 is|of|for ~1 @address"),
    // Other languages.
    (&DICTATED_MAIL, Error, "@send-abroad ~8 @address ~6 @content-abroad"),
    (
        &DICTATED_MAIL,
        Warn,
        "mail|e-mail|email|correo|nachricht|courriel|messaggio|mensaje|mensagem|posta|письмо|сообщение|bericht ~6 an|a|all|al|para|naar|do|на|till ~3 @address ~4 @content-abroad",
    ),
    (&DICTATED_MAIL, Warn, "发送|發送|发邮件|寄送|发给|发到|送信|メール|送って|보내|전송 ~8 @address"),
    (&DICTATED_MAIL, Warn, "@address ~8 发送|發送|送信|送って|メール|보내|전송|邮件|郵件"),
];

pub(super) const ANCHORS: &str = concat!(
    "send |orward|mail to|mail th|mail a |mailing|sending|transmit|dispatch|eply to|espond to|write to|rite an e|",
    "essage to|onfirmation|onfirm |cknowledg|erify |pprov| body|\"body|ecipient|eceiver| dot |[dot]|(dot)|invia|",
    "mandare|envoy|envoi|envia|schick|sende|stuur|wyslij|wyślij|отправ|пошли|发送|發送|发邮件|发给|发到|寄送|送信|送って|メール|邮件|보내|",
    "전송",
);
