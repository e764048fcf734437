//! The record of a run: events in, lines of the log out.
//!
//! The supervisor and its network thread hand events over and go on: equal ones that wait are counted, and beyond a
//! bound only counted. A thread of its own writes them, made at the first event: a box is made by a process without
//! threads. A write that fails is told at the end, and the run then counts as failed.

use super::events::Events;
use super::fact::Fact;
use super::trail::Trails;
use crate::input::InputArgs;
use ringfence_policy::scale::Effect;
use ringfence_sandbox::{Ending, Event, Place, Started, Witness};
use ringfence_seal::event::Actor;
use ringfence_seal::kind::{EventKind, Weight};
use ringfence_store::run_log::RunLog;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// Different facts that wait to be written.
const WAITING: usize = 1024;
/// Different facts that are told at the end.
const TOLD: usize = 4096;

/// Facts with how often each happened, in the order in which they first did.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    list: Vec<(Fact, u64)>,
    at: HashMap<Fact, usize>,
}

impl Counted {
    /// Counts a fact. Beyond the bound only its kind is counted.
    fn add(&mut self, fact: Fact, count: u64, bound: usize) {
        let fact = if self.list.len() < bound || self.at.contains_key(&fact) { fact } else { Fact::More(fact.kind()) };
        let next = self.list.len();
        let at = *self.at.entry(fact.clone()).or_insert(next);
        match self.list.get_mut(at) {
            Some((_, n)) => *n = n.saturating_add(count),
            None => self.list.push((fact, count)),
        }
    }

    /// The facts.
    pub(crate) fn list(&self) -> &[(Fact, u64)] {
        &self.list
    }
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Counted,
    closed: bool,
}

/// Where the policies of the run are, should anybody ask why.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) input: InputArgs,
    pub(super) place: Place,
    pub(super) content_hash: String,
}

/// What makes the log, with its first event.
pub(super) struct Opening {
    pub(super) make: Box<dyn FnOnce() -> Result<RunLog, String> + Send>,
    pub(super) began: Json,
    pub(super) beside: Beside,
}

/// Writes what lies beside the log, for which no command has to wait.
pub(super) type Beside = Box<dyn FnOnce() -> Result<(), String> + Send>;

