//! A trace of what was called and when work ran, in the form that trace viewers read: a lane for each
//! thread with its driver calls, and one for each stream with its work (`CUSCOPE_SOFT_TRACE`).
#![allow(unsafe_code, reason = "a function that is called at the exit")]

use crate::label::Label;
use crate::model::driver;
use crate::model::result;
use crate::{label, sync};
use cuscope_sys::{CUDA_SUCCESS, CUresult};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::Instant;

/// Events that are kept; what comes later is only counted.
const MOST: usize = 1 << 20;

/// Whether there is a trace.
static ON: AtomicBool = AtomicBool::new(false);
static TRACE: Mutex<Option<Trace>> = Mutex::new(None);

struct Trace {
    path: PathBuf,
    events: Vec<Event>,
    /// Names of threads by their lanes.
    threads: BTreeMap<u64, String>,
    dropped: u64,
}

/// Which lane an event is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    Thread(u64),
    Stream(u64),
}

struct Event {
    lane: Lane,
    name: Cow<'static, str>,
    /// Microseconds since the beginning, and of it.
    start: f64,
    duration: f64,
    code: CUresult,
}

/// When the trace began.
fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(Instant::now)
}

thread_local! {
    /// The lane of the thread; 0 before its first event.
    static LANE: Cell<u64> = const { Cell::new(0) };
}

/// Whether there is a trace.
#[inline]
pub(crate) fn on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Begins a trace that is written to the path at the exit.
pub(crate) fn begin(path: &Path) {
    let _now = epoch();
    let (path, threads) = (path.to_owned(), BTreeMap::new());
    *sync::lock(&TRACE) = Some(Trace { path, events: Vec::new(), threads, dropped: 0 });
    label::begin();
    ON.store(true, Ordering::Release);
    // SAFETY: a function of C without obligations, which looks at statics only.
    let _ = unsafe { libc::atexit(write) };
}

/// The start of something, to be told at its end.
pub(crate) struct Span {
    start: Instant,
}

impl Span {
    /// Now, if there is a trace.
    #[inline]
    pub(crate) fn new() -> Option<Self> {
        on().then(|| Self { start: Instant::now() })
    }

    /// A call of the driver has ended.
    pub(crate) fn called(self, name: &'static str, code: CUresult) {
        add(|trace| (Lane::Thread(lane(trace)), Cow::Borrowed(name), code), self.start);
    }
}

/// Work that runs; its end is the end of this.
pub(crate) struct Running {
    span: Option<(Span, Cow<'static, str>, u64)>,
}

/// Work of a stream begins.
pub(crate) fn work(label: &Label, queue: u64) -> Running {
    let name = || if label.name.is_empty() { Cow::Borrowed("work") } else { label.name.clone() };
    Running { span: Span::new().map(|span| (span, name(), label.stream.unwrap_or(queue))) }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some((span, name, queue)) = self.span.take() {
            add(|_| (Lane::Stream(queue), name, CUDA_SUCCESS), span.start);
        }
    }
}

/// The lane of this thread, which gets one with its first event.
fn lane(trace: &mut Trace) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let of = |lane: &Cell<u64>| {
        if lane.get() == 0 {
            lane.set(NEXT.fetch_add(1, Ordering::Relaxed));
            let name = thread::current().name().unwrap_or("thread").to_owned();
            trace.threads.insert(lane.get(), name);
        }
        lane.get()
    };
    LANE.try_with(of).unwrap_or(0)
}

fn add(what: impl FnOnce(&mut Trace) -> (Lane, Cow<'static, str>, CUresult), start: Instant) {
    let end = Instant::now();
    let mut trace = sync::lock(&TRACE);
    let Some(trace) = trace.as_mut() else { return };
    if trace.events.len() >= MOST {
        trace.dropped += 1;
        return;
    }
    let (lane, name, code) = what(trace);
    let micros = |time: Instant| (time.saturating_duration_since(epoch())).as_secs_f64() * 1e6;
    let (start, end) = (micros(start), micros(end));
    trace.events.push(Event { lane, name, start, duration: end - start, code });
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl Lane {
    /// The two numbers by which viewers know it.
    fn ids(self) -> (u32, u64) {
        match self {
            Self::Thread(number) => (1, number),
            Self::Stream(number) => (2, number),
        }
    }
}

impl Trace {
    /// The whole as JSON, a line an event.
    fn json(&self) -> String {
        let mut lines = Vec::new();
        let mut named = |what: &str, (group, lane): (u32, u64), name: &str| {
            lines.push(format!(
                r#"{{"name":"{what}","ph":"M","pid":{group},"tid":{lane},"args":{{"name":{}}}}}"#,
                quoted(name)
            ));
        };
        named("process_name", (1, 0), "threads");
        named("process_name", (2, 0), "streams");
        for (&lane, name) in &self.threads {
            named("thread_name", (1, lane), &format!("{name} ({lane})"));
        }
        let streams = self.events.iter().filter_map(|event| match event.lane {
            Lane::Stream(number) => Some(number),
            Lane::Thread(_) => None,
        });
        for number in streams.collect::<std::collections::BTreeSet<_>>() {
            named("thread_name", (2, number), &format!("stream {number}"));
        }
        for event in &self.events {
            let (group, lane) = event.lane.ids();
            let Event { name, start, duration, code, .. } = event;
            let args = match event.lane {
                Lane::Thread(_) => {
                    let name = result::name_of(*code).unwrap_or("an unknown code");
                    format!(r#","args":{{"code":{},"result":"{name}"}}"#, code.0)
                }
                Lane::Stream(_) => String::new(),
            };
            lines.push(format!(
                r#"{{"name":{},"ph":"X","pid":{group},"tid":{lane},"ts":{start:.3},"dur":{duration:.3}{args}}}"#,
                quoted(name)
            ));
        }
        let events = lines.join(",\n");
        let dropped = self.dropped;
        format!(
            "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"dropped\":{dropped}}},\n\
             \"traceEvents\":[\n{events}\n]}}\n"
        )
    }
}

/// Writes the trace, but not in the child of a fork.
extern "C" fn write() {
    if driver::forked() {
        return;
    }
    ON.store(false, Ordering::Relaxed);
    let Some(trace) = sync::lock(&TRACE).take() else { return };
    let file = std::fs::File::create(&trace.path);
    let written = file.and_then(|mut file| file.write_all(trace.json().as_bytes()));
    if let Err(error) = written {
        eprintln!("cuscope-softdriver: the trace {:?} was not written: {error}", trace.path);
    }
}
