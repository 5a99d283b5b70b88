//! Memory between processes: each test starts another one.
#![allow(unsafe_code, reason = "imports memory, and launches kernels")]

use crate::common::gpu::{kernel, new_context, with_gpu};
use crate::common::kernels::STORE;
use crate::{common, fresh, skip, skip_under_miri};
use cuscope::ipc::MemoryHandle;
use cuscope::memory::BufferKind;
use cuscope::{ContextStack, LaunchConfig, Result, ffi};
use cuscope_softdriver::control::live;

/// Where the other process finds the handle.
const SENT: &str = "CUSCOPE_TEST_HANDLE";

/// Leaves the test where no memory goes to other processes.
macro_rules! needs_ipc {
    () => {
        skip_under_miri!("starts a process");
        if common::software() && !cfg!(target_os = "linux") {
            skip!("no memory goes to other processes here");
        }
    };
}

fn text(handle: &MemoryHandle) -> String {
    handle.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The handle that the parent sent, if this is the other process.
fn sent() -> Option<MemoryHandle> {
    let text = std::env::var(SENT).ok()?;
    let byte = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap();
    Some(MemoryHandle::from_bytes(std::array::from_fn(byte)))
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
                unsafe { s.on(&stream).launch(&store, LaunchConfig::new(1, 1), (&mut held, 7_u32)) }
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
fn what_goes_to_no_other_process_is_refused() {
    needs_ipc!();
    fresh!(what_goes_to_no_other_process_is_refused, {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let refused = |result: Result<MemoryHandle>| {
            assert_eq!(result.unwrap_err().call(), Some("cuIpcGetMemHandle"));
        };
        refused(gpu.export_buffer(&gpu.alloc::<u32>(0).unwrap()));
        let stream = gpu.stream().unwrap();
        refused(gpu.export_buffer(&gpu.on(&stream).alloc::<u32>(4).unwrap()));
        let own = gpu.alloc::<u32>(4).unwrap();
        let mut bytes = gpu.export_buffer(&own).unwrap().to_bytes();
        let import = |bytes| {
            // SAFETY: no handle of another process, which the driver refuses.
            let imported = unsafe { gpu.import_buffer::<u32>(&MemoryHandle::from_bytes(bytes)) };
            assert_eq!(imported.unwrap_err().call(), Some("cuIpcOpenMemHandle_v2"));
        };
        import(bytes);
        import([0; MemoryHandle::SIZE]);
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
fn what_another_process_freed_is_not_imported() {
    const TEST: &str = "what_another_process_freed_is_not_imported";
    needs_ipc!();
    if !common::software() {
        skip!("only the software driver says what becomes of it");
    }
    with_gpu(|gpu| {
        if let Some(handle) = sent() {
            // SAFETY: the driver refuses it.
            let freed = unsafe { gpu.import_buffer::<u32>(&handle) }.unwrap_err();
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
