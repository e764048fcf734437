//! Keeps the event stream small: the first of a kind at once, repeats as a count.
//!
//! In: every verdict. Out: events to the sink. A process that asks for a million names in a second makes a
//! bounded number of events and a bounded table, never silence.

use super::event::{EventSink, NetEvent, Verdict, Via, Why};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Denials written down one by one between two flushes; beyond it they are only counted.
const DISTINCT_PER_FLUSH: usize = 128;
/// Allowed hosts written down in one run.
const ALLOWED: usize = 8192;

/// What makes two denials the same.
type Key = (String, Option<u16>, Via, Why);

/// Counts and forwards.
pub(crate) struct Reporter {
    sink: Arc<dyn EventSink>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    allowed: HashSet<(String, u16)>,
    seen: HashMap<Key, (NetEvent, u64)>,
    more: u64,
}

impl Reporter {
    pub(crate) fn new(sink: Arc<dyn EventSink>) -> Self {
        Self { sink, state: RefCell::default() }
    }

    /// One event for each new host and port.
    pub(crate) fn allowed(&self, host: &str, port: u16, via: Via, rule: Option<String>) {
        {
            let allowed = &mut self.state.borrow_mut().allowed;
            if allowed.len() >= ALLOWED || !allowed.insert((host.to_owned(), port)) {
                return;
            }
        }
        let (host, port) = (host.to_owned(), Some(port));
        let verdict = Verdict::Allowed;
        self.sink.net(NetEvent { verdict, host, port, via, why: Why::Rule, detail: String::new(), rule, count: 1 });
    }

    /// One event for the first denial of its kind; repeats come with the next flush.
    pub(crate) fn denied(&self, event: NetEvent) {
        {
            let state = &mut *self.state.borrow_mut();
            let key = (event.host.clone(), event.port, event.via, event.why);
            if let Some((_, repeats)) = state.seen.get_mut(&key) {
                *repeats = repeats.saturating_add(1);
                return;
            }
            if state.seen.len() >= DISTINCT_PER_FLUSH {
                state.more = state.more.saturating_add(1);
                return;
            }
            state.seen.insert(key, (event.clone(), 0));
        }
        self.sink.net(event);
    }

    /// Sends the counts that gathered since the last flush and forgets what was seen.
    pub(crate) fn flush(&self) {
        let state = std::mem::take(&mut *self.state.borrow_mut());
        for (event, count) in state.seen.into_values().filter(|(_, repeats)| *repeats > 0) {
            self.sink.net(NetEvent { count, ..event });
        }
        if state.more > 0 {
            self.sink.net(NetEvent {
                verdict: Verdict::Denied,
                host: String::new(),
                port: None,
                via: Via::Dns,
                why: Why::More,
                detail: String::new(),
                rule: None,
                count: state.more,
            });
        }
        self.state.borrow_mut().allowed = state.allowed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Kept(Mutex<Vec<NetEvent>>);

    impl EventSink for Kept {
        fn net(&self, event: NetEvent) {
            self.0.lock().unwrap().push(event);
        }
    }

    fn denial(host: &str) -> NetEvent {
        NetEvent {
            verdict: Verdict::Denied,
            host: host.to_owned(),
            port: None,
            via: Via::Dns,
            why: Why::NameNotAllowed,
            detail: String::new(),
            rule: None,
            count: 1,
        }
    }

    #[test]
    fn repeats_become_a_count_and_a_flood_stays_small() {
        let kept = Arc::new(Kept::default());
        let reporter = Reporter::new(kept.clone());
        for _ in 0..5 {
            reporter.denied(denial("a.example"));
        }
        for n in 0..10_000 {
            reporter.denied(denial(&format!("{n}.example")));
        }
        reporter.flush();
        let events = kept.0.lock().unwrap();
        assert!(events.len() <= DISTINCT_PER_FLUSH + 2, "{}", events.len());
        assert_eq!(events.iter().map(|e| e.count).sum::<u64>(), 10_005);
        assert_eq!(events.iter().filter(|e| e.host == "a.example").map(|e| e.count).collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn an_allowed_host_is_told_once() {
        let kept = Arc::new(Kept::default());
        let reporter = Reporter::new(kept.clone());
        for port in [80, 443, 443, 80] {
            reporter.allowed("a.example", port, Via::Connect, None);
            reporter.flush();
        }
        assert_eq!(kept.0.lock().unwrap().len(), 2);
    }
}
