//! Memory and events between processes: F400 to F404, F626.

use crate::common::{another, assert_success, respawn_with};
use crate::raw::*;
use crate::{fresh, skip_under_miri};
use cuscope::ffi::*;
use std::ffi::c_void;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

/// The first word of the line with the handles of a process that is killed.
const LINE: &str = "exported ";
/// Where the other process finds the handle.
const SENT: &str = "CUSCOPE_TEST_HANDLE";
const LAZY: u32 = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.bits();
const BYTES: usize = 4096;

/// Leaves the test where no memory goes to other processes.
macro_rules! needs_ipc {
    () => {
        if crate::common::software() && !cfg!(target_os = "linux") {
            $crate::skip!("no memory goes to other processes here");
        }
    };
}

fn text(handle: &CUipcMemHandle) -> String {
    handle.reserved.iter().map(|byte| format!("{:02x}", *byte as u8)).collect()
}

fn handle(text: &str) -> CUipcMemHandle {
    let byte = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap() as _;
    CUipcMemHandle { reserved: std::array::from_fn(byte) }
}

fn word(at: CUdeviceptr) -> u32 {
    let mut word = 0_u32;
    ok!(cuMemcpyDtoH_v2((&raw mut word).cast(), at, 4));
    word
}

fn fill_word(at: CUdeviceptr, value: u32) {
    ok!(cuMemsetD32_v2(at, value, 1));
    ok!(cuCtxSynchronize());
}

fn fill(at: CUdeviceptr, value: u32) {
    ok!(cuMemsetD32_v2(at, value, BYTES / 4));
    ok!(cuCtxSynchronize());
}

/// F400, F401, F402
#[test]
fn another_process_opens_an_allocation() {
    skip_under_miri!("starts a process");
    if let Ok(sent) = std::env::var(SENT) {
        let (a, handle) = (place(), handle(&sent));
        let mut refused = 0;
        for flags in [0, 2] {
            let code = code!(cuIpcOpenMemHandle_v2(&raw mut refused, handle, flags));
            assert_eq!(code, INVALID_VALUE);
        }
        let at: CUdeviceptr = made!(cuIpcOpenMemHandle_v2(handle, LAZY));
        assert_eq!(made!(cuIpcOpenMemHandle_v2(handle, LAZY)), at);
        assert_eq!(word(at), 21);
        let mut own: CUipcMemHandle = all_zeros();
        each_gives!(INVALID_VALUE; {
            cuIpcGetMemHandle(&raw mut own, at);
            cuMemFree_v2(at);
        });
        // In another context it is not opened, but closed.
        let b = Place::new();
        within(b.context, || {
            let code = code!(cuIpcOpenMemHandle_v2(&raw mut refused, handle, LAZY));
            assert_eq!(code, INVALID_HANDLE);
            ok!(cuIpcCloseMemHandle(at));
        });
        b.destroy();
        // And in none it is neither.
        assert_eq!(pop(), a.context);
        let code = code!(cuIpcOpenMemHandle_v2(&raw mut refused, handle, LAZY));
        assert_eq!((code, code!(cuIpcCloseMemHandle(at))), (INVALID_CONTEXT, INVALID_CONTEXT));
        ok!(cuCtxPushCurrent_v2(a.context));
        fill(at, 22);
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[at, 23]), SUCCESS);
        // The close waits.
        ok!(cuIpcCloseMemHandle(at));
        ok!(cuStreamQuery(a.stream));
        assert_eq!(code!(cuIpcCloseMemHandle(at)), INVALID_VALUE);
        a.destroy();
        return;
    }
    let a = Place::new();
    needs_ipc!();
    within(a.context, || {
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(BYTES));
        fill(memory, 21);
        let handle: CUipcMemHandle = made!(cuIpcGetMemHandle(memory));
        for at in [memory, memory + 64] {
            let again: CUipcMemHandle = made!(cuIpcGetMemHandle(at));
            assert_eq!(text(&handle), text(&again));
        }
        assert_eq!(word(memory), 21);
        let test = "another_process_opens_an_allocation";
        let output = respawn_with(module_path!(), test, &[(SENT, &text(&handle))]).unwrap();
        assert_success(test, &output);
        assert_eq!((word(memory), word(memory + 4)), (23, 22));
        ok!(cuMemFree_v2(memory));
    });
    a.destroy();
}

