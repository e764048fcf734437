//! System calls that wait for the supervisor: starting programs where none may be, writing where endings count,
//! connecting where there is no network namespace, and everything where somebody watches.
//!
//! In: questions from the filter. Out: answers and events. A call is let through unchanged only where that grants
//! nothing: what a call's memory says may change before the kernel reads it, so whoever decides also acts.

mod connect;
mod files;
mod memory;

pub(crate) use connect::{Connector, Doors};
pub(crate) use files::Broker;

use crate::event::{Event, Witness};
use crate::fs::layout::Layout;
use crate::sys::{Notification, NotifyFd, Reply};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::sync::Arc;

/// Answers the questions of one run.
pub(crate) struct Questions {
    fd: NotifyFd,
    witness: Arc<dyn Witness>,
    /// How starting a program is answered.
    programs: Programs,
    /// Writes where endings count.
    broker: Option<Broker>,
    /// Connections where there is no namespace.
    connector: Option<Connector>,
    /// What is watched for.
    watched: Option<Layout>,
}

/// How starting a program is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Programs {
    /// The first one starts the run; there is no second.
    First,
    /// There was a first one.
    NoMore,
    /// Landlock decides; this only hears of it.
    Watched,
}

impl Questions {
    pub(crate) fn new(fd: OwnedFd, witness: Arc<dyn Witness>, programs: Programs) -> Self {
        Self { fd: NotifyFd::new(fd), witness, programs, broker: None, connector: None, watched: None }
    }

    /// Writes are done by a broker.
    pub(crate) fn with_broker(mut self, broker: Option<Broker>) -> Self {
        self.broker = broker;
        self
    }

    /// Connections are made by the supervisor.
    pub(crate) fn with_connector(mut self, connector: Option<Connector>) -> Self {
        self.connector = connector;
        self
    }

    /// Denials are told of.
    pub(crate) fn watching(mut self, layout: Option<Layout>) -> Self {
        self.watched = layout;
        self
    }

    /// Answers one question. False when there will be no more.
    pub(crate) fn answer(&mut self) -> bool {
        let question = match self.fd.receive() {
            Ok(question) => question,
            // The asker died while it waited.
            Err(Errno::INTR | Errno::NOENT) => return true,
            Err(_) => return false,
        };
        let number = i64::from(question.number);
        match number {
            libc::SYS_execve | libc::SYS_execveat => self.exec(&question),
            libc::SYS_listen => match &self.connector {
                Some(connector) => connector.listen(&self.fd, &question),
                None => self.reply(&question, Reply::Fail(Errno::PERM)),
            },
            libc::SYS_connect => match &self.connector {
                Some(connector) => connector.answer(&self.fd, &question, &*self.witness),
                None => self.reply(&question, Reply::Fail(Errno::PERM)),
            },
            _ => match (&self.broker, &self.watched) {
                (Some(broker), _) => broker.answer(&self.fd, &question, &*self.witness),
                (None, Some(layout)) => {
                    files::watch(&self.fd, &question, layout, &*self.witness);
                    self.reply(&question, Reply::Continue);
                }
                (None, None) => self.reply(&question, Reply::Fail(Errno::PERM)),
            },
        }
        true
    }

    fn exec(&mut self, question: &Notification) {
        match self.programs {
            Programs::First => {
                self.programs = Programs::NoMore;
                self.reply(question, Reply::Continue);
            }
            Programs::NoMore => {
                let program = memory::program(&self.fd, question).unwrap_or_default();
                self.reply(question, Reply::Fail(Errno::ACCESS));
                self.witness.event(Event::ExecDenied { program });
            }
            Programs::Watched => {
                let program = memory::program(&self.fd, question);
                self.reply(question, Reply::Continue);
                if let (Some(program), Some(layout)) = (program, &self.watched)
                    && program.exists()
                {
                    let has = layout.full || layout.access(&program).is_some();
                    self.witness.event(if has { Event::ExecSeen { program } } else { Event::ExecDenied { program } });
                }
            }
        }
    }

    fn reply(&self, question: &Notification, reply: Reply) {
        let _ = self.fd.answer(question.id, reply);
    }
}

impl AsFd for Questions {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
