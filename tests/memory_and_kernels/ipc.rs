//! Memory between processes: each test starts another one.
#![allow(unsafe_code, reason = "imports memory, and launches kernels")]

use crate::common::HANG;
use crate::common::gpu::{kernel, new_context, with_gpu};
use crate::common::kernels::{SPIN, STORE};
use crate::{common, fresh, skip};
use cuscope::ipc::{EventHandle, MemoryHandle};
use cuscope::memory::BufferKind;
use cuscope::{ContextStack, Error, EventFlags, LaunchConfig, Result, ffi};
use cuscope_softdriver::control::live;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Where the other process finds the handle.
const SENT: &str = "CUSCOPE_TEST_HANDLE";

/// Leaves the test where no memory goes to other processes.
macro_rules! needs_ipc {
    () => {
        if common::software() && !cfg!(target_os = "linux") {
            skip!("no memory goes to other processes here");
        }
    };
}

fn text(handle: &MemoryHandle) -> String {
    in_digits(&handle.to_bytes())
}

fn in_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The handle that the parent sent, if this is the other process.
fn sent() -> Option<MemoryHandle> {
    sent_bytes(0).map(MemoryHandle::from_bytes)
}

/// Some of the bytes that the parent sent.
fn sent_bytes<const N: usize>(start: usize) -> Option<[u8; N]> {
    let text = std::env::var(SENT).ok()?;
    let text = &text[2 * start..];
    let byte = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap();
    Some(std::array::from_fn(byte))
}

#[test]
fn two_processes_work_on_one_buffer() {
    const TEST: &str = "two_processes_work_on_one_buffer";
    needs_ipc!();
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        if let Some(handle) = sent() {
            let before = live();
            // SAFETY: 1. to 3. The parent waits for the end of this process. 4. Once.
            let mut x = unsafe { gpu.import_buffer::<u32>(&handle) }.unwrap();
            assert_eq!((x.len(), x.kind()), (1000, BufferKind::Foreign));
            assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [5; 1000]);
            gpu.on(&stream).fill(&mut x.slice_mut(1..).unwrap(), 6).unwrap();
            gpu.scope(|s| {
                let (store, mut held) = (kernel(gpu, STORE, "store"), s.hold(&mut x));
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe {
                    s.on(&stream).launch_unchecked(
                        &store,
                        LaunchConfig::new(1, 1),
                        (&mut held, 7_u32),
                    )
                }
            })
            .unwrap();
            drop(x);
            assert_eq!(live().opened, before.opened);
            // Other elements are whole ones only; dropped without a context, on another thread.
            // SAFETY: as above; the first import is dropped.
            let wide = unsafe { gpu.import_buffer::<[u32; 3]>(&handle) }.unwrap();
            assert_eq!(wide.len(), 333);
            let wide = wide.detach();
            std::thread::spawn(move || drop(wide)).join().unwrap();
            // Dropped on a thread of the driver, which refuses to close it there.
            // SAFETY: as above.
            let x = unsafe { gpu.import_buffer::<u32>(&handle) }.unwrap();
            // F401: as it is open here.
            let other = new_context().with(|other| {
                // SAFETY: it is refused.
                unsafe { other.import_buffer::<u32>(&handle) }.map(drop)
            });
            let text = other.unwrap_err().to_string();
            assert!(text.contains("open in another context of this process"), "{text}");
            let (x, ordered) = (x.detach(), gpu.ordered_stream().unwrap());
            ordered.host_function(move || drop(x)).unwrap();
            ordered.synchronize().unwrap();
            if common::software() {
                assert_eq!(live().opened, before.opened + 1);
            }
            gpu.context().synchronize().unwrap();
            assert_eq!(live().opened, before.opened);
            return;
        }
        let mut x = gpu.alloc::<u32>(1000).unwrap();
        gpu.on(&stream).fill(&mut x, 5).unwrap();
        let handle = gpu.export_buffer(&x).unwrap();
        assert_eq!(handle.size_bytes(), 4000);
        assert_eq!(format!("{handle:?}"), "MemoryHandle(4000 bytes)");
        let again = gpu.export_buffer(&x).unwrap();
        assert_eq!(again.to_bytes(), handle.to_bytes());
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [5; 1000]);
        let output = common::respawn_with(module_path!(), TEST, &[(SENT, &text(&handle))]).unwrap();
        common::assert_success(TEST, &output);
        let values = gpu.on(&stream).to_vec(&x).unwrap();
        assert!(values[0] == 7 && values[1..].iter().all(|&value| value == 6));
        // It goes on to be the memory of this process.
        gpu.on(&stream).fill(&mut x, 8).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [8; 1000]);
    });
}

