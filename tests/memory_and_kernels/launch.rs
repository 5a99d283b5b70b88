//! From PTX to a result, on whichever driver answers.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::fewer;
use crate::common::gpu::{hold, kernel, new_context};
use crate::common::kernels::{NORM, SPIN, STORE, SUM12};
use crate::common::longer;
use bytemuck::{Pod, Zeroable};
use cuscope::{ContextStack, EventFlags, LaunchConfig, PushedGuard, StreamFlags, ffi};
use std::ffi::{CStr, CString};
use std::time::{Duration, Instant};

/// Runs a test under a guard of a new context, and pops that.
fn with_gpu(test: impl FnOnce(&mut PushedGuard<'_>)) {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let mut gpu = stack.push(&context).unwrap();
    test(&mut gpu);
    gpu.pop().unwrap();
}

#[test]
fn copies_go_both_ways() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let source: Vec<u64> = (0..fewer(100_000, 1000) as u64).map(|i| i * i).collect();
        let mut first = gpu.alloc::<u64>(source.len()).unwrap();
        let mut second = gpu.alloc::<u64>(source.len()).unwrap();
        on.upload(&source, &mut first).unwrap();
        on.copy(&first, &mut second).unwrap();
        drop(first);
        let mut back = vec![0; source.len()];
        on.download(&second, &mut back).unwrap();
        assert_eq!(back, source);
    });
}

#[test]
fn fills_set_every_element() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let mut bytes = gpu.alloc::<u8>(1001).unwrap();
        on.fill(&mut bytes, 0xA5).unwrap();
        let mut host = [0; 1001];
        on.download(&bytes, &mut host).unwrap();
        assert_eq!(host, [0xA5; 1001]);

        let mut halves = gpu.alloc::<i16>(333).unwrap();
        on.fill(&mut halves, -2).unwrap();
        let mut host = [0; 333];
        on.download(&halves, &mut host).unwrap();
        assert_eq!(host, [-2; 333]);

        let mut floats = gpu.alloc::<f32>(77).unwrap();
        on.fill(&mut floats, 1.5).unwrap();
        let mut host = [0.0; 77];
        on.download(&floats, &mut host).unwrap();
        assert_eq!(host, [1.5; 77]);

        let mut doubles = gpu.alloc::<f64>(5).unwrap();
        on.upload(&[9.0; 5], &mut doubles).unwrap();
        on.zero(&mut doubles).unwrap();
        let mut host = [1.0; 5];
        on.download(&doubles, &mut host).unwrap();
        assert_eq!(host, [0.0; 5]);
    });
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct Point {
    x: f32,
    y: f32,
}

#[test]
fn structs_of_users_live_in_device_memory_and_are_passed_by_value() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let points = [Point { x: 1.0, y: 2.0 }, Point { x: -3.0, y: 0.5 }];
        let mut buffer = gpu.alloc::<Point>(2).unwrap();
        on.upload(&points, &mut buffer).unwrap();
        let mut back = [Point { x: 0.0, y: 0.0 }; 2];
        on.download(&buffer, &mut back).unwrap();
        assert_eq!(back, points);

        let norm = kernel(gpu, NORM, "norm");
        let mut out = gpu.alloc::<f32>(1).unwrap();
        let args = (&mut out, Point { x: 3.0, y: 4.0 });
        // SAFETY: the kernel is norm(float *, struct { float x, y; }) and writes one element.
        unsafe { on.launch_unchecked(&norm, LaunchConfig::new(1, 1), args) }.unwrap();
        let mut result = [0.0];
        on.download(&out, &mut result).unwrap();
        assert_eq!(result, [25.0]);
    });
}

#[test]
fn twelve_arguments_arrive_in_order() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let sum12 = kernel(gpu, SUM12, "sum12");
        let mut out = gpu.alloc::<u32>(1).unwrap();
        let args = (
            &mut out,
            1_u32,
            10_u32,
            100_u32,
            1_000_u32,
            10_000_u32,
            100_000_u32,
            2_u32,
            20_u32,
            200_u32,
            2_000_u32,
            20_000_u32,
        );
        // SAFETY: the kernel is sum12(u32 *, 11 x u32) and writes one element.
        unsafe { gpu.on(&stream).launch_unchecked(&sum12, LaunchConfig::new(1, 1), args) }.unwrap();
        let mut result = [0];
        gpu.on(&stream).download(&out, &mut result).unwrap();
        assert_eq!(result, [133_333]);
    });
}

