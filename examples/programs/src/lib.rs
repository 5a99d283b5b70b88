//! The run of a program as a Chrome trace: a file that <https://ui.perfetto.dev> and `chrome://tracing` show.
//!
//! A [`Trace`] has a lane for each thread, with its calls. A [`DeviceTrace`] adds a lane for each stream, with the work
//! that the device did. The program `trace` uses both.
//!
//! The module [`runtime`] is another program: what tensor libraries have below them.

pub mod runtime;

use cuscope::{Event, OrderedStream, PushedGuard, Result, ScopedStream, Stream};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// A row of the viewer: the number of its group, and its own. The format calls them process and thread.
type Lane = (u32, u64);

/// The group of the threads. Device `n` is group `DEVICES + n`.
const THREADS: u32 = 1;
const DEVICES: u32 = 2;

/// What ran, and when: calls of threads, and work of streams. All threads can use it.
#[derive(Debug)]
pub struct Trace {
    began: Instant,
    records: Mutex<Records>,
}

#[derive(Debug, Default)]
struct Records {
    groups: BTreeMap<u32, String>,
    lanes: BTreeMap<Lane, String>,
    threads: HashMap<ThreadId, u64>,
    spans: Vec<Span>,
    /// How well the clock of each device agrees with that of the host.
    clocks: BTreeMap<String, Value>,
}

/// Something with a name that began and ended. Both times count from the beginning of the trace.
#[derive(Debug)]
struct Span {
    lane: Lane,
    name: String,
    begin: Duration,
    end: Duration,
}

impl Trace {
    /// Begins a trace.
    #[must_use]
    pub fn new() -> Trace {
        let groups = BTreeMap::from([(THREADS, "threads".to_owned())]);
        let records = Mutex::new(Records { groups, ..Records::default() });
        Trace { began: Instant::now(), records }
    }

    /// Runs a function as a call of this thread. Calls may contain calls.
    pub fn call<R>(&self, name: impl Into<String>, f: impl FnOnce() -> R) -> R {
        let begin = self.began.elapsed();
        let result = f();
        let end = self.began.elapsed();
        let mut records = self.records();
        let lane = (THREADS, records.this_thread());
        records.spans.push(Span { lane, name: name.into(), begin, end });
        result
    }

    /// Begins to trace streams of the context of a guard.
    ///
    /// # Errors
    /// A driver error.
    pub fn device<'t, 'g, 'ctx>(
        &'t self,
        gpu: &'g PushedGuard<'ctx>,
    ) -> Result<DeviceTrace<'t, 'g, 'ctx>> {
        let stream = gpu.stream()?;
        let mut base = self.reading(gpu, &stream)?;
        // The first reading takes the longest, so the best of some is the base.
        for _ in 0..10 {
            let next = self.reading(gpu, &stream)?;
            if next.error < base.error {
                base = next;
            }
        }
        Ok(DeviceTrace { trace: self, gpu, stream, base, pieces: RefCell::default() })
    }

    /// Writes the trace in the format of Chrome's trace events, as JSON.
    ///
    /// # Errors
    /// An error of the writer.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let records = self.records();
        // "M" gives a name to a group or a lane. "X" is complete: it has a beginning and a duration, in microseconds.
        let groups = records.groups.iter().map(|(pid, name)| {
            json!({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}})
        });
        let lanes = records.lanes.iter().map(|((pid, tid), name)| {
            json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}})
        });
        let spans = records.spans.iter().map(|Span { lane: (pid, tid), name, begin, end }| {
            let (ts, dur) = (microseconds(*begin), microseconds(*end - *begin));
            json!({"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur})
        });
        let events: Vec<Value> = groups.chain(lanes).chain(spans).collect();
        let trace = json!({
            "displayTimeUnit": "ns",
            "otherData": records.clocks,
            "traceEvents": events,
        });
        Ok(serde_json::to_writer(out, &trace)?)
    }

    /// Reads both clocks: records an event in an idle stream and waits for it. The device recorded it in between.
    fn reading<'ctx>(
        &self,
        gpu: &PushedGuard<'ctx>,
        stream: &Stream<'ctx>,
    ) -> Result<Reading<'ctx>> {
        let event = gpu.event()?;
        let begin = self.began.elapsed();
        gpu.on(stream).record(&event)?;
        event.synchronize()?;
        let error = (self.began.elapsed() - begin) / 2;
        Ok(Reading { event, at: begin + error, error })
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Trace {
    fn default() -> Self {
        Trace::new()
    }
}

impl Records {
    /// Returns the number of this thread, which gets its lane with its first call.
    fn this_thread(&mut self) -> u64 {
        let (thread, next) = (thread::current(), self.threads.len() as u64 + 1);
        let number = *self.threads.entry(thread.id()).or_insert(next);
        let name = || thread.name().map_or_else(|| format!("thread {number}"), str::to_owned);
        self.lanes.entry((THREADS, number)).or_insert_with(name);
        number
    }
}

fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

/// An event, and when the host's clock says that the device recorded it, give or take the error.
#[derive(Debug)]
struct Reading<'ctx> {
    event: Event<'ctx>,
    at: Duration,
    error: Duration,
}

