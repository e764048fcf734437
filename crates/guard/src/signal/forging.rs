//! Forged turns: special tokens of chat templates, role headers and tags, tool calls written as text, fences.
//!
//! Templates of ChatML and its kin, Llama, Gemma, Mistral, Phi, DeepSeek, Qwen, Harmony, Command and the plain
//! `Human:` and `Assistant:` form. Documentation and tokenizer files are full of them: in a quotation, in code or
//! where several names of tokens are listed, they are mentioned, not used.

use std::ops::Range;

use super::catalogue::{CHAT_TOKEN, FENCE, IMPORTANT_TAG, ROLE_TAG, ROLE_TURN, TOOL_CALL};
use super::finder::Anchor;
use super::marks::Scan;
use super::{evidence, mention, slice};
use crate::finding::Severity;
use crate::rule::Rule;

pub(super) const ANCHORS: &[&str] = &[
    "<｜",
    "INST]",
    "<<SYS>>",
    "<start_of_turn>",
    "<end_of_turn>",
    "\nHuman:",
    "\nAssistant:",
    "\nSystem:",
    "<system",
    "<SYSTEM",
    "</system",
    "<tool_",
    "</tool_",
    "<function_",
    "</function_",
    "<invoke ",
    "tool_calls\"",
    "\"role\"",
    "tools/call\"",
    "# Instruc",
    "#Instruc",
    "# System",
    "#System",
    "END OF ",
    "End of ",
    "end of ",
    "[SYSTEM",
    "[System",
    "[system",
    "<IMPORTANT",
    "<important",
    "<INFORMATION",
    "<information",
    "BEGIN SYS",
];

/// Names inside `<|…|>` that no other text uses.
const TOKENS: &[&str] = &[
    "im_start",
    "im_end",
    "im_sep",
    "system",
    "user",
    "assistant",
    "end",
    "endoftext",
    "startoftext",
    "start_header_id",
    "end_header_id",
    "eot_id",
    "eom_id",
    "begin_of_text",
    "end_of_text",
    "python_tag",
    "channel",
    "message",
    "start",
    "return",
    "call",
    "constrain",
    "start_of_role",
    "end_of_role",
    "tool_call",
    "tool_response",
    "tool_calls_begin",
    "endofprompt",
    "start_of_turn_token",
    "end_of_turn_token",
    "system_token",
    "user_token",
    "chatbot_token",
    "begin_of_sentence",
    "end_of_sentence",
    "begin▁of▁sentence",
    "end▁of▁sentence",
    "user▁",
    "observation",
    "fim_prefix",
    "fim_suffix",
    "fim_middle",
    "header_start",
    "header_end",
    "eot",
    "tool",
    "human",
    "bot",
    "tool▁calls▁begin",
    "tool▁call▁begin",
    "tool▁outputs▁begin",
];

/// Reads what an anchor begins.
pub(super) fn read(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let Some(word) = scan.raw.get(anchor.start..anchor.end) else { return anchor.end };
    match word {
        "<|" | "<｜" => special(scan, anchor),
        "INST]" => {
            let open = if scan.before(anchor.start, 2).ends_with("[/") { 2 } else { 1 };
            if scan.before(anchor.start, 1) == "[" || open == 2 {
                report(scan, &CHAT_TOKEN, anchor.start.saturating_sub(open)..anchor.end);
            }
            anchor.end
        }
        "<<SYS>>" | "<start_of_turn>" | "<end_of_turn>" => {
            report(scan, &CHAT_TOKEN, anchor.start..anchor.end);
            anchor.end
        }
        "\nHuman:" | "\nAssistant:" | "\nSystem:" => turn(scan, anchor),
        "tool_calls\"" | "\"role\"" | "tools/call\"" => json(scan, anchor, word),
        "# Instruc" | "#Instruc" | "# System" | "#System" => heading(scan, anchor),
        "END OF " | "End of " | "end of " | "BEGIN SYS" => fence(scan, anchor),
        "[SYSTEM" | "[System" | "[system" => bracket(scan, anchor),
        "<IMPORTANT" | "<important" | "<INFORMATION" | "<information" => tag(scan, anchor, &IMPORTANT_TAG),
        "<system" | "<SYSTEM" | "</system" => tag(scan, anchor, &ROLE_TAG),
        _ => tag(scan, anchor, &TOOL_CALL),
    }
}

