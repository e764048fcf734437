//! Jobs in, results out in the same order, on all cores and in bounded memory.

use crate::failure::Failure;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Jobs that wait for a worker, for each of them.
const WAITING: usize = 2;

/// Works on every job and hands the results over in the order of the jobs. A result that is refused ends it.
///
/// Each job has a channel of its own for its one result; the receivers queue up in order, and the queue is bounded, so
/// a slow job holds up the others instead of letting their results pile up.
pub(super) fn ordered<J: Send, R: Send>(
    jobs: impl Iterator<Item = J> + Send,
    work: impl Fn(J) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let workers = thread::available_parallelism().map_or(1, |n| n.get()).min(64);
    let (to_workers, waiting) = sync_channel::<(J, SyncSender<R>)>(workers * WAITING);
    let (to_writer, results) = sync_channel::<Receiver<R>>(workers * WAITING);
    let waiting = Mutex::new(waiting);
    thread::scope(|scope| {
        scope.spawn(move || {
            for job in jobs {
                let (answer, result) = sync_channel(1);
                // Whoever does not want the result any more does not want the next one either.
                if to_writer.send(result).is_err() || to_workers.send((job, answer)).is_err() {
                    return;
                }
            }
        });
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((job, answer)) = job else { return };
                    // The writer may have gone; then there is nobody to tell.
                    let _ = answer.send(work(job));
                }
            });
        }
        for result in results {
            let result = result.recv().map_err(|_| Failure::Io("a worker ended before its work".into()))?;
            take(result)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let mut out = Vec::new();
        let slow = |n: u64| {
            if n.is_multiple_of(97) {
                thread::yield_now();
            }
            n * 2
        };
        ordered(0..10_000, slow, |n| {
            out.push(n);
            Ok(())
        })
        .expect("no failure");
        assert!(out.iter().copied().eq((0..10_000).map(|n| n * 2)));
    }

    #[test]
    fn a_refused_result_ends_it() {
        let mut taken = 0;
        let ended = ordered(
            0..,
            |n: u64| n,
            |_| {
                taken += 1;
                if taken == 3 { Err(Failure::Io("enough".into())) } else { Ok(()) }
            },
        );
        assert!(ended.is_err());
        assert_eq!(taken, 3);
    }
}
