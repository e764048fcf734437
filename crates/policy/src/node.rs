//! YAML or JSON text → a tree in which every node knows its place.
//!
//! JSON is read by the same parser, as the subset of YAML it is. The text is hostile: size, depth,
//! node count and alias expansion are bounded, and the tree is built without recursion.

use crate::diagnostic::{Code, Diagnostic, Role};
use crate::read::{clip, tidy};
use crate::span::{Place, SourceId};
use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, Span};
use hashbrown::{HashMap, HashSet};

/// The most bytes a document may have.
pub const MAX_BYTES: usize = 4 << 20;
/// The deepest nesting a document may have.
pub const MAX_DEPTH: usize = 64;
/// The most nodes a document may have once its aliases are expanded.
pub const MAX_NODES: usize = 500_000;
/// The most bytes of scalar text a document may have once its aliases are expanded.
const MAX_TEXT: usize = MAX_BYTES;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it stands; for an alias, where the anchored value stands.
    pub place: Place,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A scalar, not yet given a type: the field that reads it knows which one it wants.
    Scalar {
        /// The text after unescaping.
        text: String,
        /// Written without quotes, so that `true`, `null` and `12` are not strings.
        plain: bool,
    },
    /// A list.
    Seq(Vec<Node>),
    /// A mapping, in the order it was written, without duplicate keys.
    Map(Vec<Entry>),
}

/// One key of a mapping with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_place: Place,
    /// The value.
    pub value: Node,
}

/// Decodes bytes to text, or says where they stop being UTF-8. A byte order mark is dropped.
pub fn decode_text(bytes: &[u8], source: SourceId) -> Result<&str, Box<Diagnostic>> {
    if bytes.len() > MAX_BYTES {
        return Err(Box::new(too_large(bytes.len() as u64)));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(e) => Err(Box::new(
            Diagnostic::error(Code::NotUtf8, format!("byte {} is not UTF-8", e.valid_up_to()))
                .at(end_of(bytes.get(..e.valid_up_to()).unwrap_or_default(), source), "the first bad byte")
                .help("save the file as UTF-8 text"),
        )),
    }
}

/// The place just past these bytes, which are UTF-8.
fn end_of(bytes: &[u8], source: SourceId) -> Place {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A carriage return alone ends a line too, as it does for the parser.
    let line_end = |c: char| c == '\n' || c == '\r';
    let last = text.rfind(line_end).map_or(text, |at| text.get(at + 1..).unwrap_or_default());
    let lines = text.matches(line_end).count() - text.matches("\r\n").count();
    let offset = clamp(text.len());
    Place { source, line: clamp(1 + lines), column: clamp(1 + last.chars().count()), start: offset, end: offset }
}

/// The error for a document over the size budget.
pub fn too_large(bytes: u64) -> Diagnostic {
    Diagnostic::error(Code::TooLarge, format!("the document has {bytes} bytes, at most {MAX_BYTES} are read"))
        .help("split the document, or remove what does not belong in a policy")
}

/// Parses one document.
pub fn parse(text: &str, source: SourceId) -> Result<Node, Box<Diagnostic>> {
    let mut options = Options::default();
    options.flow_nesting_limit = MAX_DEPTH;
    options.block_nesting_limit = MAX_DEPTH;
    options.disallow_directives = true;
    options.set_emit_comments(false);
    let mut builder = Builder { source, stack: Vec::new(), anchors: HashMap::new(), nodes: 0, text: 0, root: None };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|e| Box::new(syntax(&e, text, source)))?;
        builder.take(event, span)?;
    }
    builder.root.ok_or_else(|| {
        Box::new(
            Diagnostic::error(Code::Empty, "the document is empty")
                .help("a policy needs at least one field; `ringfence init` writes a first one"),
        )
    })
}

