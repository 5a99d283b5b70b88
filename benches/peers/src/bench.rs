//! What every candidate does, and how often in one measurement.

use crate::threads::Work;
use std::hint::spin_loop;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Does an operation so many times, and says how long that took.
pub type Run<'a> = Box<dyn FnMut(u64) -> Duration + 'a>;

/// A way to call the driver.
pub trait Candidate {
    fn name(&self) -> &'static str;
    /// The operation of this name, ready to run, or why there is none.
    fn operation<'a>(&'a self, name: &str) -> Result<Run<'a>, &'static str>;
    /// The launch of saxpy from many threads, or why there is none.
    fn on_threads(&self) -> Result<Work<'_>, &'static str>;
    /// The [step](steps) with 16 KiB from many threads, each with a stream of its own, with kept blocks or without, or
    /// why there is none.
    fn steps_on_threads(&self, _kept: bool) -> Result<Work<'_>, &'static str> {
        Err(NO_SUCH)
    }
}

pub struct Operation {
    pub name: &'static str,
    pub title: &'static str,
    /// How many in one measurement: few enough for the driver's queue.
    pub n: u64,
    pub rounds: usize,
}

const fn operation(name: &'static str, title: &'static str, n: u64, rounds: usize) -> Operation {
    Operation { name, title, n, rounds }
}

pub const OPERATIONS: &[Operation] = &[
    operation("launch_0", "launch, no argument", 256, 201),
    operation("launch_4", "launch, 4 arguments", 256, 201),
    operation("launch_12", "launch, 12 arguments", 256, 201),
    operation("launch_wait", "launch and wait", 64, 101),
    operation("event_record", "event record", 256, 201),
    operation("stream_query", "stream query", 1000, 201),
    operation("memset", "memset", 256, 201),
    operation("enqueue_upload", "copy of 64 B to the device, no wait", 256, 201),
    operation("enqueue_upload_registered", "the same from registered memory", 256, 201),
    operation("upload_64B", "copy of 64 B to the device, and wait", 64, 101),
    operation("upload_4KiB", "copy of 4 KiB to the device, and wait", 64, 101),
    operation("upload_64KiB", "copy of 64 KiB to the device, and wait", 64, 101),
    operation("upload_1MiB", "copy of 1 MiB to the device, and wait", 16, 101),
    operation("upload_16MiB", "copy of 16 MiB to the device, and wait", 4, 41),
    operation("upload_256MiB", "copy of 256 MiB to the device, and wait", 1, 31),
    operation("download_64B", "copy of 64 B to the host, and wait", 64, 101),
    operation("download_4KiB", "copy of 4 KiB to the host, and wait", 64, 101),
    operation("download_64KiB", "copy of 64 KiB to the host, and wait", 64, 101),
    operation("download_1MiB", "copy of 1 MiB to the host, and wait", 16, 101),
    operation("download_16MiB", "copy of 16 MiB to the host, and wait", 4, 41),
    operation("download_256MiB", "copy of 256 MiB to the host, and wait", 1, 31),
    operation("alloc_free", "alloc and free", 128, 401),
    operation("stream_alloc_free", "stream-ordered alloc and free", 128, 401),
    operation("step_16KiB", "step of an inner loop, 16 KiB", 256, 201),
    operation("step_16MiB", "step of an inner loop, 16 MiB", 64, 101),
    operation("kept_16KiB", "the same with kept blocks, beside the launch alone, 16 KiB", 256, 201),
    operation("kept_16MiB", "the same with kept blocks, beside the launch alone, 16 MiB", 64, 101),
    operation("peer_256MiB", "copy of 256 MiB between two devices, and wait", 1, 31),
    operation("push_pop", "push and pop", 10_000, 401),
    operation("nested", "two nested contexts, an event record in each", 256, 401),
    operation("replay", "graph replay", 128, 201),
    operation("threads_1", "launch from 1 thread", 256, 120),
    operation("threads_2", "launch from 2 threads", 256, 120),
    operation("threads_4", "launch from 4 threads", 256, 120),
    operation("threads_8", "launch from 8 threads", 256, 120),
    operation("steps_8", "step of an inner loop from 8 threads, 16 KiB", 256, 120),
    operation(
        "kept_8",
        "the same with kept blocks, beside the launch alone, from 8 threads",
        256,
        120,
    ),
];

