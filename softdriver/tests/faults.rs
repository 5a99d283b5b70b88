//! Faults of kernels, each in a process of its own, since they stay.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use std::ffi::c_void;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Checks that everything which touches a device or a context gives the code, and the rest works.
fn check_dead(code: u32, context: CUcontext, other: CUcontext, stream: CUstream) {
    let mut handle: CUcontext = null_mut();
    let mut address = 0;
    for current in [context, other] {
        ok!(cuCtxPushCurrent_v2(current));
        assert_eq!(code!(cuCtxSynchronize()), code);
        assert_eq!(code!(cuMemAlloc_v2(&raw mut address, 4)), code);
        assert_eq!(code!(cuMemFree_v2(address)), code);
        assert_eq!(code!(cuStreamSynchronize(stream)), code);
        assert_eq!(code!(cuStreamQuery(stream)), code);
        assert_eq!(code!(cuStreamDestroy_v2(stream)), code);
        assert_eq!(code!(cuEventCreate((&raw mut handle).cast(), 0)), code);
        assert_eq!(
            code!(cuModuleLoadData((&raw mut handle).cast(), c".version 7.0".as_ptr().cast())),
            code
        );
        ok!(cuCtxPopCurrent_v2(&raw mut handle));
        assert_eq!(handle, current);
    }
    for device in [0, 1] {
        assert_eq!(code!(cuCtxCreate_v2(&raw mut handle, 0, device)), code);
        assert_eq!(code!(cuDevicePrimaryCtxRetain(&raw mut handle, device)), code);
        let mut ordinal = -1;
        ok!(cuDeviceGet(&raw mut ordinal, device));
        assert_eq!(ordinal, device);
    }
    ok!(cuInit(0));
    ok!(cuCtxDestroy_v2(context));
    assert_eq!(code!(cuCtxDestroy_v2(context)), 709);
    ok!(cuCtxDestroy_v2(other));
}

#[test]
fn a_trap_is_the_end_for_every_context_and_device() {
    in_a_child("a_trap_is_the_end_for_every_context_and_device", || {
        let other = context_on(1);
        let context = context();
        let stream = stream();
        let trap = kernel("trap", "trap_if");
        assert_eq!(launch(trap, stream, &[0]), 0);
        ok!(cuStreamSynchronize(stream));
        assert_eq!(launch(trap, stream, &[1]), 0);
        check_dead(719, context, other, stream);
    });
}

#[test]
fn a_fault_shows_in_what_waits_for_the_work() {
    in_a_child("a_fault_shows_in_what_waits_for_the_work", || {
        let other = context();
        let idle = stream();
        let context = context();
        let stream = stream();
        let memory = device_memory(&[1]);
        assert_eq!(launch(kernel("trap", "trap_if"), stream, &[1]), 0);
        std::thread::sleep(Duration::from_millis(100));
        // These do not look at the work, and these look at other work.
        let _more: CUdeviceptr = made!(cuMemAlloc_v2(4));
        ok!(cuMemsetD32_v2(memory, 2, 1));
        ok!(cuStreamQuery(idle));
        ok!(cuStreamSynchronize(idle));
        let mut code = 600;
        while code == 600 {
            code = code!(cuStreamQuery(stream));
        }
        assert_eq!((code, code!(cuStreamQuery(idle))), (719, 719));
        assert_eq!(code!(cuMemsetD32_v2(memory, 2, 1)), 719);
        ok!(cuCtxDestroy_v2(context));
        ok!(cuCtxDestroy_v2(other));
    });
}

#[test]
fn a_store_to_no_memory_to_freed_memory_and_to_another_devices() {
    in_a_child("a_store_to_no_memory_to_freed_memory_and_to_another_devices", || {
        let other = context_on(1);
        let elsewhere = device_memory(&[1]);
        let context = context();
        let stream = stream();
        let memory = device_memory(&[1, 2]);
        let wild = kernel("wild", "wild");
        assert_eq!(launch(wild, stream, &[memory, 3]), 0);
        ok!(cuCtxSynchronize());
        assert_eq!(values(memory, 2), [3, 2]);
        // F80: copies reach the other device; F81, F84: fills and kernels do not.
        ok!(cuMemcpyDtoD_v2(elsewhere, memory, 4));
        assert_eq!(values(elsewhere, 1), [3]);
        assert_eq!(code!(cuMemsetD8_v2(elsewhere, 0, 4)), 1);
        assert_eq!(launch(wild, stream, &[elsewhere, 3]), 0);
        check_dead(700, context, other, stream);
    });
}

#[test]
fn a_store_beyond_the_end_and_a_misaligned_one() {
    in_a_child("a_store_beyond_the_end_and_a_misaligned_one", || {
        let context = context();
        let stream = stream();
        let memory = device_memory(&[1, 2]);
        let wild = kernel("wild", "wild");
        assert_eq!(launch(wild, stream, &[memory + 2, 3]), 0);
        assert_eq!(code!(cuStreamSynchronize(stream)), 716);
        assert_eq!(launch(wild, stream, &[memory + 8, 3]), 716);
        ok!(cuCtxDestroy_v2(context));
    });
}

