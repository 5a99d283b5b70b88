//! Functions that are told when memory of a device is over its budget.

use crate::common::{UNWINDS, software};
use crate::skip;
use cuscope::diagnostics::{OverBudgetHook, on_over_budget};
use cuscope::{Device, Error, driver_version};
use cuscope_softdriver::control::{notify_over_budget, record};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};

/// The tests tell all functions of the process, so they run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// The first device, and the right to tell; leaves the test where the driver is too old.
macro_rules! device {
    () => {{
        let version = driver_version().unwrap();
        if (version.major, version.minor) < (12, 4) {
            skip!("it needs a driver of CUDA 12.4");
        }
        let alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        (Device::get(0).unwrap(), alone)
    }};
}

/// Leaves the rest of the test on a GPU, which nothing brings over its budget.
macro_rules! needs_software {
    () => {
        if !software() {
            skip!("only the software driver is told to be over its budget");
        }
    };
}

#[test]
fn a_function_is_told_until_its_hook_is_dropped() {
    let (device, _alone) = device!();
    let told = Arc::new(AtomicU64::new(0));
    let add = |told: &Arc<AtomicU64>, times| {
        let told = told.clone();
        move |bytes| _ = told.fetch_add(bytes * times, Ordering::Relaxed)
    };
    let one = on_over_budget(device, add(&told, 1)).unwrap();
    let ten = on_over_budget(device, add(&told, 10)).unwrap();
    assert!(format!("{one:?}").starts_with("OverBudgetHook(0x"), "{one:?}");
    if software() {
        assert_eq!(notify_over_budget(0, 7), 2);
        assert_eq!(told.load(Ordering::Relaxed), 77);
        assert_eq!(notify_over_budget(1, 7), 0);
        drop(one);
        assert_eq!(notify_over_budget(0, 5), 1);
        assert_eq!(told.load(Ordering::Relaxed), 127);
        drop(ten);
        assert_eq!(notify_over_budget(0, 5), 0);
    } else {
        drop((one, ten));
    }
    // Nothing has the functions any more.
    assert_eq!(Arc::strong_count(&told), 1);
}

#[test]
fn a_function_may_panic_and_end_its_own_hook() {
    let (device, _alone) = device!();
    needs_software!();
    let panics = on_over_budget(device, |_| {
        if UNWINDS {
            panic!("in a hook")
        }
    })
    .unwrap();
    let place = Arc::new(Mutex::new(None::<OverBudgetHook>));
    let (inside, captured) = (place.clone(), Arc::new(()));
    let (kept, (send, refused)) = (captured.clone(), mpsc::channel());
    let ends = on_over_budget(device, move |_| {
        let _kept = &kept;
        // The driver refuses to end the registration here, and a later call ends it.
        drop(inside.lock().unwrap().take());
        // It refuses a new one too.
        _ = send.send(on_over_budget(Device::get(0).unwrap(), |_| ()));
    });
    *place.lock().unwrap() = Some(ends.unwrap());
    assert_eq!(notify_over_budget(0, 1), 2);
    let refused = refused.recv().unwrap().unwrap_err();
    assert!(matches!(refused, Error::InvalidArgument { .. }), "{refused}");
    assert_eq!(Arc::strong_count(&captured), 1);
    // It is registered, and its function is gone.
    assert_eq!(notify_over_budget(0, 1), 2);
    // A new hook ends it, before it is registered itself.
    let (other, calls) = record(|| on_over_budget(device, |_| ()));
    let ends = calls.iter().filter(|&&call| call == "cuDeviceUnregisterAsyncNotification");
    assert_eq!(ends.count(), 1, "{calls:?}");
    assert_eq!(notify_over_budget(0, 1), 2);
    drop(panics);
    assert_eq!(notify_over_budget(0, 1), 1);
    // So does the end of another hook, but not inside a function, where the driver would refuse it again.
    let unregistered = |calls: Vec<&str>| {
        calls.iter().filter(|call| **call == "cuDeviceUnregisterAsyncNotification").count()
    };
    let place = Arc::new(Mutex::new(Vec::new()));
    let (inside, (send, told)) = (place.clone(), mpsc::channel());
    let ends = on_over_budget(device, move |_| {
        let hooks = std::mem::take(&mut *inside.lock().unwrap());
        let ends = hooks.into_iter().map(|hook: OverBudgetHook| record(|| drop(hook)).1);
        _ = send.send(ends.map(unregistered).collect::<Vec<_>>());
    });
    place.lock().unwrap().extend([ends.unwrap(), on_over_budget(device, |_| ()).unwrap()]);
    notify_over_budget(0, 1);
    assert_eq!(told.recv().unwrap(), [1, 1]);
    let ((), calls) = record(|| drop(other));
    assert_eq!(unregistered(calls), 3);
    assert_eq!(notify_over_budget(0, 1), 0);
}

#[test]
fn a_refused_function_is_dropped() {
    needs_software!();
    crate::fresh!(a_refused_function_is_dropped, {
        refused();
    });
}

/// In a process of its own, for a registration stays.
fn refused() {
    let device = Device::get(0).unwrap();
    let (code, captured) = (cuscope::ffi::CUDA_ERROR_UNKNOWN, Arc::new(()));
    for performed in [false, true] {
        let call = "cuDeviceRegisterAsyncNotification";
        let fault = Fault { which: Which::Named(call), code, performed };
        let kept = captured.clone();
        let (refused, _) = with_fault(fault, || on_over_budget(device, move |_| _ = &kept));
        assert_eq!(refused.unwrap_err().call(), Some(call));
        assert_eq!(Arc::strong_count(&captured), 1);
        // The notification that the driver has all the same finds no function.
        assert_eq!(notify_over_budget(0, 1), usize::from(performed));
    }
}

#[test]
fn any_thread_ends_a_hook() {
    let (device, _alone) = device!();
    let (send, receive) = mpsc::channel();
    let hook = on_over_budget(device, move |bytes| _ = send.send(bytes)).unwrap();
    if software() {
        assert!(notify_over_budget(0, 3) >= 1);
        assert_eq!(receive.recv(), Ok(3));
    }
    std::thread::spawn(move || drop(hook)).join().unwrap();
    assert!(receive.recv().is_err());
}