#[test]
fn memory_that_cannot_be_exported_is_refused() {
    needs_ipc!();
    fresh!(memory_that_cannot_be_exported_is_refused, {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let refused = |result: Result<MemoryHandle>| {
            assert_eq!(result.unwrap_err().call(), Some("cuIpcGetMemHandle"));
        };
        let before_the_call = |result: Result<MemoryHandle>| {
            assert!(matches!(
                result,
                Err(Error::InvalidArgument { call: "cuIpcGetMemHandle", .. })
            ));
        };
        before_the_call(gpu.export_buffer(&gpu.alloc::<u32>(0).unwrap()));
        let stream = gpu.stream().unwrap();
        before_the_call(gpu.export_buffer(&gpu.on(&stream).alloc::<u32>(4).unwrap()));
        // The driver's to refuse.
        refused(gpu.export_buffer(&gpu.managed::<u32>(4).unwrap()));
        let own = gpu.alloc::<u32>(4).unwrap();
        let mut bytes = gpu.export_buffer(&own).unwrap().to_bytes();
        let import = |bytes| {
            // SAFETY: no handle of another process, which the driver refuses.
            let imported = unsafe { gpu.import_buffer::<u32>(&MemoryHandle::from_bytes(bytes)) };
            assert_eq!(imported.unwrap_err().call(), Some("cuIpcOpenMemHandle_v2"));
        };
        import(bytes);
        import([0; MemoryHandle::SIZE]);
        let handle = MemoryHandle::from_bytes(bytes);
        // SAFETY: refused before the driver is asked, as no number of elements has the bytes.
        let of_nothing = unsafe { gpu.import_buffer::<[u32; 0]>(&handle) }.unwrap_err();
        assert!(matches!(of_nothing, Error::InvalidArgument { .. }), "{of_nothing}");
        if common::software() {
            // Of a process that is none, and of no such file.
            bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
            import(bytes);
            bytes[8..12].copy_from_slice(&1_u32.to_le_bytes());
            import(bytes);
        }
    });
}

#[test]
fn memory_that_another_process_freed_is_not_imported() {
    const TEST: &str = "memory_that_another_process_freed_is_not_imported";
    needs_ipc!();
    if !common::software() {
        skip!("only the software driver says what becomes of it");
    }
    with_gpu(|gpu| {
        if let Some(handle) = sent() {
            // Kernels of other tests of the parent keep the memory of their device until they end.
            let start = Instant::now();
            let freed = loop {
                // SAFETY: 1., 3. and 4. Nobody uses what is opened, and it is dropped before the next. 2. does not hold: the
                // software driver refuses memory that is gone, and what it opens stays.
                match unsafe { gpu.import_buffer::<u32>(&handle) } {
                    Err(error) => break error,
                    Ok(kept) => drop(kept),
                }
                assert!(start.elapsed() < HANG, "it was not freed");
                std::thread::sleep(Duration::from_millis(10));
            };
            assert_eq!(freed.code(), Some(ffi::CUDA_ERROR_MAP_FAILED));
            return;
        }
        let x = gpu.alloc::<u32>(4).unwrap();
        let handle = gpu.export_buffer(&x).unwrap();
        drop(x);
        let output = common::respawn_with(module_path!(), TEST, &[(SENT, &text(&handle))]).unwrap();
        common::assert_success(TEST, &output);
    });
}