/// F402
#[test]
fn handles_that_are_no_memory_of_another_process_are_refused() {
    skip_under_miri!("asks the system");
    fresh!(handles_that_are_no_memory_of_another_process_are_refused, {
        let a = place();
        needs_ipc!();
        let pooled: CUdeviceptr = made!(cuMemAllocAsync(64, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        let mut handle: CUipcMemHandle = all_zeros();
        for none in [pooled, 0x1234, 0] {
            assert_eq!(code!(cuIpcGetMemHandle(&raw mut handle, none)), INVALID_VALUE);
        }
        let mut at = 0;
        assert_eq!(code!(cuIpcOpenMemHandle_v2(&raw mut at, all_zeros(), LAZY)), INVALID_VALUE);
        let own: CUipcMemHandle = made!(cuIpcGetMemHandle(a.memory));
        assert_eq!(code!(cuIpcOpenMemHandle_v2(&raw mut at, own, LAZY)), INVALID_CONTEXT);
        for none in [a.memory, 0, 0x1234] {
            assert_eq!(code!(cuIpcCloseMemHandle(none)), INVALID_VALUE);
        }
        assert_eq!(pop(), a.context);
        let code = code!(cuIpcGetMemHandle(&raw mut handle, a.memory));
        assert_eq!(code, INVALID_CONTEXT);
        ok!(cuCtxPushCurrent_v2(a.context));
        a.destroy();
    });
}

/// F626
#[test]
fn memory_that_a_process_exported_stays_as_it_was_when_the_process_is_killed() {
    skip_under_miri!("starts a process");
    let test = "memory_that_a_process_exported_stays_as_it_was_when_the_process_is_killed";
    let Some(mut other) = another(module_path!(), test) else {
        let a = place();
        fill_word(a.memory, 7);
        let event: CUevent = made!(cuEventCreate(6));
        let page: *mut c_void = made!(cuMemHostAlloc(4096, 0));
        // SAFETY: page-locked memory, which nobody uses yet.
        unsafe { page.cast::<u32>().write(0) };
        let at: CUdeviceptr = made!(cuMemHostGetDevicePointer_v2(page, 0));
        let memory: CUipcMemHandle = made!(cuIpcGetMemHandle(a.memory));
        let sent: CUipcEventHandle = made!(cuIpcGetEventHandle(event));
        ok!(cuStreamWaitValue32_v2(a.stream, at, 1, 1));
        ok!(cuEventRecord(event, a.stream));
        println!("{LINE}{}{}", text(&memory), text(&CUipcMemHandle { reserved: sent.reserved }));
        // Until the other process kills this one, or ends.
        let _ended = std::io::stdin().read_to_end(&mut Vec::new());
        // SAFETY: leaves without destructors: the stream never goes on.
        std::process::abort();
    };
    let a = place();
    needs_ipc!();
    let piped = other.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut other = piped.spawn().expect("the test binary starts again");
    let lines = BufReader::new(other.stdout.take().expect("a pipe")).lines();
    let line = lines.map_while(Result::ok).find_map(|line| {
        let at = line.find(LINE)? + LINE.len();
        Some(line[at..].to_owned())
    });
    let line = line.expect("the other process exports");
    let (memory, event) = line.split_at(2 * size_of::<CUipcMemHandle>());
    let at: CUdeviceptr = made!(cuIpcOpenMemHandle_v2(handle(memory), LAZY));
    let sent = CUipcEventHandle { reserved: handle(event).reserved };
    let event: CUevent = made!(cuIpcOpenEventHandle(sent));
    assert_eq!(code!(cuEventQuery(event)), NOT_READY);
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(code!(cuEventQuery(event)), NOT_READY);
    assert_eq!(word(at), 7);
    fill_word(at, 3);
    assert_eq!(word(at), 3);
    assert_eq!(code!(cuEventQuery(event)), NOT_READY);
    ok!(cuIpcCloseMemHandle(at));
    ok!(cuEventDestroy_v2(event));
    a.destroy();
}

/// F403, F404
#[test]
fn another_process_opens_an_event() {
    skip_under_miri!("starts a process");
    let test = "another_process_opens_an_event";
    if let Ok(sent) = std::env::var(SENT) {
        let (a, handle) = (place(), handle(&sent));
        let handle = CUipcEventHandle { reserved: handle.reserved };
        let event: CUevent = made!(cuIpcOpenEventHandle(handle));
        let mut own: CUipcEventHandle = all_zeros();
        assert_eq!(code!(cuIpcGetEventHandle(&raw mut own, event)), INVALID_HANDLE);
        // After the work of the other process, and recorded after some of this one.
        ok!(cuStreamWaitEvent(a.stream, event, 0));
        ok!(cuEventSynchronize(event));
        ok!(cuStreamSynchronize(a.stream));
        let gate = hold(&a);
        ok!(cuEventRecord(event, a.stream));
        assert_eq!(code!(cuEventQuery(event)), NOT_READY);
        gate.open();
        ok!(cuEventSynchronize(event));
        ok!(cuEventQuery(event));
        ok!(cuEventDestroy_v2(event));
        a.destroy();
        return;
    }
    let a = place();
    needs_ipc!();
    let mut none = std::ptr::null_mut();
    assert_eq!(code!(cuEventCreate(&raw mut none, 4)), INVALID_VALUE);
    let mut handle: CUipcEventHandle = all_zeros();
    for (wrong, answer) in [(a.event, INVALID_HANDLE), (std::ptr::null_mut(), INVALID_VALUE)] {
        assert_eq!(code!(cuIpcGetEventHandle(&raw mut handle, wrong)), answer);
    }
    assert_eq!(code!(cuIpcOpenEventHandle(&raw mut none, handle)), MAP_FAILED);
    let event: CUevent = made!(cuEventCreate(6));
    ok!(cuEventQuery(event));
    ok!(cuIpcGetEventHandle(&raw mut handle, event));
    assert_eq!(code!(cuIpcOpenEventHandle(&raw mut none, handle)), INVALID_CONTEXT);
    busy(&a);
    ok!(cuEventRecord(event, a.stream));
    let sent = text(&CUipcMemHandle { reserved: handle.reserved });
    let output = respawn_with(module_path!(), test, &[(SENT, &sent)]).unwrap();
    assert_success(test, &output);
    ok!(cuEventSynchronize(event));
    ok!(cuEventQuery(event));
    ok!(cuEventDestroy_v2(event));
    assert_eq!(pop(), a.context);
    a.destroy();
}
