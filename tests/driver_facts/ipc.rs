//! Memory and events between processes: F400 to F404. The rows come from the manual; these tests ask a GPU for them when the suite
//! runs on one.

use crate::common::{assert_success, respawn_with};
use crate::raw::*;
use crate::{fresh, skip_under_miri};
use cuscope::ffi::*;

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

fn fill(at: CUdeviceptr, value: u32) {
    ok!(cuMemsetD32_v2(at, value, BYTES / 4));
    ok!(cuCtxSynchronize());
}

/// F400, F401
#[test]
fn another_process_opens_an_allocation() {
    skip_under_miri!("starts a process");
    if let Ok(sent) = std::env::var(SENT) {
        let (a, handle) = (place(), handle(&sent));
        let mut refused = 0;
        assert_eq!(code!(cuIpcOpenMemHandle_v2(&raw mut refused, handle, 0)), INVALID_VALUE);
        let at: CUdeviceptr = made!(cuIpcOpenMemHandle_v2(handle, LAZY));
        assert_eq!(made!(cuIpcOpenMemHandle_v2(handle, LAZY)), at);
        assert_eq!(word(at), 21);
        ok!(cuIpcCloseMemHandle(at));
        fill(at, 22);
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[at, 23]), SUCCESS);
        ok!(cuStreamSynchronize(a.stream));
        ok!(cuIpcCloseMemHandle(at));
        a.destroy();
        return;
    }
    let a = Place::new();
    needs_ipc!();
    within(a.context, || {
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(BYTES));
        fill(memory, 21);
        let handle: CUipcMemHandle = made!(cuIpcGetMemHandle(memory));
        let again: CUipcMemHandle = made!(cuIpcGetMemHandle(memory));
        assert_eq!(text(&handle), text(&again));
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
fn what_is_no_memory_of_another_process_is_refused() {
    skip_under_miri!("asks the system");
    fresh!(what_is_no_memory_of_another_process_is_refused, {
        let a = place();
        needs_ipc!();
        let pooled: CUdeviceptr = made!(cuMemAllocAsync(64, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        let mut handle: CUipcMemHandle = all_zeros();
        for none in [pooled, 0x1234] {
            assert_ne!(code!(cuIpcGetMemHandle(&raw mut handle, none)), SUCCESS);
        }
        let mut at = 0;
        assert_ne!(code!(cuIpcOpenMemHandle_v2(&raw mut at, handle, LAZY)), SUCCESS);
        let own: CUipcMemHandle = made!(cuIpcGetMemHandle(a.memory));
        assert_ne!(code!(cuIpcOpenMemHandle_v2(&raw mut at, own, LAZY)), SUCCESS);
        assert_ne!(code!(cuIpcCloseMemHandle(a.memory)), SUCCESS);
        a.destroy();
    });
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
        // Behind the work of the other process, and recorded behind some of this one.
        ok!(cuStreamWaitEvent(a.stream, event, 0));
        ok!(cuEventSynchronize(event));
        ok!(cuStreamSynchronize(a.stream));
        busy(&a);
        ok!(cuEventRecord(event, a.stream));
        assert_eq!(code!(cuEventQuery(event)), NOT_READY);
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
    for wrong in [a.event, std::ptr::null_mut()] {
        assert_ne!(code!(cuIpcGetEventHandle(&raw mut handle, wrong)), SUCCESS);
    }
    let event: CUevent = made!(cuEventCreate(6));
    ok!(cuEventQuery(event));
    ok!(cuIpcGetEventHandle(&raw mut handle, event));
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