fn clamp(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn syntax(e: &ScanError, text: &str, source: SourceId) -> Diagnostic {
    let m = e.marker();
    let start = m.byte_offset().unwrap_or(0);
    let end = start + text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let place = Place {
        source,
        line: clamp(m.line()),
        column: clamp(m.col().saturating_add(1)),
        start: clamp(start),
        end: clamp(end),
    };
    let not_valid = || {
        let mut message = format!("not valid YAML or JSON: {}", e.info());
        tidy(&mut message);
        Diagnostic::error(Code::Syntax, message).at(place, "here")
    };
    match e.kind() {
        ErrorKind::RecursionLimitExceeded => too_deep(place),
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInIndentation => not_valid().help("YAML indents with spaces; replace the tab"),
        ErrorKind::UnknownAnchor => not_valid().help("define the anchor with `&name` before the alias `*name`"),
        ErrorKind::DirectiveDisallowed => not_valid().help("remove the line that starts with `%`"),
        _ => not_valid(),
    }
}

fn too_deep(place: Place) -> Diagnostic {
    Diagnostic::error(Code::TooLarge, format!("nested deeper than {MAX_DEPTH} levels"))
        .at(place, "here")
        .help("policies are flat; nothing in the schema is nested this deep")
}

/// A collection that is still open.
enum Open {
    Seq(Vec<Node>),
    Map { entries: Vec<Entry>, seen: HashSet<String>, key: Option<(String, Place)> },
}

struct Frame {
    open: Open,
    place: Place,
    anchor: usize,
}

struct Builder {
    source: SourceId,
    stack: Vec<Frame>,
    anchors: HashMap<usize, (Node, Weight)>,
    nodes: usize,
    text: usize,
    root: Option<Node>,
}

type Step = Result<(), Box<Diagnostic>>;

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Step {
        let place = self.place(&span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let quoted = style != ScalarStyle::Plain;
                let forced = match tag.as_deref() {
                    None => false,
                    Some(t) if t.is_yaml_core_schema() && t.suffix() == "str" => true,
                    Some(t) => return Err(Box::new(foreign_tag(&t.to_string(), place))),
                };
                let value = Value::Scalar { text: text.into_owned(), plain: !quoted && !forced };
                self.count(&value, place)?;
                self.finish(Node { value, place }, anchor)
            }
            Event::SequenceStart(_, anchor, tag) | Event::MappingStart(_, anchor, tag) if tag.is_some() => {
                let _ = anchor;
                Err(Box::new(foreign_tag(&tag.map(|t| t.to_string()).unwrap_or_default(), place)))
            }
            Event::SequenceStart(_, anchor, _) => self.open(Open::Seq(Vec::new()), place, anchor),
            Event::MappingStart(_, anchor, _) => {
                self.open(Open::Map { entries: Vec::new(), seen: HashSet::new(), key: None }, place, anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(place),
            Event::Alias(id) => self.alias(id, place),
            Event::DocumentStart(..) if self.root.is_some() => Err(Box::new(
                Diagnostic::error(Code::Syntax, "more than one document in the file")
                    .at(place, "the second one starts here")
                    .help("put each document in a file of its own"),
            )),
            _ => Ok(()),
        }
    }

    fn place(&self, span: &Span) -> Place {
        let start = clamp(span.start.byte_offset().unwrap_or(0));
        let end = clamp(span.end.byte_offset().unwrap_or(0)).max(start);
        Place { source: self.source, line: clamp(span.start.line()), column: clamp(span.start.col() + 1), start, end }
    }

    fn count(&mut self, value: &Value, place: Place) -> Step {
        self.nodes += 1;
        if let Value::Scalar { text, .. } = value {
            self.text += text.len();
        }
        self.within_budget(place)
    }

    fn within_budget(&self, place: Place) -> Step {
        if self.nodes <= MAX_NODES && self.text <= MAX_TEXT {
            return Ok(());
        }
        Err(Box::new(
            Diagnostic::error(Code::TooLarge, format!("more than {MAX_NODES} values or {MAX_TEXT} bytes of text"))
                .at(place, "the budget ran out here")
                .help("aliases count as often as they are used; write the document without them"),
        ))
    }

    fn open(&mut self, open: Open, place: Place, anchor: usize) -> Step {
        self.nodes += 1;
        self.within_budget(place)?;
        if self.stack.len() >= MAX_DEPTH {
            return Err(Box::new(too_deep(place)));
        }
        self.stack.push(Frame { open, place, anchor });
        Ok(())
    }

    fn close(&mut self, end: Place) -> Step {
        let Some(Frame { open, mut place, anchor }) = self.stack.pop() else { return Ok(()) };
        place.end = end.end.max(place.start);
        let value = match open {
            Open::Seq(items) => Value::Seq(items),
            Open::Map { entries, .. } => Value::Map(entries),
        };
        self.finish(Node { value, place }, anchor)
    }

    fn alias(&mut self, id: usize, place: Place) -> Step {
        let Some((node, copied)) = self.anchors.get(&id) else {
            return Err(Box::new(
                Diagnostic::error(Code::Syntax, "an alias inside the value it names").at(place, "refers to itself"),
            ));
        };
        // Counted before it is copied: a bomb is refused while it is still small.
        self.nodes += copied.nodes;
        self.text += copied.text;
        if self.stack.len() + copied.depth > MAX_DEPTH {
            return Err(Box::new(too_deep(place)));
        }
        self.within_budget(place)?;
        let node = node.clone();
        self.finish(node, 0)
    }

    fn finish(&mut self, node: Node, anchor: usize) -> Step {
        if anchor != 0 {
            // The anchored value is kept a second time, and counted before it is copied.
            let copied = Weight::of(&node);
            self.nodes += copied.nodes;
            self.text += copied.text;
            self.within_budget(node.place)?;
            self.anchors.insert(anchor, (node.clone(), copied));
        }
        match self.stack.last_mut().map(|f| &mut f.open) {
            None => self.root = Some(node),
            Some(Open::Seq(items)) => items.push(node),
            Some(Open::Map { entries, seen, key }) => match key.take() {
                Some((key, key_place)) => entries.push(Entry { key, key_place, value: node }),
                None => *key = Some(new_key(node, entries, seen)?),
            },
        }
        Ok(())
    }
}

fn new_key(node: Node, entries: &[Entry], seen: &mut HashSet<String>) -> Result<(String, Place), Box<Diagnostic>> {
    let Value::Scalar { text, .. } = node.value else {
        return Err(Box::new(
            Diagnostic::error(Code::WrongType, "a key must be plain text")
                .at(node.place, "this is a list or a mapping"),
        ));
    };
    if !seen.insert(text.clone()) {
        let mut d = Diagnostic::error(Code::DuplicateKey, format!("the key `{}` stands twice", clip(&text)))
            .at(node.place, "second time here");
        if let Some(first) = entries.iter().find(|e| e.key == text) {
            d = d.label(first.key_place, Role::Context, "first time here");
        }
        return Err(Box::new(d.help("keep one of the two")));
    }
    Ok((text, node.place))
}

fn foreign_tag(tag: &str, place: Place) -> Diagnostic {
    Diagnostic::error(Code::Syntax, format!("the tag `{}` is not supported", clip(tag)))
        .at(place, "here")
        .help("remove the tag; fields know their own types")
}

/// What a copy of a node costs. Depth is bounded by `MAX_DEPTH`, so recursion is safe.
#[derive(Clone, Copy, Default)]
struct Weight {
    /// Nodes below and including it, keys counted too.
    nodes: usize,
    /// Bytes of text in it.
    text: usize,
    /// Collections inside each other.
    depth: usize,
}

impl Weight {
    fn of(node: &Node) -> Self {
        match &node.value {
            Value::Scalar { text, .. } => Self { nodes: 1, text: text.len(), depth: 0 },
            Value::Seq(items) => Self::collection(items.iter().map(|n| (n, None))),
            Value::Map(entries) => Self::collection(entries.iter().map(|e| (&e.value, Some(e.key.len())))),
        }
    }

    fn collection<'n>(parts: impl Iterator<Item = (&'n Node, Option<usize>)>) -> Self {
        let inner = parts.fold(Self::default(), |sum, (node, key)| {
            let part = Self::of(node);
            Self {
                nodes: sum.nodes + part.nodes + usize::from(key.is_some()),
                text: sum.text + part.text + key.unwrap_or(0),
                depth: sum.depth.max(part.depth),
            }
        });
        Self { nodes: inner.nodes + 1, depth: inner.depth + 1, ..inner }
    }
}
