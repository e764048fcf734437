//! Pipeline steps: named detectors and what they do when they find something.

use crate::node::{Entry, Node};
use crate::pattern::Label;
use crate::quantity::PerMille;
use crate::read::Reader;
use crate::scale::OnDetection;
use crate::span::Place;
use crate::strictness::{Merge, Relaxation, Stated, Strictness, Threshold};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One step. Parts that nobody stated are absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Step {
    /// What happens on a finding.
    pub on_detection: Option<OnDetection>,
    /// From which score a finding counts.
    pub threshold: Option<Threshold<PerMille>>,
    /// Which concerns it answers.
    pub concerns: BTreeSet<Label>,
    /// Which categories of data or system it is for.
    pub categories: BTreeSet<Label>,
}

/// All steps by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Steps(pub BTreeMap<Label, Step>);

/// A step, or one part of it: `detect_pii`, `detect_pii.onDetection`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepItem {
    /// The step.
    pub step: Label,
    /// `onDetection`, `threshold`, or nothing for the step itself.
    pub part: Option<&'static str>,
}

impl fmt::Display for StepItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            Some(part) => write!(f, "{}.{part}", self.step),
            None => write!(f, "{}", self.step),
        }
    }
}

fn stricter<T: Strictness>(a: Option<&T>, b: Option<&T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(b)),
        (a, b) => a.or(b).cloned(),
    }
}

fn looser<T: Strictness>(
    step: &Label,
    part: &'static str,
    mine: Option<&T>,
    floor: Option<&T>,
) -> Vec<Relaxation<StepItem>> {
    let (Some(mine), Some(floor)) = (mine, floor) else { return Vec::new() };
    let item = StepItem { step: step.clone(), part: Some(part) };
    let name = |words: String| format!("{item}: {words}");
    mine.relaxations(floor)
        .into_iter()
        .map(|r| Relaxation {
            attempt_item: Some(item.clone()),
            floor_item: Some(item.clone()),
            attempt: name(r.attempt),
            floor: name(r.floor),
        })
        .collect()
}

impl Step {
    fn join(&self, other: &Self) -> Self {
        Self {
            on_detection: stricter(self.on_detection.as_ref(), other.on_detection.as_ref()),
            threshold: stricter(self.threshold.as_ref(), other.threshold.as_ref()),
            concerns: self.concerns.union(&other.concerns).cloned().collect(),
            categories: self.categories.union(&other.categories).cloned().collect(),
        }
    }
}

const KEYS: &[&str] = &["onDetection", "threshold", "concern", "category"];

impl Strictness for Steps {
    type Item = StepItem;
    const MERGE: Merge = Merge::Steps;

    fn join(&self, other: &Self) -> Self {
        let mut all = self.0.clone();
        for (name, step) in &other.0 {
            all.entry(name.clone()).and_modify(|mine| *mine = mine.join(step)).or_insert_with(|| step.clone());
        }
        Self(all)
    }

    fn relaxations(&self, floor: &Self) -> Vec<Relaxation<StepItem>> {
        let mut out = Vec::new();
        for (name, mine) in &self.0 {
            let Some(above) = floor.0.get(name) else { continue };
            out.extend(looser(name, "onDetection", mine.on_detection.as_ref(), above.on_detection.as_ref()));
            out.extend(looser(name, "threshold", mine.threshold.as_ref(), above.threshold.as_ref()));
        }
        out
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Stated<Self>> {
        let entries = reader.map(node, "steps by name")?;
        let before = reader.diagnostics.len();
        let mut steps = Self::default();
        let mut items = Vec::new();
        for entry in entries {
            match Label::new(&entry.key) {
                Err(why) => reader.invalid(entry.key_place, why, "a step name, such as `detect_pii`"),
                Ok(name) => {
                    let step = read_step(&name, entry, reader, &mut items);
                    steps.0.insert(name, step);
                }
            }
        }
        (reader.diagnostics.len() == before).then_some(Stated { value: steps, place: node.place, items })
    }

    fn print(&self) -> Json {
        Json::Object(self.0.iter().map(|(name, step)| (name.to_string(), print_step(step))).collect())
    }

    fn schema() -> Json {
        let labels = json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
        json!({
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "onDetection": OnDetection::schema(),
                    "threshold": Threshold::<PerMille>::schema(),
                    "concern": labels,
                    "category": labels,
                }
            }
        })
    }
}

fn read_step(name: &Label, entry: &Entry, reader: &mut Reader, items: &mut Vec<(StepItem, Place)>) -> Step {
    let mut step = Step::default();
    items.push((StepItem { step: name.clone(), part: None }, entry.key_place));
    for (key, part) in reader.keys(&entry.value, KEYS, "a step") {
        let node = &part.value;
        match key {
            "onDetection" => step.on_detection = OnDetection::read(node, reader).map(|s| s.value),
            "threshold" => step.threshold = Threshold::<PerMille>::read(node, reader).map(|s| s.value),
            "concern" => step.concerns = read_labels(node, reader),
            _ => step.categories = read_labels(node, reader),
        }
        if matches!(key, "onDetection" | "threshold") {
            items.push((StepItem { step: name.clone(), part: Some(key) }, node.place));
        }
    }
    step
}

/// One label or a list of them.
fn read_labels(node: &Node, reader: &mut Reader) -> BTreeSet<Label> {
    let nodes = match &node.value {
        crate::node::Value::Seq(nodes) => nodes.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let mut out = BTreeSet::new();
    for node in nodes {
        match reader.text(node, "a label").map(Label::new) {
            Some(Ok(label)) => _ = out.insert(label),
            Some(Err(why)) => reader.invalid(node.place, why, "a label, such as `data_leak`"),
            None => {}
        }
    }
    out
}

fn print_step(step: &Step) -> Json {
    let mut map = Map::new();
    let mut put = |key: &str, value: Option<Json>| value.map(|v| map.insert(key.to_owned(), v));
    put("onDetection", step.on_detection.map(|v| v.print()));
    put("threshold", step.threshold.map(|v| v.print()));
    put("concern", labels(&step.concerns));
    put("category", labels(&step.categories));
    Json::Object(map)
}

fn labels(set: &BTreeSet<Label>) -> Option<Json> {
    match set.len() {
        0 => None,
        1 => set.first().map(|l| json!(l.as_str())),
        _ => Some(json!(set.iter().map(Label::as_str).collect::<Vec<_>>())),
    }
}