/// What is known of a run.
pub(crate) struct Record {
    /// Taken when the log is made.
    opening: Mutex<Option<Opening>>,
    /// Taken when there is time for it, at the end at the latest.
    beside: Mutex<Option<Beside>>,
    log: Mutex<Option<RunLog>>,
    actor: Actor,
    events: Events,
    queue: Mutex<Queue>,
    wake: Condvar,
    writer: Mutex<Option<JoinHandle<()>>>,
    tally: Mutex<Counted>,
    source: Source,
    trails: OnceLock<Option<Trails>>,
    started: OnceLock<Started>,
    failed: Mutex<Option<String>>,
    /// How writing the end went; set once.
    ended: OnceLock<Result<(), String>>,
    on_start: Box<dyn Fn(&Started) + Send + Sync>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that died left the value as it was between two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Record {
    pub(super) fn new(
        opening: Opening,
        actor: Actor,
        events: Events,
        source: Source,
        on_start: Box<dyn Fn(&Started) + Send + Sync>,
    ) -> Self {
        Self {
            opening: Mutex::new(Some(opening)),
            beside: Mutex::default(),
            log: Mutex::default(),
            actor,
            events,
            queue: Mutex::default(),
            wake: Condvar::new(),
            writer: Mutex::default(),
            tally: Mutex::default(),
            source,
            trails: OnceLock::new(),
            started: OnceLock::new(),
            failed: Mutex::default(),
            ended: OnceLock::new(),
            on_start,
        }
    }

    /// Makes the log and writes its first event, where that has not been done.
    ///
    /// # Errors
    ///
    /// When there can be no log; the same each time.
    pub(super) fn open(&self) -> Result<(), String> {
        if let Some(Opening { make, began, beside }) = lock(&self.opening).take() {
            match make() {
                Ok(log) => {
                    *lock(&self.log) = Some(log);
                    *lock(&self.beside) = Some(beside);
                    self.write(EventKind::RunStarted, &began, &[]);
                }
                Err(e) => _ = lock(&self.failed).get_or_insert(e),
            }
        }
        match lock(&self.failed).as_ref() {
            Some(e) => Err(format!("there is no run without a log: {e}")),
            None => Ok(()),
        }
    }

    /// How the box turned out; none where it was never made.
    pub(super) fn started(&self) -> Option<&Started> {
        self.started.get()
    }

    /// The policies of the run; none where they have changed since, or cannot be read any more.
    pub(crate) fn trails(&self) -> Option<&Trails> {
        let load = || {
            let (trails, _) = Trails::derive(&self.source.input, &self.source.place).ok()?;
            (trails.content_hash == self.source.content_hash).then_some(trails)
        };
        self.trails.get_or_init(load).as_ref()
    }

    /// Takes a fact and goes on.
    pub(crate) fn take(self: &Arc<Self>, fact: Fact, count: u64) {
        lock(&self.tally).add(fact.clone(), count, TOLD);
        if !fact.is_logged() {
            return;
        }
        lock(&self.queue).waiting.add(fact, count, WAITING);
        self.wake.notify_one();
        let mut writer = lock(&self.writer);
        if writer.is_none() {
            let record = Arc::clone(self);
            // Where no thread can be had the end of the run writes what waits.
            *writer = std::thread::Builder::new().name("record".into()).spawn(move || record.write_all()).ok();
        }
    }

    /// Writes an event now.
    pub(super) fn write(&self, kind: EventKind, payload: &Json, because: &[Json]) {
        let layer = (kind != EventKind::RunStarted && kind != EventKind::RunFinished).then_some("kernel");
        let mut log = lock(&self.log);
        let Some(log) = log.as_mut() else { return };
        match log.append(kind, &self.actor, layer, payload, because) {
            Ok(seq) => self.events.tell(seq, kind, layer, payload, because),
            Err(e) => self.fail(&e),
        }
    }

    fn fail(&self, e: &impl ToString) {
        lock(&self.failed).get_or_insert_with(|| e.to_string());
    }

    fn write_beside(&self) {
        let beside = lock(&self.beside).take();
        if let Some(Err(e)) = beside.map(|write| write()) {
            self.fail(&e);
        }
    }

    /// The writer's life: it sleeps, takes what waits, writes it, and sees it onto the disk if anything was refused.
    fn write_all(&self) {
        loop {
            let mut queue = lock(&self.queue);
            while queue.waiting.list.is_empty() && !queue.closed {
                queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
            let facts = std::mem::take(&mut queue.waiting);
            drop(queue);
            if facts.list.is_empty() {
                return;
            }
            self.write_facts(&facts);
        }
    }

    fn write_facts(&self, facts: &Counted) {
        for (fact, count) in facts.list().iter().filter(|(fact, _)| self.is_claimed(fact)) {
            self.write(fact.kind(), &fact.payload(*count), &self.because(fact));
        }
        if facts.list().iter().any(|(f, _)| f.kind().weight() != Weight::Ordinary)
            && let Some(Err(e)) = lock(&self.log).as_mut().map(RunLog::sync)
        {
            self.fail(&e);
        }
    }

    /// Whether a refusal is told. Watching files only guesses at what the kernel will say, so the policy has to agree.
    pub(super) fn is_claimed(&self, fact: &Fact) -> bool {
        let watched = matches!(fact, Fact::File { .. } | Fact::Program { .. });
        if !watched {
            return true;
        }
        let Some(trails) = self.trails() else { return true };
        fact.questions().iter().any(|q| trails.why(q).0 == Effect::Deny)
    }

    /// The facts that are told, each with how often it happened.
    pub(crate) fn told(&self) -> Vec<(Fact, u64)> {
        let all = lock(&self.tally).list.clone();
        all.into_iter().filter(|(fact, _)| self.is_claimed(fact)).collect()
    }

    /// The statements behind a refusal; none where the policy would have let it through.
    fn because(&self, fact: &Fact) -> Vec<Json> {
        if fact.kind().weight() != Weight::Denial {
            return Vec::new();
        }
        let answers = fact.questions().into_iter().filter_map(|q| Some(self.trails()?.why(&q)));
        let denied = answers.filter(|(effect, _)| *effect == Effect::Deny).take(1).flat_map(|(_, trail)| trail);
        denied.filter(|b| b.decisive).filter_map(|b| serde_json::to_value(&b.entry).ok()).collect()
    }

    /// Ends the record: everything that waits is written, then the last event and the signed end. A record ends once:
    /// whoever asks later hears how it went.
    ///
    /// # Errors
    ///
    /// When anything could not be written: the log then says less than what happened.
    pub(super) fn finish(&self, last: impl FnOnce() -> (EventKind, Json)) -> Result<(), String> {
        self.ended.get_or_init(|| self.close(last())).clone()
    }

    fn close(&self, (kind, payload): (EventKind, Json)) -> Result<(), String> {
        // A run that failed early has its log all the same.
        let _ = self.open();
        self.write_beside();
        lock(&self.queue).closed = true;
        self.wake.notify_all();
        if let Some(writer) = lock(&self.writer).take() {
            let _ = writer.join();
        }
        let rest = std::mem::take(&mut lock(&self.queue).waiting);
        self.write_facts(&rest);
        self.write(kind, &payload, &[]);
        if let Some(Err(e)) = lock(&self.log).take().map(RunLog::finish) {
            self.fail(&e);
        }
        lock(&self.failed).take().map_or(Ok(()), Err)
    }
}

/// The record as the supervisor knows it.
pub(super) struct Teller(pub(super) Arc<Record>);

impl Witness for Teller {
    fn building(&self) -> Result<(), String> {
        self.0.open()
    }

    fn idle(&self) {
        if let Some(log) = lock(&self.0.log).as_mut() {
            log.fetch_key();
        }
        self.0.write_beside();
    }

    fn started(&self, started: &Started) {
        let _ = self.0.started.set(started.clone());
        self.0.write(EventKind::ConfigApplied, &applied(started, &self.0.source.content_hash), &[]);
        for what in &started.given_up {
            let payload = serde_json::json!({ "given_up": what, "tier": started.tier.to_string() });
            self.0.write(EventKind::LayerUnavailable, &payload, &[]);
        }
        (self.0.on_start)(started);
    }

    fn event(&self, event: Event) {
        if let Some((fact, count)) = Fact::new(event) {
            self.0.take(fact, count);
        }
    }

    fn ending(&self, ending: Ending) {
        // What went wrong is told to whoever asks at the end of the run.
        let _ = self.0.finish(|| super::finished(&Ok(ending), &self.0));
    }
}

fn applied(started: &Started, content_hash: &str) -> Json {
    let not: Vec<Json> =
        started.not.iter().map(|(t, why)| serde_json::json!({ "tier": t.to_string(), "why": why })).collect();
    serde_json::json!({
        "content_hash": content_hash, "landlock": started.landlock, "not": not, "refused": started.refused,
        "tier": started.tier.to_string(),
    })
}
