//! Grants that are made, end or are taken back while a run goes on.
//!
//! In: the folder of grants, watched. Out: the allowlist as it is now. The ceiling is asked about each new grant.

use super::fact::Fact;
use super::prepare::Prepared;
use super::record::Record;
use crate::clock;
use crate::command::allow::grants::{Grant, Grants};
use ringfence_policy::question::Question;
use ringfence_policy::scale::NetworkMode;
use ringfence_sandbox::{Changes, Request};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often the folder is looked at where it cannot be watched.
const EVERY: Duration = Duration::from_secs(1);
/// A run that is over by then never watches: the kernel takes some 15 ms to let go of a watch.
const SETTLED: Duration = Duration::from_millis(300);

/// The allowlist of a run, as the grants change it.
pub(super) struct Live {
    grants: Option<Grants>,
    watch: Option<OwnedFd>,
    repo: PathBuf,
    own: Vec<String>,
    in_force: Vec<Grant>,
    record: Arc<Record>,
    /// When to look again by ourselves.
    due: Option<Instant>,
    /// When to start watching; from then on the kernel tells.
    settled: Option<Instant>,
}

impl Live {
    pub(super) fn new(grants: Option<Grants>, request: &Request, prepared: &Prepared, record: Arc<Record>) -> Self {
        // A box without an allowlist has no sockets that a grant could open.
        let grants = grants.filter(|_| request.slice.network_mode == NetworkMode::Allowlist);
        let settled = grants.as_ref().and_then(|_| Instant::now().checked_add(SETTLED));
        let in_force = prepared.grants.iter().filter(|g| is_net(g)).cloned().collect();
        let repo = request.place.repo.clone();
        let own = prepared.allowlist.clone();
        let mut live = Self { grants, watch: None, repo, own, in_force, record, due: None, settled };
        live.schedule();
        live
    }

    /// The next moment at which something ends, or the folder has to be looked at.
    fn schedule(&mut self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let ends = self.in_force.iter().map(|g| Duration::from_secs(g.until.max(0).unsigned_abs()).saturating_sub(now));
        let polled = (self.grants.is_some() && self.watch.is_none()).then_some(EVERY);
        let wait = ends.chain(polled).min();
        let due = wait.and_then(|wait| Instant::now().checked_add(wait));
        self.due = due.into_iter().chain(self.settled).min();
    }

    /// Watches the folder once the run has lasted a while. What came before is seen by the look that follows.
    fn settle(&mut self) {
        if self.settled.is_some_and(|at| at <= Instant::now()) {
            self.settled = None;
            self.watch = self.grants.as_ref().and_then(watch);
        }
    }

    /// What the folder says now, of the grants that the ceiling admits.
    fn look(&self) -> Vec<Grant> {
        let (Some(grants), Ok(now)) = (&self.grants, clock::at(None)) else { return Vec::new() };
        let mut found = grants.in_force(&self.repo, now);
        let admitted = |g: &Grant| self.record.trails().is_some_and(|t| t.admits(&g.question).is_ok());
        found.retain(|g| is_net(g) && (self.in_force.contains(g) || admitted(g)));
        found
    }
}

fn is_net(grant: &Grant) -> bool {
    matches!(grant.question, Question::Net { .. })
}

fn watch(grants: &Grants) -> Option<OwnedFd> {
    let fd = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
    let flags = WatchFlags::MOVED_TO | WatchFlags::DELETE | WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_FROM;
    add_watch(&fd, grants.path(), flags).ok()?;
    Some(fd)
}

impl Changes for Live {
    fn watch(&self) -> Option<BorrowedFd<'_>> {
        self.watch.as_ref().map(AsFd::as_fd)
    }

    fn next(&self) -> Option<Duration> {
        self.due.map(|due| due.saturating_duration_since(Instant::now()))
    }

    fn allowlist(&mut self) -> Option<Vec<String>> {
        self.settle();
        if let Some(fd) = &self.watch {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = Reader::new(fd, &mut buffer);
            while events.next().is_ok() {}
        }
        let now = self.look();
        let began: Vec<&Grant> = now.iter().filter(|g| !self.in_force.contains(g)).collect();
        let ended: Vec<&Grant> = self.in_force.iter().filter(|g| !now.contains(g)).collect();
        let changed = !began.is_empty() || !ended.is_empty();
        for g in began {
            self.record.take(Fact::GrantMade { id: g.id.clone(), what: g.what(), reason: g.reason.clone() }, 1);
        }
        for g in ended {
            self.record.take(Fact::GrantEnded { id: g.id.clone(), what: g.what() }, 1);
        }
        self.in_force = now;
        self.schedule();
        changed.then(|| self.own.iter().cloned().chain(self.in_force.iter().flat_map(Grant::host_rules)).collect())
    }
}
