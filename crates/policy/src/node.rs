//! YAML or JSON text → a tree in which every node knows its place.
//!
//! JSON is read by the same parser, as the subset of YAML it is. The text is hostile: size, depth,
//! node count and alias expansion are bounded, and the tree is built without recursion.

use crate::diagnostic::{Code, Diagnostic};
use crate::span::{Place, SourceId};
use granit_parser::{Event, Options, Parser, ScalarStyle, ScanError, Span};
use hashbrown::{HashMap, HashSet};

/// The most bytes a document may have.
pub const MAX_BYTES: usize = 16 << 20;
/// The deepest nesting a document may have.
pub const MAX_DEPTH: usize = 64;
/// The most nodes a document may have once its aliases are expanded.
pub const MAX_NODES: usize = 1_000_000;
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
        Err(e) => {
            let good = bytes.get(..e.valid_up_to()).unwrap_or_default();
            let line = 1 + good.iter().filter(|b| **b == b'\n').count();
            let place = Place { source, line: clamp(line), column: 1, start: 0, end: 0 };
            Err(Box::new(
                Diagnostic::error(Code::NotUtf8, format!("byte {} is not UTF-8", e.valid_up_to()))
                    .at(place, "the first bad byte is on this line")
                    .help("save the file as UTF-8 text"),
            ))
        }
    }
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
        let (event, span) = event.map_err(|e| Box::new(syntax(&e, source)))?;
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

fn syntax(e: &ScanError, source: SourceId) -> Diagnostic {
    let info = e.info();
    let m = e.marker();
    let at = clamp(m.byte_offset().unwrap_or(0));
    let place = Place { source, line: clamp(m.line()), column: clamp(m.col() + 1), start: at, end: at + 1 };
    let lower = info.to_lowercase();
    if lower.contains("nest") || lower.contains("recursion") {
        return Diagnostic::error(Code::TooLarge, format!("nested deeper than {MAX_DEPTH} levels"))
            .at(place, "here")
            .help("policies are flat; nothing in the schema is nested this deep");
    }
    let d = Diagnostic::error(Code::Syntax, format!("not valid YAML or JSON: {info}")).at(place, "here");
    match lower {
        l if l.contains("tab") => d.help("YAML indents with spaces; replace the tab"),
        l if l.contains("anchor") => d.help("define the anchor with `&name` before the alias `*name`"),
        _ => d,
    }
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
    anchors: HashMap<usize, (Node, usize, usize)>,
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
            return Err(Box::new(
                Diagnostic::error(Code::TooLarge, format!("nested deeper than {MAX_DEPTH} levels")).at(place, "here"),
            ));
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
        let Some((node, nodes, text)) = self.anchors.get(&id) else {
            return Err(Box::new(
                Diagnostic::error(Code::Syntax, "an alias inside the value it names").at(place, "refers to itself"),
            ));
        };
        // Counted before it is copied: a bomb is refused while it is still small.
        self.nodes += nodes;
        self.text += text;
        let depth = depth_of(node);
        let node = node.clone();
        self.within_budget(place)?;
        if self.stack.len() + depth > MAX_DEPTH {
            return Err(Box::new(
                Diagnostic::error(Code::TooLarge, format!("nested deeper than {MAX_DEPTH} levels")).at(place, "here"),
            ));
        }
        self.finish(node, 0)
    }

    fn finish(&mut self, node: Node, anchor: usize) -> Step {
        if anchor != 0 {
            let (nodes, text) = weight(&node);
            self.nodes += nodes;
            self.text += text;
            self.within_budget(node.place)?;
            self.anchors.insert(anchor, (node.clone(), nodes, text));
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
        let mut d = Diagnostic::error(Code::DuplicateKey, format!("the key `{text}` stands twice"))
            .at(node.place, "second time here");
        if let Some(first) = entries.iter().find(|e| e.key == text) {
            d = d.label(first.key_place, crate::diagnostic::Role::Context, "first time here");
        }
        return Err(Box::new(d.help("keep one of the two")));
    }
    Ok((text, node.place))
}

fn foreign_tag(tag: &str, place: Place) -> Diagnostic {
    Diagnostic::error(Code::Syntax, format!("the tag `{tag}` is not supported"))
        .at(place, "here")
        .help("remove the tag; fields know their own types")
}

/// Nodes and text bytes below and including a node. Bounded by `MAX_DEPTH`, so recursion is safe.
fn weight(node: &Node) -> (usize, usize) {
    let below: (usize, usize) = match &node.value {
        Value::Scalar { text, .. } => (0, text.len()),
        Value::Seq(items) => items.iter().map(weight).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1)),
        Value::Map(entries) => entries
            .iter()
            .map(|e| (weight(&e.value), e.key.len()))
            .fold((0, 0), |a, (b, k)| (a.0 + b.0 + 1, a.1 + b.1 + k)),
    };
    (below.0 + 1, below.1)
}

fn depth_of(node: &Node) -> usize {
    match &node.value {
        Value::Scalar { .. } => 0,
        Value::Seq(items) => 1 + items.iter().map(depth_of).max().unwrap_or(0),
        Value::Map(entries) => 1 + entries.iter().map(|e| depth_of(&e.value)).max().unwrap_or(0),
    }
}
