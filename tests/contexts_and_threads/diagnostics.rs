//! The profiler, the driver's log, and settings of core dumps.

use crate::common::gpu::{new_context, try_with_gpu};
use crate::common::{HANG, UNWINDS, foreign};
use crate::{common, fresh, needs_unwinding, skip};
use cuscope::{
    Context, ContextFlags, ContextStack, Device, Error, PushedGuard, Result,
    diagnostics::{CoreDumpFlags, CoreDumps, DriverLog, LogLevel, on_driver_log, on_over_budget},
    ffi,
    jit::JitOptions,
    on_release_error,
};
use cuscope_softdriver::control::record;
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// Leaves the test where the driver is too old for what it asks.
macro_rules! or_skip {
    ($result:expr) => {
        match $result {
            Err(error @ Error::NeedsDriver { .. }) => skip!("{error}"),
            result => result.unwrap(),
        }
    };
}

/// A call that fails.
fn fail(gpu: &PushedGuard<'_>) {
    assert!(gpu.load_ptx(".version 99.9 .target sm_52 .address_size 64").is_err());
}

#[test]
fn a_profiler_records_until_the_guard_is_dropped_or_stopped() {
    try_with_gpu(|gpu| {
        let profiling = gpu.profiling()?;
        let inner = gpu.profiling()?;
        drop(inner);
        profiling.stop()?;
        drop(gpu.profiling()?);
        // It borrows the guard, which is free again.
        let other = Context::create(gpu.device(), ContextFlags::default())?;
        gpu.push(&other)?.profiling()?.stop()?;
        if common::software() {
            let (which, code) = (Which::Named("cuProfilerStop"), ffi::CUDA_ERROR_UNKNOWN);
            let fault = Fault { which, code, performed: true };
            let profiling = gpu.profiling()?;
            let (failed, calls) = with_fault(fault, || profiling.stop());
            assert_eq!((failed.unwrap_err().code(), calls.len()), (Some(code), 1));
        }
        Ok(())
    });
}

#[test]
fn a_hook_is_told_what_failed_until_it_is_dropped() {
    let messages = Arc::new(Mutex::new(Vec::new()));
    let seen = messages.clone();
    let hook = or_skip!(on_driver_log(move |level, message| {
        seen.lock().unwrap().push((level, message.to_owned()));
    }));
    assert!(format!("{hook:?}").starts_with("DriverLogHook(0x"), "{hook:?}");
    try_with_gpu(|gpu| {
        fail(gpu);
        Ok(())
    });
    drop(hook);
    let before = messages.lock().unwrap().clone();
    let is = |(level, message): &(LogLevel, String)| {
        *level == LogLevel::Error && message.contains("from cuModuleLoadDataEx")
    };
    assert!(before.iter().any(is), "{before:?}");
    assert_eq!(Arc::strong_count(&messages), 1, "the function is gone");
}

#[test]
fn a_hook_may_panic_fail_and_end_itself() {
    fresh!(a_hook_may_panic_fail_and_end_itself, {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        or_skip!(DriverLog::now());
        std::panic::set_hook(Box::new(|_| ()));
        let panics = on_driver_log(|_, _| {
            if UNWINDS {
                panic!("in a hook")
            }
        })
        .unwrap();
        // One whose own calls fail: it is not told of these.
        let fails = on_driver_log(|_, _| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            assert!(Device::get(99).is_err());
        })
        .unwrap();
        // One that ends itself.
        let own = Arc::new(Mutex::new(None));
        let slot = own.clone();
        let ends = on_driver_log(move |_, _| drop(slot.lock().unwrap().take())).unwrap();
        *own.lock().unwrap() = Some(ends);
        try_with_gpu(|gpu| {
            fail(gpu);
            fail(gpu);
            Ok(())
        });
        assert!(own.lock().unwrap().is_none());
        assert!((2..20).contains(&CALLS.load(Ordering::Relaxed)));
        drop((panics, fails));
        drop(std::panic::take_hook());
    });
}

#[test]
fn the_end_of_a_hook_waits_for_a_thread_that_is_in_it() {
    let (entered, inside) = mpsc::channel();
    let out = Arc::new(AtomicUsize::new(0));
    let finished = out.clone();
    let hook = or_skip!(on_driver_log(move |_, _| {
        let _ = entered.send(());
        std::thread::sleep(Duration::from_millis(50));
        finished.fetch_add(1, Ordering::SeqCst);
    }));
    let other = std::thread::spawn(|| {
        try_with_gpu(|gpu| {
            fail(gpu);
            Ok(())
        });
    });
    inside.recv_timeout(HANG).expect("it is called");
    drop(hook);
    assert!(out.load(Ordering::SeqCst) > 0);
    other.join().unwrap();
}