/// The part of a trace that shows the streams of a context.
///
/// A timed event before and after each piece of work tells when the device did it. The driver tells only how far two
/// events are apart: here from a base event, of which the host knows when the device recorded it. So host and device
/// share one axis of time, up to these errors:
///
/// - The host knows the time of the base event up to half of the time that it took to record the event and to see it:
///   `error_us` in the file. A kernel can seem to start that much too early or too late.
/// - The two clocks do not run equally fast. When the trace ends, the base is `apart_at_end_us` further off than this
///   second reading can explain, whose own error is `error_at_end_us`.
/// - Event times have steps of about half a microsecond. They are numbers of 24 bits, so the steps grow: to a
///   microsecond 8 seconds after the base, and to a millisecond after 2.3 hours.
///
/// All times of one device have the first error alike, so their order is right. A piece begins when its stream gets to
/// it: its time includes the wait for other streams whose memory it uses, and for a copy engine or multiprocessors that
/// are busy.
#[derive(Debug)]
pub struct DeviceTrace<'t, 'g, 'ctx> {
    trace: &'t Trace,
    gpu: &'g PushedGuard<'ctx>,
    stream: Stream<'ctx>,
    base: Reading<'ctx>,
    pieces: RefCell<Vec<Piece<'ctx>>>,
}

#[derive(Debug)]
struct Piece<'ctx> {
    name: String,
    stream: u64,
    begin: Event<'ctx>,
    end: Event<'ctx>,
}

impl<'ctx> DeviceTrace<'_, '_, 'ctx> {
    /// Enqueues work in a stream: the call is one of this thread, and the work one of the stream.
    ///
    /// # Errors
    /// The error of the function; a driver error.
    pub fn work<R>(
        &self,
        stream: &impl Traceable<'ctx>,
        name: impl Into<String>,
        enqueue: impl FnOnce() -> Result<R>,
    ) -> Result<R> {
        let (name, begin, end) = (name.into(), self.gpu.event()?, self.gpu.event()?);
        stream.record(&begin)?;
        let result = self.trace.call(name.clone(), enqueue)?;
        stream.record(&end)?;
        let stream = stream.stream(self.gpu)?.id()?;
        self.pieces.borrow_mut().push(Piece { name, stream, begin, end });
        Ok(result)
    }

    /// Waits for the work, and adds it to the trace.
    ///
    /// # Errors
    /// A driver error.
    pub fn finish(self) -> Result {
        let device = self.gpu.device();
        let mut spans = Vec::new();
        for Piece { name, stream, begin, end } in self.pieces.take() {
            end.synchronize()?;
            let (begin, end) = (self.time(&begin)?, self.time(&end)?);
            spans.push(Span { lane: (DEVICES + device.ordinal(), stream), name, begin, end });
        }
        let last = self.trace.reading(self.gpu, &self.stream)?;
        let apart = self.time(&last.event)?.abs_diff(last.at).saturating_sub(last.error);
        let clock = json!({
            "error_us": microseconds(self.base.error),
            "error_at_end_us": microseconds(last.error),
            "apart_at_end_us": microseconds(apart),
        });

        let group = format!("device {}, {}", device.ordinal(), device.name()?);
        let mut records = self.trace.records();
        for span in &spans {
            records.lanes.entry(span.lane).or_insert_with(|| format!("stream {}", span.lane.1));
        }
        records.spans.append(&mut spans);
        records.clocks.insert(group.clone(), clock);
        records.groups.insert(DEVICES + device.ordinal(), group);
        Ok(())
    }

    /// Returns when the device recorded an event.
    fn time(&self, event: &Event<'_>) -> Result<Duration> {
        Ok(self.base.at + event.elapsed_since(&self.base.event)?)
    }
}

/// A stream that work can be traced in.
pub trait Traceable<'ctx> {
    /// Returns the stream, under a guard of its context.
    ///
    /// # Errors
    /// [`OtherContext`](cuscope::Error::OtherContext).
    fn stream<'a>(&'a self, gpu: &PushedGuard<'ctx>) -> Result<&'a Stream<'ctx>>;

    /// Records an event behind the work in the stream.
    ///
    /// # Errors
    /// A driver error.
    fn record(&self, event: &Event<'ctx>) -> Result;
}

impl<'ctx> Traceable<'ctx> for ScopedStream<'_, 'ctx> {
    fn stream<'a>(&'a self, _: &PushedGuard<'ctx>) -> Result<&'a Stream<'ctx>> {
        Ok(ScopedStream::stream(self))
    }

    fn record(&self, event: &Event<'ctx>) -> Result {
        ScopedStream::record(self, event)
    }
}

impl<'ctx> Traceable<'ctx> for OrderedStream {
    fn stream<'a>(&'a self, gpu: &PushedGuard<'ctx>) -> Result<&'a Stream<'ctx>> {
        OrderedStream::stream(self, gpu)
    }

    fn record(&self, event: &Event<'ctx>) -> Result {
        OrderedStream::record(self, event)
    }
}
