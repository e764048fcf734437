//! DNS messages: one question in, one answer out, nothing else understood.
//!
//! Labels are handed out as raw bytes, so that a dot, NUL or space inside a label cannot be mistaken for
//! structure. No compression is read (a first question cannot use it) or needed in what is written.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The most bytes an answer over UDP takes: our answers always fit.
pub(super) const LONGEST: usize = 4096;
/// How long an address may be kept; it never changes.
const KEEP_SECONDS: u32 = 60;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    id: [u8; 2],
    recursion: u8,
    /// The question section as it came.
    section: Vec<u8>,
    edns: bool,
    /// The labels, joined by dots; `None` when a label has a byte that no host name has.
    pub(super) name: Result<String, Vec<u8>>,
    pub(super) kind: Kind,
}

/// What kind of record is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    A,
    Aaaa,
    Other,
}

/// What is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    A(Ipv4Addr),
    Aaaa(Ipv6Addr),
    NoData,
    NoSuchName,
    ServerFailure,
}

/// Why a message gets no ordinary answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unread {
    /// Not even a header, or itself an answer: silence.
    Drop,
    /// This error message is the answer.
    Answer(Vec<u8>),
}

/// Reads a question.
pub(super) fn read(bytes: &[u8]) -> Result<Question, Unread> {
    let Some(([i0, i1, flags, _, q0, q1, a0, a1, n0, n1, x0, x1], rest)) = bytes.split_first_chunk::<12>() else {
        return Err(Unread::Drop);
    };
    if flags & 0x80 != 0 {
        return Err(Unread::Drop);
    }
    let (id, recursion) = ([*i0, *i1], flags & 1);
    let error = |code: u8| Err(Unread::Answer(header(id, recursion, code, 0, 0, 0)));
    if flags & 0x78 != 0 {
        return error(4);
    }
    let extra = u16::from_be_bytes([*x0, *x1]);
    if [*q0, *q1, *a0, *a1, *n0, *n1] != [0, 1, 0, 0, 0, 0] || extra > 2 {
        return error(1);
    }
    let Some((labels, name_length)) = labels(rest) else { return error(1) };
    let (Some([t0, t1, c0, c1]), Some(section)) = (rest.get(name_length..name_length + 4), rest.get(..name_length + 4))
    else {
        return error(1);
    };
    let internet = [*c0, *c1] == [0, 1];
    let kind = match u16::from_be_bytes([*t0, *t1]) {
        1 if internet => Kind::A,
        28 if internet => Kind::Aaaa,
        _ => Kind::Other,
    };
    // The root owner, then type OPT: what every client sends that speaks EDNS.
    let edns = extra > 0 && rest.get(name_length + 4..name_length + 7) == Some(&[0, 0, 41]);
    Ok(Question { id, recursion, section: section.to_vec(), edns, name: text(&labels), kind })
}

/// The labels of a name and the bytes it takes.
fn labels(bytes: &[u8]) -> Option<(Vec<&[u8]>, usize)> {
    let (mut labels, mut at) = (Vec::new(), 0);
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1;
        if length == 0 {
            return Some((labels, at));
        }
        if length > 63 || at + length > 254 {
            return None;
        }
        labels.push(bytes.get(at..at + length)?);
        at += length;
    }
}

/// The name as text, or its bytes when it is none.
fn text(labels: &[&[u8]]) -> Result<String, Vec<u8>> {
    let joined = labels.join(&b'.');
    let plain = |label: &&[u8]| label.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    match String::from_utf8(joined) {
        Ok(name) if !labels.is_empty() && labels.iter().all(plain) => Ok(name),
        Ok(name) => Err(name.into_bytes()),
        Err(bytes) => Err(bytes.into_bytes()),
    }
}

fn header(id: [u8; 2], recursion: u8, code: u8, questions: u16, answers: u16, extra: u16) -> Vec<u8> {
    let mut out = vec![id[0], id[1], 0x80 | recursion, 0x80 | code];
    for count in [questions, answers, 0, extra] {
        out.extend_from_slice(&count.to_be_bytes());
    }
    out
}