#[test]
fn the_log_is_read_from_a_place_to_its_end() {
    fresh!(the_log_is_read_from_a_place_to_its_end, {
        let mut log = or_skip!(DriverLog::now());
        try_with_gpu(|gpu| {
            fail(gpu);
            let text = log.read()?;
            assert!(text.lines().any(|line| line.contains("from cuModuleLoadDataEx")), "{text}");
            assert!(!text.contains('\0'), "{text:?}");
            let mut oldest = DriverLog::all();
            let all = oldest.read()?;
            assert!(all.contains("from cuModuleLoadDataEx"), "{all}");
            assert_eq!(oldest.read()?, "", "it is behind them");
            let name = format!("cuscope-diagnostics {} größer 図", std::process::id());
            let file = std::env::temp_dir().join(name);
            DriverLog::all().write_to(&file)?;
            assert!(std::fs::read_to_string(&file).unwrap().contains("from cuModuleLoadDataEx"));
            std::fs::remove_file(&file).unwrap();
            assert!(log.write_to("/no/such/folder/at/all").is_err());
            let error = log.write_to("with\0nul").unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
            // As much as there ever is.
            (0..200).for_each(|_| fail(gpu));
            assert!(DriverLog::all().read()?.lines().count() >= 100);
            Ok(())
        });
    });
}

#[test]
fn a_context_has_settings_of_core_dumps_of_its_own() {
    fresh!(a_context_has_settings_of_core_dumps_of_its_own, {
        const LIGHTWEIGHT: CoreDumpFlags = CoreDumpFlags::SKIP_NONRELOCATED_ELF_IMAGES
            .union(CoreDumpFlags::SKIP_GLOBAL_MEMORY)
            .union(CoreDumpFlags::SKIP_SHARED_MEMORY)
            .union(CoreDumpFlags::SKIP_LOCAL_MEMORY)
            .union(CoreDumpFlags::SKIP_CONSTBANK_MEMORY);
        on_release_error(|error| panic!("{error}"));
        // Nothing has initialised the driver yet.
        let process = CoreDumps::process();
        assert!(!or_skip!(process.enabled()));
        assert!(process.host().unwrap() && !process.lightweight().unwrap());
        assert!(!process.user_trigger().unwrap());
        if common::software() {
            // A real driver would make the pipe. It writes dumps of faults, too.
            process.set_user_trigger(true).unwrap();
            assert!(process.user_trigger().unwrap());
            process.set_enabled(false).unwrap();
            assert!(process.user_trigger().unwrap() && !process.enabled().unwrap());
        }
        process.set_user_trigger(false).unwrap();
        assert!(!process.user_trigger().unwrap());
        process.set_lightweight(true).unwrap();
        assert_eq!(process.flags().unwrap(), LIGHTWEIGHT);
        process.set_host(false).unwrap();
        assert_eq!(process.flags().unwrap(), LIGHTWEIGHT | CoreDumpFlags::SKIP_ABORT);
        process.set_file("/tmp/dump").unwrap();
        process.set_pipe("/tmp/pipe.%p").unwrap();
        assert_eq!(process.file().unwrap().to_str(), Some("/tmp/dump"));
        let pipe = format!("/tmp/pipe.{}", std::process::id());
        assert_eq!(process.pipe().unwrap().to_str(), Some(&*pipe));
        for bad in ["x".repeat(1024), "with\0nul".to_owned()] {
            assert!(matches!(process.set_file(bad), Err(Error::InvalidArgument { .. })));
        }
        process.set_file("x".repeat(1023)).unwrap();
        assert_eq!(process.file().unwrap().as_os_str().len(), 1023);
        try_with_gpu(|gpu| {
            let own = gpu.core_dumps();
            assert_eq!((own.lightweight()?, own.host()?, own.enabled()?), (true, false, false));
            assert_eq!((own.flags()?, own.file()?), (process.flags()?, process.file()?));
            own.set_lightweight(false)?;
            assert_eq!(own.flags()?, CoreDumpFlags::SKIP_ABORT);
            own.set_enabled(true)?;
            let flags = CoreDumpFlags::SKIP_ABORT | CoreDumpFlags::SKIP_GLOBAL_MEMORY;
            own.set_flags(flags)?;
            assert!(own.flags()?.contains(flags));
            assert!(own.enabled()? && !own.lightweight()?);
            assert!(process.lightweight()? && !process.host()? && !process.enabled()?);
            assert!(own.user_trigger().is_err());
            let pipe = own.set_pipe("p").unwrap_err().to_string();
            assert!(pipe.contains("are settings of the process"), "{pipe}");
            if common::software() {
                // Of what fails for another reason, that is not said.
                let code = cuscope::ffi::CUDA_ERROR_INVALID_VALUE;
                let fails = |name| Fault { which: Which::Named(name), code, performed: false };
                let (of_process, of_context) =
                    (fails("cuCoredumpGetAttributeGlobal"), fails("cuCoredumpGetAttribute"));
                for text in [
                    with_fault(of_process, || process.user_trigger()).0.unwrap_err().to_string(),
                    with_fault(of_context, || own.enabled()).0.unwrap_err().to_string(),
                ] {
                    assert!(text.contains("check the arguments"), "{text}");
                }
            }
            own.set_enabled(false)
        });
    });
}