/// `upload_4KiB` less `upload_` in bytes.
pub fn bytes(name: &str, prefix: &str) -> Option<usize> {
    let size = name.strip_prefix(prefix)?;
    let digits = size.trim_end_matches(|c: char| c.is_alphabetic());
    let unit = match &size[digits.len()..] {
        "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        _ => return None,
    };
    Some(digits.parse::<usize>().ok()? * unit)
}

/// Elements of the kernels' buffers, and threads of a launch.
pub const LEN: u32 = 64;
/// Bytes of an allocation.
pub const ALLOCATION: usize = 1024;
pub const KERNELS: &str = include_str!("../kernels/kernels.ptx");
/// The same as a C string.
pub const KERNELS_C: &str = concat!(include_str!("../kernels/kernels.ptx"), "\0");

pub fn timed(n: u64, mut operation: impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..n {
        operation();
    }
    start.elapsed()
}

/// Does the step of an inner loop so many times, until the device is done: allocates an output, runs a kernel from the
/// input to it, frees the input, and goes on with the output.
pub fn steps(n: u64, mut step: impl FnMut(), wait: impl FnOnce()) -> Duration {
    let start = Instant::now();
    for _ in 0..n {
        step();
    }
    wait();
    start.elapsed()
}

/// The elements of the memory of a step, and the blocks of its kernel, if an operation is one.
pub fn step_of(name: &str, prefix: &str) -> Option<(u32, u32)> {
    let len = u32::try_from(bytes(name, prefix)? / 4).expect("it is small");
    Some((len, len / BLOCK))
}

/// Why a row with two devices has none.
pub const ONE_DEVICE: &str = "needs two devices";

/// A step with 16 KiB.
pub const SMALL_STEP: (u32, u32) = (1 << 12, (1 << 12) / BLOCK);

/// The threads of a block of a step.
pub const BLOCK: u32 = 256;

/// An operation that is done in a loop.
macro_rules! run {
    ($operation:expr) => {
        Ok(Box::new(move |n| crate::bench::timed(n, || $operation)))
    };
}
pub(crate) use run;

/// The threads of one candidate, and the one that asks them for rounds.
pub struct Turns {
    threads: usize,
    /// Operations of a round.
    n: u64,
    state: Mutex<State>,
    changed: Condvar,
    /// Threads that have met, over all rounds.
    met: AtomicUsize,
}

#[derive(Default)]
struct State {
    ready: usize,
    round: usize,
    over: bool,
    /// When each thread began and ended this round.
    times: Vec<(Instant, Instant)>,
}

impl Turns {
    pub fn of(candidates: usize, threads: usize, n: u64) -> Vec<Turns> {
        let turns = || Turns {
            threads,
            n,
            state: Mutex::default(),
            changed: Condvar::new(),
            met: AtomicUsize::new(0),
        };
        (0..candidates).map(|_| turns()).collect()
    }

    fn wait_while(&self, condition: impl FnMut(&mut State) -> bool) -> MutexGuard<'_, State> {
        let state = self.state.lock().expect("no thread panics");
        self.changed.wait_while(state, condition).expect("no thread panics")
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().expect("no thread panics"));
        self.changed.notify_all();
    }

    /// On a thread that is ready: does the operation in every round, until there are no more.
    pub fn take(&self, mut operation: impl FnMut()) {
        operation();
        self.change(|state| state.ready += 1);
        for round in 1.. {
            if self.wait_while(|state| state.round < round && !state.over).over {
                return;
            }
            operation(); // whatever sleep made cold
            self.met.fetch_add(1, AcqRel);
            while self.met.load(Acquire) < round * self.threads {
                spin_loop();
            }
            let start = Instant::now();
            for _ in 0..self.n {
                operation();
            }
            let end = Instant::now();
            self.change(|state| state.times.push((start, end)));
        }
    }

    pub fn wait_until_ready(&self) {
        drop(self.wait_while(|state| state.ready < self.threads));
    }

    /// A round: from the first that begins to the last that ends.
    pub fn round(&self) -> Duration {
        self.change(|state| state.round += 1);
        let mut state = self.wait_while(|state| state.times.len() < self.threads);
        let times = std::mem::take(&mut state.times);
        let start = times.iter().map(|time| time.0).min().expect("a thread");
        times.iter().map(|time| time.1).max().expect("a thread") - start
    }

    pub fn end(&self) {
        self.change(|state| state.over = true);
    }
}

pub const NO_SUCH: &str = "not measured";