#[test]
fn a_stream_waits_for_a_stream_of_another_process() {
    const TEST: &str = "a_stream_waits_for_a_stream_of_another_process";
    needs_ipc!();
    with_gpu(|gpu| {
        let (stream, spin) = (gpu.stream().unwrap(), kernel(gpu, SPIN, "spin"));
        if let Some(handle) = sent() {
            let event = EventHandle::from_bytes(sent_bytes(MemoryHandle::SIZE).unwrap());
            // SAFETY: 1. and 2. The parent waits for the end of this process. 3. The event orders the parent's work
            // before that of this process. 4. Once.
            let x = unsafe { gpu.import_buffer::<u32>(&handle) }.unwrap();
            // SAFETY: 1. and 2. as above.
            let event = unsafe { gpu.import_event(&event) }.unwrap();
            gpu.scope(|s| s.on(&stream).wait(&event)).unwrap();
            assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [9; 16]);
            event.synchronize().unwrap();
            assert_eq!(event.query(), Ok(true));
            gpu.on(&stream).record(&event).unwrap();
            return;
        }
        let flags = EventFlags::INTERPROCESS | EventFlags::DISABLE_TIMING;
        let event = gpu.event_with(flags).unwrap();
        let refused = gpu.export_event(&gpu.event().unwrap()).unwrap_err();
        assert_eq!(refused.call(), Some("cuIpcGetEventHandle"));
        let sent = gpu.export_event(&event).unwrap();
        assert_eq!(format!("{sent:?}"), "EventHandle");
        // SAFETY: a handle of this process, which the driver refuses.
        let own = unsafe { gpu.import_event(&sent) }.unwrap_err();
        assert_eq!(own.call(), Some("cuIpcOpenEventHandle"));
        // SAFETY: no handle, which the driver refuses.
        let none = unsafe { gpu.import_event(&EventHandle::from_bytes([0; EventHandle::SIZE])) };
        let none = none.unwrap_err();
        assert_eq!(none.call(), Some("cuIpcOpenEventHandle"));
        if common::software() {
            let text = none.to_string();
            assert!(text.contains("the bytes are no handle of `export_event`"), "{text}");
        }
        let mut x = gpu.alloc::<u32>(16).unwrap();
        gpu.on(&stream).fill(&mut x, 1).unwrap();
        let handle = gpu.export_buffer(&x).unwrap();
        let both = in_digits(&[&handle.to_bytes()[..], &sent.to_bytes()].concat());
        gpu.scope(|s| {
            let (run, mut held) = (s.on(&stream), s.hold(&mut x));
            // SAFETY: the kernel is spin(u64), and uses no memory.
            unsafe { run.launch_unchecked(&spin, LaunchConfig::new(1, 1), (300_000_000_u64,)) }?;
            run.fill(&mut held, 9)?;
            run.record(&event)?;
            let output = common::respawn_with(module_path!(), TEST, &[(SENT, &both)]).unwrap();
            common::assert_success(TEST, &output);
            Ok(())
        })
        .unwrap();
        assert_eq!(event.query(), Ok(true));
        event.synchronize().unwrap();
    });
}

/// F626: nothing else ends the wait.
#[test]
fn a_wait_for_an_event_of_a_process_that_died_ends_with_its_limit() {
    needs_ipc!();
    const TEST: &str = "a_wait_for_an_event_of_a_process_that_died_ends_with_its_limit";
    const LINE: &str = "exported ";
    let Some(mut command) = common::another(module_path!(), TEST) else {
        return with_gpu(|gpu| {
            let flags = EventFlags::INTERPROCESS | EventFlags::DISABLE_TIMING;
            let (event, stream) = (gpu.event_with(flags).unwrap(), gpu.ordered_stream().unwrap());
            // Until this process is killed, or the other one ends.
            let forever = || drop(std::io::stdin().read_to_end(&mut Vec::new()));
            stream.host_function(forever).unwrap();
            stream.record(&event).unwrap();
            println!("{LINE}{}", in_digits(&gpu.export_event(&event).unwrap().to_bytes()));
            stream.synchronize().unwrap();
        });
    };
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut other = piped.spawn().expect("the test binary starts again");
    let lines = BufReader::new(other.stdout.take().expect("a pipe")).lines();
    let digits = lines.map_while(std::result::Result::ok).find_map(|line| {
        let at = line.find(LINE)? + LINE.len();
        Some(line[at..].to_owned())
    });
    let digits = digits.expect("the other process exports");
    let byte = |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap();
    let handle = EventHandle::from_bytes(std::array::from_fn(byte));
    with_gpu(|gpu| {
        // SAFETY: 1. As the other process sent it. 2. It does not drop the event.
        let event = unsafe { gpu.import_event(&handle) }.unwrap();
        other.kill().unwrap();
        other.wait().unwrap();
        for limit in [Duration::ZERO, Duration::from_millis(3)] {
            assert_eq!(event.synchronize_timeout(limit), Ok(false));
        }
    });
}
