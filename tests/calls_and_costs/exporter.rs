//! Another process, which exports a buffer and an event and keeps them as long as this one lives.

use crate::common::gpu::with_gpu;
use crate::common::{another, software};
use crate::{skip, skip_under_miri};
use cuscope::EventFlags;
use cuscope::ipc::{EventHandle, MemoryHandle};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::LazyLock;

/// The first word of the line with the handle.
const LINE: &str = "exported ";

/// The other process, with its two handles as text.
static OTHER: LazyLock<Option<(Child, String)>> = LazyLock::new(|| {
    let mut command = another(module_path!(), "a_process_exports_a_buffer")?;
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = piped.spawn().expect("the test binary starts again");
    let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let line = lines.map_while(Result::ok).find_map(|line| {
        let at = line.find(LINE)? + LINE.len();
        Some(line[at..].to_owned())
    });
    Some((child, line.expect("the other process exports")))
});

/// Whether memory goes to other processes here.
pub(crate) fn is_there() -> bool {
    !cfg!(miri) && (!software() || cfg!(target_os = "linux"))
}

/// A buffer of another process: 16 elements of 4 bytes, all of them 7.
pub(crate) fn exported() -> MemoryHandle {
    MemoryHandle::from_bytes(bytes(0))
}

/// An event of another process, which was never recorded.
pub(crate) fn exported_event() -> EventHandle {
    EventHandle::from_bytes(bytes(MemoryHandle::SIZE))
}

/// Some bytes that the other process told.
fn bytes<const N: usize>(start: usize) -> [u8; N] {
    let (_, text) = OTHER.as_ref().expect("not in the process that exports");
    let text = &text[2 * start..];
    let byte = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("a number");
    std::array::from_fn(byte)
}

#[test]
fn a_process_exports_a_buffer() {
    skip_under_miri!("starts a process");
    if !is_there() {
        skip!("no memory goes to other processes here");
    }
    if another(module_path!(), "a_process_exports_a_buffer").is_some() {
        assert_eq!(exported().size_bytes(), 64);
        return;
    }
    with_gpu(|gpu| {
        let mut x = gpu.alloc::<u32>(16).unwrap();
        gpu.on(&gpu.stream().unwrap()).fill(&mut x, 7).unwrap();
        let flags = EventFlags::INTERPROCESS | EventFlags::DISABLE_TIMING;
        let event = gpu.event_with(flags).unwrap();
        let (memory, sent) = (gpu.export_buffer(&x).unwrap(), gpu.export_event(&event).unwrap());
        let bytes = [&memory.to_bytes()[..], &sent.to_bytes()].concat();
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{LINE}{text}");
        // Until the other process closes the pipe, with its end at the latest.
        let _ended = std::io::stdin().read_to_end(&mut Vec::new());
    });
}
