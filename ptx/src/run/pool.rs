//! The clusters of a launch, most of which are one block: threads of the host run them side by side.
//!
//! A cluster runs to its end at once as a rule. One that takes long is put aside
//! for others now and then, since it may wait for them; so many blocks are on
//! their way at a time, and of a cooperative launch all.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use super::super::Kernel;
use super::block::State;
use super::cluster::Cluster;
use super::{Accident, Fault, Launch};
use crate::sync;

/// The steps that a cluster makes before others have their turn.
const TURN: u64 = 1 << 21;
/// The same in a cooperative launch, in which blocks wait for one another.
const SHORT_TURN: u64 = 1 << 14;
/// How many clusters can be on their way.
const RESIDENT: usize = 64;
/// How long a launch runs before other threads help: starting them takes time.
const ALONE: Duration = Duration::from_micros(100);

/// The blocks that are left to run.
struct Pool<'a> {
    launch: &'a Launch<'a>,
    kernel: &'a Kernel,
    start: Instant,
    total: u64,
    /// The clusters that have begun.
    begun: AtomicU64,
    paused: Mutex<VecDeque<Cluster<'a>>>,
    steps: AtomicU64,
    stop: AtomicBool,
    fault: Mutex<Option<(Fault, Option<Accident>)>>,
}

/// Runs all blocks of a launch, whose grid is made of whole clusters.
pub(super) fn run(launch: &Launch<'_>, kernel: &Kernel) -> Result<(), Fault> {
    let blocks = launch.grid.iter().fold(1, |all: u64, &one| all.saturating_mul(one.into()));
    let pool = Pool {
        launch,
        kernel,
        start: Instant::now(),
        total: blocks / u64::from(launch.cluster.map_or(1, |extents| extents.iter().product())),
        begun: AtomicU64::new(0),
        paused: Mutex::default(),
        steps: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        fault: Mutex::default(),
    };
    let workers = pool.total.min(launch.workers.max(1) as u64);
    let alone = if workers > 1 { Some(pool.start + ALONE) } else { None };
    if !pool.work(alone) {
        thread::scope(|scope| {
            for _ in 1..workers {
                // One that the system refuses is not needed.
                let helper = thread::Builder::new().name("cuscope-block".to_owned());
                let _ = helper.spawn_scoped(scope, || pool.work(None));
            }
            pool.work(None);
        });
    }
    launch.output.ran(pool.steps.load(Relaxed));
    let Some((fault, accident)) = *sync::lock(&pool.fault) else { return Ok(()) };
    accident.iter().for_each(|accident| launch.output.faulted(accident));
    Err(fault)
}

impl<'a> Pool<'a> {
    /// Runs clusters until none is left, or to a time; whether none is left.
    fn work(&self, until: Option<Instant>) -> bool {
        let mut spare = None;
        while !self.stop.load(Relaxed) {
            if until.is_some_and(|until| Instant::now() >= until) {
                return false;
            }
            let mut cluster = match self.next(&mut spare) {
                Ok(Some(cluster)) => cluster,
                Ok(None) => return true,
                Err(fault) => {
                    self.fail(fault);
                    return true;
                }
            };
            let turn = if self.launch.workspace == 0 { TURN } else { SHORT_TURN };
            match cluster.run(turn.min(self.launch.most_steps)) {
                Ok(state) => {
                    let made = cluster.steps();
                    let steps = self.steps.fetch_add(made, Relaxed).saturating_add(made);
                    if steps > self.launch.most_steps {
                        self.fail(Fault::LaunchTimeout);
                    } else if state != State::Ended && self.launch.memory.cut_off() {
                        self.fail(Fault::CutOff);
                    } else if state == State::Ended {
                        spare = Some(cluster);
                    } else {
                        sync::lock(&self.paused).push_back(cluster);
                    }
                }
                Err(fault) => {
                    self.steps.fetch_add(cluster.steps(), Relaxed);
                    self.fail_at(fault, cluster.accident());
                }
            }
        }
        true
    }

    fn fail(&self, fault: Fault) {
        self.fail_at(fault, None);
    }

    fn fail_at(&self, fault: Fault, accident: Option<Accident>) {
        sync::lock(&self.fault).get_or_insert((fault, accident));
        self.stop.store(true, Relaxed);
    }

    /// A cluster to run: a new one, or the one that was put aside first.
    fn next(&self, spare: &mut Option<Cluster<'a>>) -> Result<Option<Cluster<'a>>, Fault> {
        let mut paused = sync::lock(&self.paused);
        let all = if self.launch.workspace == 0 { RESIDENT } else { usize::MAX };
        if paused.len() >= all {
            return Ok(paused.pop_front());
        }
        let index = self.begun.load(Relaxed);
        if index >= self.total {
            return Ok(paused.pop_front());
        }
        self.begun.store(index + 1, Relaxed);
        drop(paused);
        let mut cluster =
            spare.take().unwrap_or_else(|| Cluster::new(self.launch, self.kernel, self.start));
        cluster.begin(index)?;
        Ok(Some(cluster))
    }
}
