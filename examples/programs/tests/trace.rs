//! The file that the program `trace` writes, read back.

#[path = "../src/bin/trace.rs"]
mod program;

use cuscope::{Context, ContextStack, Device, Error};
use cuscope_examples::Trace;
use serde_json::Value;
use std::collections::BTreeMap;

/// A complete event, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
struct Span {
    name: String,
    begin: u64,
    end: u64,
}

fn number(event: &Value, field: &str) -> u64 {
    event[field].as_u64().unwrap_or_else(|| panic!("no whole `{field}`: {event}"))
}

fn text<'e>(event: &'e Value, field: &str) -> &'e str {
    event[field].as_str().unwrap_or_else(|| panic!("no text `{field}`: {event}"))
}

/// Microseconds as nanoseconds, which the file has with three digits.
fn nanoseconds(event: &Value, field: &str) -> u64 {
    let time = event[field].as_f64().unwrap_or_else(|| panic!("no number `{field}`: {event}"));
    assert!(time >= 0.0, "{event}");
    (time * 1e3).round() as u64
}

#[test]
fn the_trace_shows_threads_and_streams() {
    let mut json = Vec::new();
    program::traced(&mut json).unwrap();
    let trace: Value = serde_json::from_slice(&json).unwrap();

    // What the format demands of every event.
    let (mut groups, mut names) = (BTreeMap::new(), BTreeMap::new());
    let mut lanes: BTreeMap<(u64, u64), Vec<Span>> = BTreeMap::new();
    for event in trace["traceEvents"].as_array().expect("events") {
        let (name, group) = (text(event, "name"), number(event, "pid"));
        let named = || text(&event["args"], "name").to_owned();
        match (text(event, "ph"), name) {
            ("M", "process_name") => assert_eq!(groups.insert(group, named()), None),
            ("M", "thread_name") => {
                assert_eq!(names.insert((group, number(event, "tid")), named()), None);
            }
            ("X", _) => {
                let (begin, duration) = (nanoseconds(event, "ts"), nanoseconds(event, "dur"));
                let span = Span { name: name.to_owned(), begin, end: begin + duration };
                lanes.entry((group, number(event, "tid"))).or_default().push(span);
            }
            _ => panic!("another kind of event: {event}"),
        }
    }
    assert_eq!(lanes.keys().collect::<Vec<_>>(), names.keys().collect::<Vec<_>>());
    assert!(names.keys().all(|(group, _)| groups.contains_key(group)));

    let (threads, streams): (Vec<_>, Vec<_>) =
        lanes.into_iter().partition(|((group, _), _)| groups[group] == "threads");
    assert_eq!((threads.len(), streams.len()), (2, 3));
    calls_lie_inside_their_thread(threads.into_iter().map(|(_, calls)| calls).collect());
    work_is_in_order(streams.into_iter().map(|(_, work)| work).collect());
}

/// The first call of each thread contains its others, and of two calls that overlap, one contains the other.
fn calls_lie_inside_their_thread(threads: Vec<Vec<Span>>) {
    let mut names = Vec::new();
    for mut calls in threads {
        calls.sort_by_key(|call| (call.begin, u64::MAX - call.end));
        assert!(calls.len() > 5, "{calls:?}");
        let whole = calls.remove(0);
        let mut open = vec![whole.clone()];
        for call in calls {
            open.retain(|outer| call.begin < outer.end);
            assert!(open.contains(&whole), "{call:?} begins after its thread has ended: {whole:?}");
            assert!(open.iter().all(|outer| call.end <= outer.end), "{call:?} in {open:?}");
            open.push(call);
        }
        names.push(whole.name);
    }
    names.sort_unstable();
    assert_eq!(names, ["fill the inputs", "main"]);
}

/// Each stream has done one thing after another: upload, kernel and download of every third batch.
fn work_is_in_order(streams: Vec<Vec<Span>>) {
    let mut downloads = Vec::new();
    for mut work in streams {
        work.sort_by_key(|piece| (piece.begin, piece.end));
        for pair in work.windows(2) {
            assert!(pair[0].end <= pair[1].begin, "{pair:?} overlap");
        }
        assert_eq!(work.len(), 9);
        for batch in work.chunks(3) {
            let [upload, kernel, download] = batch else { unreachable!() };
            let number = upload.name.strip_prefix("upload ").expect("an upload");
            assert_eq!(kernel.name, format!("kernel {number}"));
            assert_eq!(download.name, format!("download {number}"));
            assert!(kernel.begin < kernel.end && kernel.end <= download.begin, "{batch:?}");
            downloads.push(number.parse::<u32>().unwrap());
        }
    }
    downloads.sort_unstable();
    assert_eq!(downloads, (0..9).collect::<Vec<_>>());
}

/// Ordered streams are traced too, and errors of the work come back.
#[test]
fn an_ordered_stream_has_a_lane() {
    let context = Context::primary(Device::get(0).unwrap()).unwrap();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let trace = Trace::new();
    let device = trace.device(&gpu).unwrap();
    let ordered = gpu.ordered_stream().unwrap();
    let mut x = ordered.alloc::<u32>(64).unwrap();
    device.work(&ordered, "fill", || ordered.fill(&mut x, 7)).unwrap();
    let copy = device.work(&ordered, "download", || ordered.download(&x, &mut [0; 63]));
    assert!(matches!(copy, Err(Error::LengthMismatch { .. })), "{copy:?}");
    device.finish().unwrap();

    let mut json = Vec::new();
    trace.write(&mut json).unwrap();
    let trace: Value = serde_json::from_slice(&json).unwrap();
    let stream = ordered.stream(&gpu).unwrap().id().unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let work = |event: &&Value| event["ph"] == "X" && event["pid"] == 2;
    let work: Vec<_> = events.iter().filter(work).collect();
    assert_eq!(work.len(), 1);
    assert_eq!((text(work[0], "name"), number(work[0], "tid")), ("fill", stream));
}