#[test]
fn after_a_fault_no_copy_reaches_the_host() {
    in_a_child("after_a_fault_no_copy_reaches_the_host", || {
        let _context = context();
        let (first, second) = (stream(), stream());
        let len: usize = 64 << 20;
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(len));
        ok!(cuMemsetD8_v2(memory, 0xee, len));
        let host: *mut c_void = made!(cuMemAllocHost_v2(len));
        let host = host.cast::<u8>();
        let trap = kernel("trap", "trap_if");
        for _ in 0..8 {
            ok!(cuMemcpyDtoHAsync_v2(host.cast(), memory, len, second));
            ok!(cuMemsetD8Async(memory, 0xee, len, second));
        }
        assert_eq!(launch(trap, first, &[1]), 0);
        while code!(cuStreamQuery(first)) != 719 {}
        let written = || {
            // SAFETY: page-locked memory of that length; after the fault nothing writes it (F104).
            let bytes = unsafe { std::slice::from_raw_parts(host, len) };
            bytes.iter().filter(|&&byte| byte == 0xee).count()
        };
        let then = written();
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(written(), then);
    });
}

/// Returns, with a seed, the fate of copies that are pending in one context when a kernel traps in another one:
/// how many were made before the report, before the end of the test, and the order of all work.
fn copies_beside_a_fault(seed: u64, end: bool) -> (u32, u32, Vec<u64>) {
    const COPIES: usize = 8;
    static WORDS: [AtomicU32; COPIES] = [const { AtomicU32::new(0) }; COPIES];
    let words = &WORDS;
    let made = || words.iter().map(|word| word.load(Relaxed)).sum();
    let context = context();
    let memory = device_memory(&[1]);
    let bytes = size_of_val(words);
    ok!(cuMemHostRegister_v2(words.as_ptr().cast_mut().cast(), bytes, 0));
    let copies = stream();
    let _other = self::context();
    let (trap, traps) = (kernel("trap", "trap_if"), stream());
    schedule::seed(seed);
    for word in words {
        ok!(cuMemcpyDtoHAsync_v2(word.as_ptr().cast(), memory, 4, copies));
    }
    assert_eq!(launch(trap, traps, &[1]), 0);
    assert_eq!(code!(cuStreamSynchronize(traps)), 719);
    let at_report = made();
    assert_eq!(code!(cuStreamSynchronize(copies)), 719);
    if end {
        ok!(cuCtxDestroy_v2(context));
        let at_end: u32 = made();
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(made(), at_end, "a copy was made behind the end of its context");
    }
    while !end && made() < COPIES as u32 {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(control::take_races(), []);
    (at_report, made(), schedule::order())
}

#[test]
fn with_a_seed_other_contexts_go_on_after_a_fault_until_their_end_in_one_order() {
    let name = "with_a_seed_other_contexts_go_on_after_a_fault_until_their_end_in_one_order";
    const CASE: &str = "CUSCOPE_TEST_SEED";
    if let Ok(case) = std::env::var(CASE) {
        let (seed, end) = case.split_once(' ').unwrap();
        let (at_report, in_all, order) =
            copies_beside_a_fault(seed.parse().unwrap(), end == "true");
        println!("copies: {at_report} {in_all} {order:?}");
        return;
    }
    let run = |seed: u64, end: bool| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        let child = child.args(["--exact", name, "--nocapture"]).env(CASE, format!("{seed} {end}"));
        let said = String::from_utf8(child.output().unwrap().stdout).unwrap();
        let copies = said.lines().find_map(|line| line.split_once("copies: "));
        copies.unwrap_or_else(|| panic!("{said}")).1.to_owned()
    };
    let (mut pending, mut dropped) = (0, 0);
    for seed in 0..8 {
        for end in [false, true] {
            let said = run(seed, end);
            assert_eq!(said, run(seed, end), "seed {seed}");
            pending += u32::from(said.starts_with("0 "));
            dropped += u32::from(said.starts_with("0 0 "));
        }
    }
    assert!(pending > 0 && dropped > 0, "{pending} {dropped}");
}

#[test]
fn page_locked_memory_ends_with_its_context() {
    // F102: the program dies of the access.
    let name = "page_locked_memory_ends_with_its_context";
    let died = std::panic::catch_unwind(|| {
        in_a_child(name, || {
            let context = context();
            let host: *mut c_void = made!(cuMemAllocHost_v2(1 << 20));
            ok!(cuCtxDestroy_v2(context));
            // SAFETY: there is nothing at the address any more; that is what is tested.
            let _ = unsafe { host.cast::<u8>().read_volatile() };
            std::process::exit(0);
        });
    });
    assert!(died.is_err());
}