#[test]
fn ptx_comes_as_str_string_c_str_c_string_and_file() {
    with_gpu(|gpu| {
        let (text, with_nul) = (STORE.to_owned(), CString::new(STORE).unwrap());
        let borrowed: &CStr = &with_nul;
        let path = crate::common::temporary("store.ptx");
        std::fs::write(&path, STORE).unwrap();
        let modules = [
            gpu.load_ptx(STORE),
            gpu.load_ptx(text.clone()),
            gpu.load_ptx(&text),
            gpu.load_ptx(&with_nul),
            gpu.load_ptx(borrowed),
            gpu.load_ptx(with_nul.clone()),
            gpu.load_ptx_file(&path),
        ];
        std::fs::remove_file(&path).unwrap();
        let stream = gpu.stream().unwrap();
        for (i, module) in (1_u32..).zip(modules) {
            let store = module.unwrap().function("store").unwrap(); // keeps its module
            let mut out = gpu.alloc::<u32>(1).unwrap();
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe {
                gpu.on(&stream).launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut out, i))
            }
            .unwrap();
            let mut result = [0];
            gpu.on(&stream).download(&out, &mut result).unwrap();
            assert_eq!(result, [i]);
        }
    });
}

#[test]
fn a_launch_is_complete_when_it_returns_and_events_time_it() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let spin = kernel(gpu, SPIN, "spin");
        let (start, end) = (gpu.event().unwrap(), gpu.event().unwrap());
        assert!(start.query().unwrap(), "an event that was never recorded is complete (F65)");
        let begin = Instant::now();
        on.record(&start).unwrap();
        // SAFETY: the kernel is spin(u64) and touches no memory.
        unsafe { on.launch_unchecked(&spin, LaunchConfig::new(1, 1), (50_000_000_u64,)) }.unwrap();
        assert!(begin.elapsed() >= Duration::from_millis(49), "{:?}", begin.elapsed());
        assert!(stream.query().unwrap());
        on.record(&end).unwrap();
        end.synchronize().unwrap();
        let measured = end.elapsed_since(&start).unwrap();
        assert!(measured >= Duration::from_millis(49), "{measured:?}");
        assert!(measured <= begin.elapsed() + Duration::from_millis(1), "{measured:?}");
        assert_eq!(start.elapsed_since(&end).unwrap(), Duration::ZERO);
    });
}

#[test]
fn an_unscoped_launch_returns_at_once_and_events_order_streams() {
    const LONG: Duration = longer(Duration::from_millis(300));
    with_gpu(|gpu| {
        let (first, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let spin = kernel(gpu, SPIN, "spin");
        let done = gpu.event_with(EventFlags::DISABLE_TIMING).unwrap();
        let (begin, time) = (Instant::now(), LONG.as_nanos() as u64);
        let gate = hold(&first);
        // SAFETY: the kernel is spin(u64) and touches no memory.
        unsafe { gpu.on(&first).launch_unscoped(&spin, LaunchConfig::new(1, 1), (time,)) }.unwrap();
        assert!(!first.query().unwrap(), "the kernel is behind other work");
        gpu.on(&first).record(&done).unwrap();
        assert!(!done.query().unwrap());
        assert!(second.query().unwrap(), "nothing is on the second stream yet");
        gpu.on(&second).wait(&done).unwrap();
        gate.open();
        second.synchronize().unwrap();
        assert!(begin.elapsed() >= LONG - Duration::from_millis(1), "{:?}", begin.elapsed());
        assert!(done.query().unwrap() && first.query().unwrap());
    });
}

#[test]
fn functions_and_streams_tell_their_attributes() {
    with_gpu(|gpu| {
        let store = kernel(gpu, STORE, "store");
        let threads = store.attribute(ffi::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK).unwrap();
        assert!((32..=1024).contains(&threads), "{threads}");
        assert_eq!(store.attribute(ffi::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES).unwrap(), 0);
        assert!(store.attribute(ffi::CU_FUNC_ATTRIBUTE_NUM_REGS).unwrap() > 0);
        assert_eq!(gpu.stream().unwrap().flags().unwrap(), StreamFlags::NON_BLOCKING);
        let plain = gpu.stream_with(StreamFlags::empty()).unwrap();
        assert_eq!(plain.flags().unwrap(), StreamFlags::empty());
        let memory = gpu.memory_info().unwrap();
        assert!(
            memory.free <= memory.total && memory.total <= gpu.device().total_memory().unwrap()
        );
    });
}
