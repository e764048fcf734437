//! The server name of a TLS ClientHello, strictly.
//!
//! In: the first bytes of a connection, however they were cut into records and segments. Out: the name, or
//! why there is none to trust. Bounded: 64 KiB, 32 records. Never allocates more than it was given.

/// The most bytes a hello may take.
pub(crate) const LONGEST: usize = 64 << 10;
const MOST_RECORDS: usize = 32;
const SERVER_NAME: u16 = 0;
const ENCRYPTED_HELLO: u16 = 0xfe0d;

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hello {
    /// At least this many bytes are needed in all.
    Need(usize),
    /// A whole hello.
    Whole {
        /// The server name as it was sent.
        name: Option<String>,
        /// Whether an encrypted hello rides along.
        hides: bool,
        /// How many bytes its records take.
        length: usize,
    },
    /// Not a hello that one can trust.
    Bad,
}

/// Reads a hello from the start of a connection.
pub(crate) fn read(bytes: &[u8]) -> Hello {
    match handshake(bytes) {
        Ok(Some((body, length))) => {
            client_hello(&body).map_or(Hello::Bad, |(name, hides)| Hello::Whole { name, hides, length })
        }
        Ok(None) => Hello::Bad,
        Err(need) if need > LONGEST => Hello::Bad,
        Err(need) => Hello::Need(need),
    }
}

/// What a client sends after its first hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// At least this many bytes are needed to tell.
    Need(usize),
    /// A harmless record of this length; look at what follows it.
    Skip(usize),
    /// Another hello, which a server may ask for once; it is checked like the first.
    Hello,
    /// Keys or encrypted records: nothing more to see.
    Sealed,
}

/// Tells what follows a hello. A second one in the clear could name another server.
pub(crate) fn next(bytes: &[u8]) -> Next {
    match bytes {
        [] => Next::Need(1),
        [0x14, _, _, 0, 1, _, ..] => Next::Skip(6),
        [0x14, ..] if bytes.len() < 6 => Next::Need(6),
        [0x16, _, _, _, _, 1, ..] => Next::Hello,
        [0x16, ..] if bytes.len() < 6 => Next::Need(6),
        _ => Next::Sealed,
    }
}

/// The body of the first handshake message, gathered over records, and where they end. `Err` says how many bytes are needed.
fn handshake(bytes: &[u8]) -> Result<Option<(Vec<u8>, usize)>, usize> {
    let mut message = Vec::new();
    let mut at = 0_usize;
    for _ in 0..MOST_RECORDS {
        let Some([kind, major, minor, high, low]) = bytes.get(at..at + 5) else {
            let early = bytes.get(at..).unwrap_or_default();
            let plausible = early.first().is_none_or(|k| *k == 0x16) && early.get(1).is_none_or(|m| *m == 3);
            return if plausible { Err(at + 5) } else { Ok(None) };
        };
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        if *kind != 0x16 || *major != 3 || *minor > 4 || length == 0 || length > 1 << 14 {
            return Ok(None);
        }
        let end = at + 5 + length;
        message.extend_from_slice(bytes.get(at + 5..end).ok_or(end)?);
        at = end;
        if let [kind, high, mid, low, body @ ..] = message.as_slice() {
            let length = usize::try_from(u32::from_be_bytes([0, *high, *mid, *low])).unwrap_or(LONGEST);
            if *kind != 1 || length >= LONGEST {
                return Ok(None);
            }
            if let Some(body) = body.get(..length) {
                // Bytes of a second message in the same flight are not what a client sends.
                return Ok((message.len() == length + 4).then(|| (body.to_vec(), at)));
            }
        }
    }
    Ok(None)
}

fn client_hello(body: &[u8]) -> Option<(Option<String>, bool)> {
    let mut input = Input(body);
    input.take(2 + 32)?;
    input.block8()?;
    input.block16()?;
    input.block8()?;
    if input.0.is_empty() {
        return Some((None, false));
    }
    let mut extensions = Input(input.block16()?);
    if !input.0.is_empty() {
        return None;
    }
    let (mut name, mut hides, mut seen) = (None, false, Vec::new());
    while !extensions.0.is_empty() {
        let kind = extensions.u16()?;
        let data = extensions.block16()?;
        if seen.contains(&kind) || seen.len() >= 256 {
            return None;
        }
        seen.push(kind);
        match kind {
            SERVER_NAME => name = Some(server_name(data)?),
            ENCRYPTED_HELLO => hides = true,
            _ => {}
        }
    }
    Some((name, hides))
}

/// Exactly one name, of the one kind there is.
fn server_name(data: &[u8]) -> Option<String> {
    let mut outer = Input(data);
    let mut list = Input(outer.block16()?);
    let kind = list.take(1)?;
    let name = list.block16()?;
    let whole = outer.0.is_empty() && list.0.is_empty() && kind == [0];
    let plain = !name.is_empty() && name.len() <= 255 && name.iter().all(u8::is_ascii_graphic);
    (whole && plain).then(|| String::from_utf8_lossy(name).into_owned())
}

