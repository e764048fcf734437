//! Gathers what was opened, within the budget.

use super::{Budget, Decoding};
use crate::view::{Builder, View};

/// Views handed out one by one; what is found after so many is put into one further view.
const VIEWS: usize = 128;

/// What one pass has opened so far.
#[derive(Debug)]
pub(super) struct Emit<'a> {
    view: &'a View<'a>,
    budget: &'a mut Budget,
    found: Vec<Decoding>,
    rest: Builder,
}

impl<'a> Emit<'a> {
    pub(super) fn new(view: &'a View<'a>, budget: &'a mut Budget) -> Self {
        Self { view, budget, found: Vec::new(), rest: Builder::default() }
    }

    /// Whether a text of so many bytes would fit; if not, that is noted.
    pub(super) fn affords(&mut self, bytes: usize) -> bool {
        bytes <= self.budget.bytes() || self.budget.take(bytes)
    }

    /// Hands out a view put together over the searched one.
    pub(super) fn put(&mut self, text: Builder, via: &'static str) {
        if text.text().is_empty() || !self.budget.take(text.text().len() + 1) {
            return;
        }
        if self.found.len() < VIEWS {
            self.found.push(Decoding { view: text.finish(self.view), via });
        } else {
            self.rest.append(text);
        }
    }

    pub(super) fn finish(mut self) -> Vec<Decoding> {
        if !self.rest.text().is_empty() {
            self.found.push(Decoding { view: self.rest.finish(self.view), via: "encoded" });
        }
        self.found
    }
}