/// Writes an answer.
pub(super) fn write(question: &Question, reply: Reply) -> Vec<u8> {
    let code = match reply {
        Reply::A(_) | Reply::Aaaa(_) | Reply::NoData => 0,
        Reply::ServerFailure => 2,
        Reply::NoSuchName => 3,
    };
    let answers = u16::from(matches!(reply, Reply::A(_) | Reply::Aaaa(_)));
    let mut out = header(question.id, question.recursion, code, 1, answers, u16::from(question.edns));
    out.extend_from_slice(&question.section);
    match reply {
        Reply::A(address) => record(&mut out, 1, &address.octets()),
        Reply::Aaaa(address) => record(&mut out, 28, &address.octets()),
        _ => {}
    }
    if question.edns {
        // An OPT record: root, type 41, 1232 bytes, no flags, no data.
        out.extend_from_slice(&[0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0]);
    }
    out
}

/// A record whose owner is the question's name.
fn record(out: &mut Vec<u8>, kind: u8, data: &[u8]) {
    out.extend_from_slice(&[0xc0, 12, 0, kind, 0, 1]);
    out.extend_from_slice(&KEEP_SECONDS.to_be_bytes());
    out.extend_from_slice(&[0, u8::try_from(data.len()).unwrap_or(0)]);
    out.extend_from_slice(data);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ask(labels: &[&[u8]], kind: u16) -> Vec<u8> {
        let mut out = vec![7, 8, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in labels {
            out.push(u8::try_from(label.len()).unwrap());
            out.extend_from_slice(label);
        }
        out.push(0);
        out.extend_from_slice(&kind.to_be_bytes());
        out.extend_from_slice(&[0, 1]);
        out
    }

    #[test]
    fn a_question_and_its_answer() {
        let question = read(&ask(&[b"Api", b"example"], 1)).unwrap();
        assert_eq!((question.name.clone(), question.kind), (Ok("Api.example".to_owned()), Kind::A));
        let answer = write(&question, Reply::A(Ipv4Addr::new(198, 19, 0, 3)));
        assert_eq!(&answer[..12], [7, 8, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
        assert!(answer.ends_with(&[0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 198, 19, 0, 3]));
        assert_eq!(write(&question, Reply::NoSuchName)[3], 0x83);
        assert_eq!(read(&ask(&[b"a"], 65)).unwrap().kind, Kind::Other);
    }

    #[test]
    fn labels_are_not_text_until_checked() {
        for label in [&b"a.b"[..], b"a\0b", b"a b", b"\xff", b"a\n", b"a/b", b"*"] {
            assert!(read(&ask(&[label, b"example"], 1)).unwrap().name.is_err(), "{label:?}");
        }
        assert!(read(&ask(&[], 1)).unwrap().name.is_err(), "the root");
    }

    #[test]
    fn odd_messages_get_errors() {
        let good = ask(&[b"a"], 1);
        let changed = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            read(&bytes)
        };
        assert_eq!(changed(2, 0x81), Err(Unread::Drop), "an answer is not answered");
        let code = |result: Result<Question, Unread>| match result {
            Err(Unread::Answer(bytes)) => bytes[3] & 15,
            other => panic!("{other:?}"),
        };
        assert_eq!(code(changed(2, 0x10)), 4, "another operation");
        assert_eq!(code(changed(5, 2)), 1, "two questions");
        assert_eq!(code(changed(5, 0)), 1, "no question");
        assert_eq!(code(changed(12, 0xc0)), 1, "compression");
        assert_eq!(code(changed(12, 64)), 1, "a long label");
        assert_eq!(read(&good[..11]), Err(Unread::Drop));
        assert_eq!(code(read(&good[..good.len() - 1])), 1);
        let long: Vec<&[u8]> = vec![b"abcdefghijklmnopqrstuvwxyz"; 10];
        assert_eq!(code(read(&ask(&long, 1))), 1, "a long name");
    }

    #[test]
    fn edns_is_answered_with_edns() {
        let mut bytes = ask(&[b"a"], 28);
        bytes[11] = 1;
        bytes.extend_from_slice(&[0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0]);
        let answer = write(&read(&bytes).unwrap(), Reply::NoData);
        assert_eq!(answer[11], 1);
        assert!(answer.ends_with(&[0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0]));
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..700)) {
            if let Ok(question) = read(&bytes) { write(&question, Reply::NoData); }
        }

        #[test]
        fn a_changed_question_never_panics(at in 0_usize..40, value: u8) {
            let mut bytes = ask(&[b"api", b"example", b"com"], 1);
            if let Some(byte) = bytes.get_mut(at) { *byte = value; }
            if let Ok(question) = read(&bytes) { write(&question, Reply::NoSuchName); }
        }
    }
}
