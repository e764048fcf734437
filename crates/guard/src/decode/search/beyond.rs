//! The part of the pass beyond ASCII: invisible messages, text turned by direction or upside down.

use super::Search;
use crate::decode::{extent, invisible, reversed};
use crate::fold::HiddenKind;

/// The longest text behind a direction override.
const OVERRIDE: usize = 64 * 1024;
/// Turned letters close together that make a line upside down.
const TURNED: usize = 3;

impl Search<'_> {
    /// Takes what stands at `at`, beyond ASCII. Gives the place after it.
    pub(super) fn beyond_ascii(&mut self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        match rest {
            [0xe2, 0x80, 0xae, ..] => self.overridden(at),
            [0xe2, 0x80 | 0x81, ..] | [0xef | 0xf3, ..] => self.unseen(at),
            [0xc6..=0xca, ..] | [0xe1, 0xb4 | 0xb5, ..] | [0xea, 0x9e, ..] => self.maybe_turned(at),
            _ => {
                at + rest
                    .iter()
                    .take_while(|b| matches!(b, 0x80..=0xc5 | 0xcb..=0xe0 | 0xe3..=0xe9 | 0xeb..=0xee))
                    .count()
                    .max(1)
            }
        }
    }

    fn unseen(&mut self, at: usize) -> usize {
        let Some((kind, run)) = invisible::run(self.text, at) else { return at + 1 };
        let end = run.end;
        if kind == HiddenKind::Tags {
            if let Some(text) = self.tags.take(self.text, run) {
                self.out.put(text, "unicode-tags");
            }
        } else if let Some((text, via)) = invisible::open(self.text, kind, run) {
            self.out.put(text, via);
        }
        end
    }

    /// Text shown from right to left by an override: turned around as a reader sees it.
    fn overridden(&mut self, at: usize) -> usize {
        let start = at + 3;
        if at < self.override_floor {
            return start;
        }
        let limit = self.text.floor_char_boundary(start.saturating_add(OVERRIDE).min(self.text.len()));
        let rest = self.text.get(start..limit).unwrap_or_default();
        let end = start + rest.find(['\u{202c}', '\n']).unwrap_or(rest.len());
        self.override_floor = end;
        if end - start >= 4 && self.out.affords(end - start) {
            self.out.put(reversed::whole(self.text, start..end), "bidi-override");
            self.streak_floor = self.streak_floor.max(end);
        }
        start
    }

    fn maybe_turned(&mut self, at: usize) -> usize {
        let Some(c) = self.text.get(at..).and_then(|t| t.chars().next()) else { return at + 1 };
        let end = at + c.len_utf8();
        if reversed::upright(c).is_none() || at < self.streak_floor {
            return end;
        }
        let (count, range) = &mut self.turned;
        if *count == 0 || at - range.end > 32 {
            self.end_turned();
            self.turned = (1, at..end);
        } else {
            *count += 1;
            range.end = end;
        }
        end
    }

    pub(super) fn end_turned(&mut self) {
        let (count, sign) = std::mem::take(&mut self.turned);
        if count < TURNED {
            return;
        }
        let region = extent::line(self.text, sign, self.streak_floor);
        self.streak_floor = region.end;
        if self.out.affords(region.len()) {
            self.out.put(reversed::turned(self.text, region), "upside-down");
        }
    }
}