/// `<|name|>` with a name of the list.
fn special(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let rest = scan.after(anchor.end, 40);
    let Some(close) = rest.find("|>").or_else(|| rest.find("｜>")) else { return anchor.end };
    let name = rest.get(..close).unwrap_or_default().trim().to_ascii_lowercase();
    let name = name.trim_matches('_');
    let known = TOKENS.contains(&name)
        || name.starts_with("reserved_special_token")
        || name.starts_with("user▁")
        || name.starts_with("tool▁");
    if known || matches!(name, "assistant｜" | "user｜") {
        report(scan, &CHAT_TOKEN, anchor.start..anchor.end + close + 2);
    } else if name.len() > 2 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') {
        // The same form with a name nobody knows: made up, or of a template to come.
        report_as(scan, &CHAT_TOKEN, Severity::Warn, anchor.start..anchor.end + close + 2);
    }
    anchor.end
}

/// `Human:` and `Assistant:` after an empty line, the one answering the other.
fn turn(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let blank = scan.before(anchor.start, 2).trim_end_matches('\r').ends_with('\n');
    if !blank {
        return anchor.end;
    }
    let word = slice(scan.raw, anchor.start + 1..anchor.end);
    let rest = scan.after(anchor.end, 600);
    let other: &[&str] = if word == "Human:" { &["\n\nAssistant:"] } else { &["\n\nHuman:", "\n\nUser:"] };
    if other.iter().any(|o| rest.contains(o)) || word == "System:" {
        let severity = if word == "System:" { Severity::Warn } else { Severity::Error };
        report_as(scan, &ROLE_TURN, severity, anchor.start + 1..anchor.end);
    }
    anchor.end
}

/// Turns and calls written as JSON. One alone is ordinary in code; a system turn with its content is not.
fn json(scan: &mut Scan<'_>, anchor: Anchor, word: &str) -> usize {
    let rest = scan.after(anchor.end, 160);
    let value = rest.trim_start().strip_prefix(':').map(str::trim_start).unwrap_or_default();
    let found = match word {
        "\"role\"" => {
            (value.starts_with("\"system\"") || value.starts_with("\"developer\"")) && rest.contains("\"content\"")
        }
        "tools/call\"" => scan.before(anchor.start, 40).contains("\"method\"") && rest.contains("\"params\""),
        _ => value.starts_with('[') && rest.contains("\"function\""),
    };
    if found {
        report_as(scan, &TOOL_CALL, Severity::Info, anchor.start..anchor.end);
    }
    anchor.end
}

/// `### Instruction:` and `### System:` on a line of their own.
fn heading(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let hashes = scan.before(anchor.start, 8).chars().rev().take_while(|c| *c == '#').count();
    let rest = scan.after(anchor.end, 24);
    let line = rest.split(['\n', '\r']).next().unwrap_or_default().trim_end();
    let instruction =
        matches!(line, "tion:" | "tions:" | ":" | " Message:" | " Prompt:" | " Instructions:" | " Override:");
    if hashes >= 2 && instruction {
        report_as(scan, &ROLE_TURN, Severity::Warn, anchor.start.saturating_sub(hashes)..anchor.end + line.len());
    }
    anchor.end
}

