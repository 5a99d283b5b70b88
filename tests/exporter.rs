//! Another process, which exports a buffer and keeps it as long as this one lives.

use crate::common::gpu::with_gpu;
use crate::common::{another, software};
use crate::{skip, skip_under_miri};
use cuscope::ipc::MemoryHandle;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::LazyLock;

/// What the line with the handle begins with.
const LINE: &str = "exported ";

/// The other process, with its handle as text.
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
    let (_, text) = OTHER.as_ref().expect("not in the process that exports");
    let byte = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("a number");
    MemoryHandle::from_bytes(std::array::from_fn(byte))
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
        let bytes = gpu.export_buffer(&x).unwrap().to_bytes();
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{LINE}{text}");
        // Until the other process closes the pipe, with its end at the latest.
        let _ended = std::io::stdin().read_to_end(&mut Vec::new());
    });
}