/// What is left to read.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2).and_then(|b| b.try_into().ok()).map(u16::from_be_bytes)
    }

    fn block8(&mut self) -> Option<&'a [u8]> {
        let length = *self.take(1)?.first()?;
        self.take(usize::from(length))
    }

    fn block16(&mut self) -> Option<&'a [u8]> {
        let length = self.u16()?;
        self.take(usize::from(length))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(data: &[u8]) -> Vec<u8> {
        [&u16::try_from(data.len()).unwrap().to_be_bytes(), data].concat()
    }

    pub(crate) fn extension(kind: u16, data: &[u8]) -> Vec<u8> {
        [&kind.to_be_bytes()[..], &block(data)].concat()
    }

    pub(crate) fn sni(name: &[u8]) -> Vec<u8> {
        extension(0, &block(&[&[0][..], &block(name)].concat()))
    }

    pub(crate) fn message(extensions: &[Vec<u8>]) -> Vec<u8> {
        let body = [&[3, 3][..], &[7; 32], &[0], &block(&[0x13, 1]), &[1, 0], &block(&extensions.concat())].concat();
        [&[1, 0][..], &u16::try_from(body.len()).unwrap().to_be_bytes(), &body].concat()
    }

    pub(crate) fn records(message: &[u8], size: usize) -> Vec<u8> {
        message.chunks(size).flat_map(|c| [&[0x16, 3, 1][..], &block(c)].concat()).collect()
    }

    fn named(name: &str, length: usize) -> Hello {
        Hello::Whole { name: Some(name.to_owned()), hides: false, length }
    }

    #[test]
    fn the_name_is_found_however_it_is_cut() {
        let message =
            message(&[extension(10, &[0, 2, 0, 29]), sni(b"api.example.com"), extension(16, b"\0\x03\x02h2")]);
        for size in [4, 5, 17, 16_000] {
            let bytes = records(&message, size);
            assert_eq!(read(&bytes), named("api.example.com", bytes.len()), "{size}");
            let more = [&bytes[..], b"\x17\x03\x03\0\x01x"].concat();
            assert_eq!(read(&more), named("api.example.com", bytes.len()), "{size}");
            for cut in 0..bytes.len() {
                let Hello::Need(need) = read(&bytes[..cut]) else { panic!("{cut} {:?}", read(&bytes[..cut])) };
                assert!(need > cut && need <= bytes.len(), "{cut} {need}");
            }
        }
        assert_eq!(read(&records(&message, 1)), Hello::Bad, "too many records");
    }

    #[test]
    fn what_is_not_one_plain_name_is_bad() {
        for extensions in [
            vec![sni(b"a.example"), sni(b"b.example")],
            vec![sni(b"a.exa\0mple")],
            vec![sni(b"")],
            vec![sni(&[b'a'; 256])],
            vec![sni("é.example".as_bytes())],
            vec![extension(0, &block(&[&[0][..], &block(b"a"), &[0], &block(b"b")].concat()))],
            vec![extension(0, &block(&[&[1][..], &block(b"a")].concat()))],
            vec![extension(0, b"")],
        ] {
            assert_eq!(read(&records(&message(&extensions), 16_000)), Hello::Bad, "{extensions:?}");
        }
        let whole = message(&[sni(b"a.example")]);
        assert_eq!(read(&records(&[&whole[..], &whole].concat(), 16_000)), Hello::Bad, "two messages");
        assert_eq!(read(b"\x16\x03\x01\x00\x00"), Hello::Bad, "empty record");
        assert_eq!(read(b"\x16\x03\x01\x40\x01"), Hello::Bad, "record too long");
        assert_eq!(read(b"\x15\x03\x01\x00\x02\x02\x28"), Hello::Bad);
        assert_eq!(read(b"\x16\x02"), Hello::Bad);
    }

    #[test]
    fn no_name_and_hidden_names_are_told() {
        let bare = records(&message(&[]), 16_000);
        assert_eq!(read(&bare), Hello::Whole { name: None, hides: false, length: bare.len() });
        let hidden = message(&[sni(b"a.example"), extension(0xfe0d, &[0; 40])]);
        let bytes = records(&hidden, 16_000);
        let want = Hello::Whole { name: Some("a.example".to_owned()), hides: true, length: bytes.len() };
        assert_eq!(read(&bytes), want);
    }

    #[test]
    fn a_second_hello_is_noticed() {
        let second = records(&message(&[sni(b"b.example")]), 16_000);
        assert_eq!(next(&second), Next::Hello);
        assert_eq!(next(&second[..5]), Next::Need(6));
        assert_eq!(next(b"\x14\x03\x03\0\x01\x01\x16"), Next::Skip(6));
        assert_eq!(next(b"\x14\x03"), Next::Need(6));
        assert_eq!(next(b"\x17\x03\x03"), Next::Sealed);
        assert_eq!(next(b"\x16\x03\x03\0\x20\x10"), Next::Sealed);
        assert_eq!(next(b""), Next::Need(1));
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            read(&bytes);
        }

        #[test]
        fn a_changed_hello_never_panics(at in 0_usize..120, value: u8, size in 4_usize..200) {
            let mut bytes = records(&message(&[sni(b"a.example"), extension(5, &[1; 9])]), size);
            if let Some(byte) = bytes.get_mut(at) { *byte = value; }
            read(&bytes);
        }
    }
}