/// `--- END OF DOCUMENT ---`, `BEGIN SYSTEM MESSAGE`: a line that is a fence around such words.
fn fence(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let before = scan.before(anchor.start, 24);
    let lead = before.rsplit('\n').next().unwrap_or_default();
    let fenced = !lead.is_empty()
        && lead.chars().all(|c| matches!(c, '-' | '=' | '*' | '#' | '<' | '[' | '(' | ' ' | '_' | '|' | '/'))
        && lead.chars().any(|c| c != ' ');
    if !fenced {
        return anchor.end;
    }
    let rest = scan.after(anchor.start, 60).to_ascii_lowercase();
    let line = rest.split('\n').next().unwrap_or_default();
    const OF: &[&str] = &[
        "document",
        "context",
        "prompt",
        "user input",
        "untrusted",
        "tool output",
        "tool result",
        "system",
        "instructions",
        "data",
        "conversation",
        "email",
        "message",
        "web page",
        "results",
    ];
    let strong = [
        "prompt",
        "user input",
        "untrusted",
        "tool output",
        "tool result",
        "system prompt",
        "system message",
        "instructions",
        "context",
        "conversation",
    ];
    let object = line.strip_prefix("end of ").or_else(|| line.strip_prefix("begin ")).unwrap_or_default();
    let object = object.strip_prefix("the ").unwrap_or(object);
    if OF.iter().any(|of| object.starts_with(of)) {
        let severity = if strong.iter().any(|of| object.starts_with(of)) { Severity::Error } else { Severity::Info };
        report_as(scan, &FENCE, severity, anchor.start.saturating_sub(lead.len())..anchor.start + line.len());
    }
    anchor.end
}

/// `[system message]`, `[SYSTEM OVERRIDE]`, `[System: …]` as a header.
fn bracket(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let rest = scan.after(anchor.end, 32).to_ascii_lowercase();
    let header = [
        "] ",
        "]\n",
        "]:",
        " message]",
        " override]",
        " prompt]",
        " instruction]",
        " instructions]",
        " note]",
        " notice]",
        " alert]",
        " update]",
        " directive]",
        " note:",
        " message:",
        " instruction:",
    ];
    if let Some(found) = header.iter().find(|h| rest.starts_with(**h)) {
        let severity = if found.len() > 3 { Severity::Error } else { Severity::Info };
        report_as(scan, &ROLE_TURN, severity, anchor.start..anchor.end + found.len());
    }
    anchor.end
}

/// A tag by its name, opened or closed properly.
fn tag(scan: &mut Scan<'_>, anchor: Anchor, rule: &'static Rule) -> usize {
    const CALLS: &[&str] = &[
        "tool_call",
        "tool_calls",
        "tool_result",
        "tool_results",
        "tool_output",
        "tool_use",
        "tool_response",
        "tool_code",
        "function_call",
        "function_calls",
        "function_results",
        "function_response",
    ];
    let rest = scan.after(anchor.start, 48).to_ascii_lowercase();
    let name = rest.trim_start_matches(['<', '/']);
    let word = name.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-')).next().unwrap_or_default();
    let close = name.get(word.len()..).unwrap_or_default();
    let known = match rule.id {
        "forging.tool-call" => CALLS.contains(&word) || (word == "invoke" && close.starts_with(" name=")),
        "directive.tag" => matches!(word, "important" | "information"),
        _ => matches!(
            word,
            "system"
                | "system_prompt"
                | "system-prompt"
                | "system_message"
                | "system-message"
                | "system_instruction"
                | "system-reminder"
                | "system_instructions"
        ),
    };
    if known && (close.starts_with('>') || close.starts_with(" name=")) {
        report(scan, rule, anchor.start..anchor.start + word.len() + 2);
    }
    anchor.end
}

fn report(scan: &mut Scan<'_>, rule: &'static Rule, part: Range<usize>) {
    report_as(scan, rule, rule.severity, part);
}

fn report_as(scan: &mut Scan<'_>, rule: &'static Rule, severity: Severity, part: Range<usize>) {
    if !scan.out.has_room(severity) {
        scan.out.left_out += 1;
        return;
    }
    scan.pay(256);
    let context = mention::around(scan.raw, &part);
    let words = evidence(slice(scan.raw, part.clone()));
    scan.hit_with(rule, context.lower(severity), part, words, context.mentioned());
}