/// A profile ends once, by its guard, and the hook of the program receives what a drop cannot return.
#[test]
fn what_ends_in_a_drop_and_fails_is_reported() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(what_ends_in_a_drop_and_fails_is_reported, {
        static REPORTED: Mutex<Vec<Error>> = Mutex::new(Vec::new());
        on_release_error(|error| REPORTED.lock().unwrap().push(error.clone()));
        let reported = || std::mem::take(&mut *REPORTED.lock().unwrap());
        let code = cuscope::ffi::CUDA_ERROR_UNKNOWN;
        let fails = |name| Fault { which: Which::Named(name), code, performed: true };
        let calls = |errors: &[Error]| errors.iter().map(Error::call).collect::<Vec<_>>();
        try_with_gpu(|gpu| {
            const STOP: &str = "cuProfilerStop";
            let profiling = gpu.profiling()?;
            let ((), stops) = record(|| profiling.stop().unwrap());
            assert_eq!(stops.iter().filter(|&&call| call == STOP).count(), 1, "{stops:?}");
            let profiling = gpu.profiling()?;
            with_fault(fails(STOP), || drop(profiling));
            assert_eq!(calls(&reported()), [Some(STOP)]);
            // Other code covers the context.
            let (profiling, other) = (gpu.profiling()?, new_context());
            foreign::push(other.raw());
            drop(profiling);
            foreign::pop();
            let errors = reported();
            assert!(matches!(errors[..], [Error::NotCurrent { call: STOP }]), "{errors:?}");
            let linker = gpu.linker(&JitOptions::new())?;
            with_fault(fails("cuLinkDestroy"), || drop(linker));
            assert_eq!(calls(&reported()), [Some("cuLinkDestroy")]);
            Ok(())
        });
        for code in
            [cuscope::ffi::CUDA_ERROR_INVALID_VALUE, cuscope::ffi::CUDA_ERROR_NOT_INITIALIZED]
        {
            let context = new_context();
            let fault = Fault { code, ..fails("cuCtxDestroy_v2") };
            with_fault(fault, || drop(context));
            assert_eq!(calls(&reported()), [Some("cuCtxDestroy_v2")], "{code:?}");
            let context = new_context();
            let destroyed = with_fault(fault, || context.try_destroy()).0.unwrap();
            assert_eq!(destroyed.unwrap_err().code(), Some(code));
        }
        let hook = on_driver_log(|_, _| ()).unwrap();
        with_fault(fails("cuLogsUnregisterCallback"), || drop(hook));
        assert_eq!(calls(&reported()), [Some("cuLogsUnregisterCallback")]);
        let hook = on_over_budget(Device::get(0).unwrap(), |_| ()).unwrap();
        with_fault(fails("cuDeviceUnregisterAsyncNotification"), || drop(hook));
        assert_eq!(calls(&reported()), [Some("cuDeviceUnregisterAsyncNotification")]);
    });
}

/// The destructor of what a function owns is the program's, and a panic of it ends where the hook is dropped.
#[test]
fn a_hook_whose_function_panics_when_it_is_dropped_ends_quietly() {
    needs_unwinding!("the panic of a destructor is caught");
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("in the drop of what a function owns")
        }
    }
    let owned = Panics;
    let hook = or_skip!(on_driver_log(move |_, _| _ = &owned));
    assert!(!common::panics(|| drop(hook)));
}

/// The hook is not told of failures inside itself.
#[test]
fn a_release_hook_whose_own_releases_fail_is_called_once() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_release_hook_whose_own_releases_fail_is_called_once, {
        try_with_gpu(|gpu| {
            let context = gpu.context().clone();
            on_release_error(move |_| {
                CALLS.fetch_add(1, Ordering::Relaxed);
                let stream = || {
                    ContextStack::reentrant(|stack| Ok(stack.push(&context)?.stream()?.detach()))
                };
                drop::<Result<_>>(stream());
            });
            let code = cuscope::ffi::CUDA_ERROR_UNKNOWN;
            let fault = Fault { which: Which::Named("cuStreamDestroy_v2"), code, performed: true };
            for round in 1..=2 {
                let stream = gpu.stream()?;
                let ((), failed) = with_fault(fault, || drop(stream));
                assert_eq!(failed.len(), 2, "that of the test, and that of the hook");
                assert_eq!(CALLS.load(Ordering::Relaxed), round);
            }
            on_release_error(|_| ());
            Ok(())
        });
    });
}
