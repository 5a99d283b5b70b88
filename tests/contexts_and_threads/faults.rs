//! A kernel that faults in one context while another context works (F326): what has returned is over all the
//! same, or the process ends. The tests run one after another, as they take their time on one device.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, new_context};
use crate::common::kernels::{COUNT, SPIN, TRAP};
use crate::common::{HANG, one_at_a_time, software, until};
use crate::{aborts, fresh, skip};
use cuscope::foreign::Ownership;
use cuscope::memory::Location;
use cuscope::texture::{ArrayFlags, ArrayShape};
use cuscope::{
    Context, ContextStack, Device, Error, LaunchConfig, MemoryPool, PushedGuard, Result, ffi,
};
use cuscope_softdriver::control::live;
use cuscope_softdriver::faults::{Fault, Which, install, with_fault};
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// How long work goes on that the end of the process, or of its context, cuts off: longer than it takes to report a fault.
const WORK: Duration = HANG;

/// How long a kernel goes on that a real driver waits for in the call of a copy after it. It is longer than it takes to report
/// a fault.
const TAKES: Duration = Duration::from_secs(5);

/// How long work goes on that nobody stops, and that the report of a fault in its context waits for.
const MOMENT: Duration = Duration::from_millis(500);

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos().try_into().unwrap()
}

/// Lets a kernel trap under a guard.
fn fault(gpu: &PushedGuard<'_>) {
    let stream = gpu.stream().unwrap();
    let fault = kernel(gpu, TRAP, "fault");
    // SAFETY: the kernel has no parameters and uses no memory.
    let result = unsafe { gpu.on(&stream).launch_unchecked(&fault, LaunchConfig::new(1, 1), ()) };
    assert!(is_lost(&result), "{result:?}");
}

/// Lets a kernel trap in a context, on a thread of its own.
fn fault_in(context: &Context) {
    let trap = || {
        let mut stack = ContextStack::current_thread().unwrap();
        fault(&stack.push(context).unwrap());
    };
    thread::scope(|scope| scope.spawn(trap).join().unwrap());
}

fn is_lost<R>(result: &Result<R>) -> bool {
    result.as_ref().err().and_then(Error::code) == Some(ffi::CUDA_ERROR_LAUNCH_FAILED)
}

/// A wait in a context without a fault answers at once while its work goes on, and nothing tells when that ends.
#[test]
fn a_scope_that_lent_page_locked_memory_beside_a_fault_elsewhere_aborts() {
    let _one = one_at_a_time();
    aborts!(
        a_scope_that_lent_page_locked_memory_beside_a_fault_elsewhere_aborts,
        ["without waiting", "may still use page-locked"],
        {
            let (a, b) = (new_context(), new_context());
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let stream = gpu.stream().unwrap();
            let count = kernel(&gpu, COUNT, "count");
            let mut counted = gpu.pinned::<u32>(1).unwrap();
            let result = gpu.scope(|s| {
                let (run, one) = (s.on(&stream), LaunchConfig::new(1, 1));
                // SAFETY: the kernel is count(u32 *, u64), and writes one element.
                unsafe { run.launch_unchecked(&count, one, (&mut counted, nanoseconds(WORK))) }?;
                fault_in(&b);
                Ok(())
            });
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

/// So where several streams are waited for.
#[test]
fn a_scope_of_two_streams_that_lent_page_locked_memory_beside_a_fault_elsewhere_aborts() {
    let _one = one_at_a_time();
    aborts!(
        a_scope_of_two_streams_that_lent_page_locked_memory_beside_a_fault_elsewhere_aborts,
        ["without waiting", "may still use page-locked"],
        {
            let (a, b) = (new_context(), new_context());
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let (first, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let (x, y) = (gpu.alloc::<u32>(4).unwrap(), gpu.alloc::<u32>(4).unwrap());
            let (mut one, mut other) = (gpu.pinned::<u32>(4).unwrap(), [0; 4]);
            let result = gpu.scope(|s| {
                s.on(&first).download(&x, &mut one)?;
                s.on(&second).download(&y, &mut other)?;
                fault_in(&b);
                Ok(())
            });
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

/// Lets a kernel trap in the primary context, which other code has: this crate does not know it.
fn fault_in_the_primary_context_of_other_code() {
    let trap = || {
        let (mut context, mut module, mut function) = (null_mut(), null_mut(), null_mut());
        let ptx = CString::new(TRAP).unwrap();
        let (null, none) = (null_mut(), null_mut());
        let ok = |code| assert_eq!(code, ffi::CUDA_SUCCESS);
        // SAFETY: writes one handle to `context`.
        ok(unsafe { ffi::cuDevicePrimaryCtxRetain(&raw mut context, 0) });
        // SAFETY: retained above, and never released.
        ok(unsafe { ffi::cuCtxPushCurrent_v2(context) });
        // SAFETY: writes one handle to `module`; the PTX ends in NUL.
        ok(unsafe { ffi::cuModuleLoadData(&raw mut module, ptx.as_ptr().cast()) });
        // SAFETY: writes one handle to `function`; the module was loaded, and the name ends in NUL.
        ok(unsafe { ffi::cuModuleGetFunction(&raw mut function, module, c"fault".as_ptr()) });
        // SAFETY: the kernel has no parameters and uses no memory.
        ok(unsafe { ffi::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null, none, null_mut()) });
        // SAFETY: no obligations.
        let code = unsafe { ffi::cuCtxSynchronize() };
        assert_eq!(code, ffi::CUDA_ERROR_LAUNCH_FAILED);
    };
    thread::scope(|scope| scope.spawn(trap).join().unwrap());
}

/// The same where the crate has one context, and other code has the primary one active.
#[test]
fn page_locked_memory_beside_a_fault_in_the_primary_context_of_other_code_aborts() {
    let _one = one_at_a_time();
    aborts!(
        page_locked_memory_beside_a_fault_in_the_primary_context_of_other_code_aborts,
        ["without waiting", "may still use page-locked"],
        {
            let a = new_context();
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let stream = gpu.stream().unwrap();
            let count = kernel(&gpu, COUNT, "count");
            let mut counted = gpu.pinned::<u32>(1).unwrap();
            let result = gpu.scope(|s| {
                let (run, one) = (s.on(&stream), LaunchConfig::new(1, 1));
                // SAFETY: the kernel is count(u32 *, u64), and writes one element.
                unsafe { run.launch_unchecked(&count, one, (&mut counted, nanoseconds(WORK))) }?;
                fault_in_the_primary_context_of_other_code();
                Ok(())
            });
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

/// Nobody has measured that a copy between an array and pageable memory is over when its call returns.
#[test]
fn a_scope_that_copied_to_an_array_beside_a_fault_elsewhere_aborts() {
    let _one = one_at_a_time();
    aborts!(
        a_scope_that_copied_to_an_array_beside_a_fault_elsewhere_aborts,
        ["without waiting", "may still use page-locked"],
        {
            let (a, b) = (new_context(), new_context());
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let stream = gpu.stream().unwrap();
            let shape = ArrayShape::D1 { width: 4 };
            let mut array = gpu.alloc_array::<u32>(shape, ArrayFlags::empty()).unwrap();
            let result = gpu.scope(|s| {
                s.on(&stream).upload(&[7; 4], &mut s.hold(&mut array))?;
                fault_in(&b);
                Ok(())
            });
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

/// The other copies with arrays.
macro_rules! copies_with_arrays {
    ($($test:ident: |$scope:ident, $run:ident, $array:ident, $host:ident| $copy:expr;)*) => { $(
        #[test]
        fn $test() {
            let _one = one_at_a_time();
            aborts!($test, ["without waiting", "may still use page-locked"], {
                let (a, b) = (new_context(), new_context());
                let mut stack = ContextStack::current_thread().unwrap();
                let gpu = stack.push(&a).unwrap();
                let (stream, mut host) = (gpu.stream().unwrap(), [7_u32; 4]);
                let shape = ArrayShape::D1 { width: 4 };
                let mut array = gpu.alloc_array::<u32>(shape, ArrayFlags::empty()).unwrap();
                let result = gpu.scope(|$scope| {
                    let ($run, $array) = ($scope.on(&stream), &mut $scope.hold(&mut array));
                    let $host = &mut host;
                    $copy?;
                    fault_in(&b);
                    Ok(())
                });
                panic!("the scope returned {result:?} and its memory");
            });
        }
    )* };
}
copies_with_arrays! {
    a_scope_that_copied_from_an_array_beside_a_fault_elsewhere_aborts:
        |s, run, array, host| run.download(&*array, host);
    a_scope_that_staged_a_copy_to_an_array_beside_a_fault_elsewhere_aborts:
        |s, run, array, host| run.upload_staged(&s.stage(host), array);
    a_scope_that_staged_a_copy_from_an_array_beside_a_fault_elsewhere_aborts:
        |s, run, array, host| run.download_staged(&*array, &mut s.stage(host));
}

/// Memory of a pool of the host is page-locked.
#[test]
fn a_scope_that_lent_memory_of_a_host_pool_beside_a_fault_elsewhere_aborts() {
    let _one = one_at_a_time();
    let pool = MemoryPool::create(Location::Host);
    if pool.as_ref().is_err_and(|error| error.code() == Some(ffi::CUDA_ERROR_NOT_SUPPORTED)) {
        skip!("there are no pools of the host");
    }
    drop(pool);
    aborts!(
        a_scope_that_lent_memory_of_a_host_pool_beside_a_fault_elsewhere_aborts,
        ["without waiting", "may still use page-locked"],
        {
            let (a, b) = (new_context(), new_context());
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let (stream, x) = (gpu.stream().unwrap(), gpu.alloc::<u32>(4).unwrap());
            let pool = MemoryPool::create(Location::Host).unwrap();
            let mut host = gpu.on(&stream).alloc_pinned_from::<u32>(&pool, 4).unwrap();
            let result = gpu.scope(|s| {
                s.on(&stream).download(&x, &mut host)?;
                fault_in(&b);
                Ok(())
            });
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

/// Memory that was page-locked, or seen by the host, and is freed, makes no other memory so.
#[test]
fn memory_that_was_page_locked_before_a_fault_elsewhere_aborts_nothing() {
    let _one = one_at_a_time();
    if !software() {
        skip!("devices may use all memory of the host");
    }
    fresh!(memory_that_was_page_locked_before_a_fault_elsewhere_aborts_nothing, {
        let (a, b) = (new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let (stream, x) = (gpu.stream().unwrap(), gpu.alloc::<u32>(4).unwrap());
        drop(gpu.pinned::<u32>(4).unwrap());
        let pool = MemoryPool::create(Location::Host).unwrap();
        drop(gpu.on(&stream).alloc_pinned_from::<u32>(&pool, 4).unwrap());
        let managed = || {
            let mut managed = gpu.managed::<u32>(4).unwrap();
            gpu.host_slice_mut(&mut managed).unwrap().fill(1);
            managed
        };
        drop(managed());
        let ordered = gpu.ordered_stream().unwrap();
        drop(ordered.adopt(managed()).unwrap());
        drop(ordered);
        let mut host = [0; 4];
        let result = gpu.scope(|s| {
            s.on(&stream).download(&x, &mut host)?;
            fault_in(&b);
            Ok(())
        });
        assert!(is_lost(&result), "{result:?}");
    });
}

/// So with a green context beside the primary one that it was made of: a fault in one is one in both (F327).
#[test]
fn beside_a_green_context_page_locked_memory_comes_back_after_a_fault() {
    let _one = one_at_a_time();
    fresh!(beside_a_green_context_page_locked_memory_comes_back_after_a_fault, {
        let device = Device::get(0).unwrap();
        let _green = Context::create_green(&[device.sm_resource().unwrap()]).unwrap();
        let a = Context::primary(device).unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let (stream, trap) = (gpu.stream().unwrap(), kernel(&gpu, TRAP, "fault"));
        let (x, mut host) = (gpu.alloc::<u32>(4).unwrap(), gpu.pinned::<u32>(4).unwrap());
        let result = gpu.scope(|s| {
            s.on(&stream).download(&x, &mut host)?;
            // SAFETY: the kernel has no parameters and uses no memory.
            unsafe { s.on(&stream).launch_unchecked(&trap, LaunchConfig::new(1, 1), ()) }
        });
        assert!(is_lost(&result), "{result:?}");
    });
}

/// So beside a context that nobody has any more, and that stays because a leaked guard left it on a stack.
#[test]
fn beside_a_context_that_only_stays_page_locked_memory_comes_back_after_a_fault() {
    let _one = one_at_a_time();
    fresh!(beside_a_context_that_only_stays_page_locked_memory_comes_back_after_a_fault, {
        let (tell, told) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let leaks = thread::spawn(move || {
            let other = new_context();
            let mut stack = ContextStack::current_thread().unwrap();
            std::mem::forget(stack.push(&other).unwrap());
            drop(other);
            tell.send(()).unwrap();
            // Until the test is over.
            ended.recv().unwrap_err();
        });
        told.recv().unwrap();
        let a = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let (stream, trap) = (gpu.stream().unwrap(), kernel(&gpu, TRAP, "fault"));
        let (x, mut host) = (gpu.alloc::<u32>(4).unwrap(), gpu.pinned::<u32>(4).unwrap());
        let result = gpu.scope(|s| {
            s.on(&stream).download(&x, &mut host)?;
            // SAFETY: the kernel has no parameters and uses no memory.
            unsafe { s.on(&stream).launch_unchecked(&trap, LaunchConfig::new(1, 1), ()) }
        });
        assert!(is_lost(&result), "{result:?}");
        drop(end);
        leaks.join().unwrap();
    });
}

/// Other code may use page-locked memory that it is lent.
#[test]
fn a_scope_that_lent_page_locked_memory_to_other_code_beside_a_fault_elsewhere_aborts() {
    let _one = one_at_a_time();
    aborts!(
        a_scope_that_lent_page_locked_memory_to_other_code_beside_a_fault_elsewhere_aborts,
        ["without waiting", "may still use page-locked"],
        {
            let (a, b) = (new_context(), new_context());
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let (stream, mut host) = (gpu.stream().unwrap(), gpu.pinned::<u32>(4).unwrap());
            let result = gpu.scope(|s| {
                // SAFETY: 1. to 4. Nothing is enqueued.
                unsafe { s.on(&stream).foreign((&mut host,), |_, _| ()) }?;
                fault_in(&b);
                Ok(())
            });
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

/// A slice that a scope stages may be page-locked.
#[test]
fn a_scope_that_staged_page_locked_memory_beside_a_fault_elsewhere_aborts() {
    aborts!(
        a_scope_that_staged_page_locked_memory_beside_a_fault_elsewhere_aborts,
        ["without waiting", "may still use page-locked"],
        {
            let (a, b) = (new_context(), new_context());
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let stream = gpu.stream().unwrap();
            let (mut x, mut host) = (gpu.alloc::<u32>(4).unwrap(), gpu.pinned::<u32>(4).unwrap());
            let result = gpu.scope(|s| {
                let staged = s.stage(&mut host);
                s.on(&stream).upload_staged(&staged, &mut s.hold(&mut x))?;
                fault_in(&b);
                Ok(())
            });
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

/// Numbers that streams write are page-locked.
#[test]
fn a_scope_that_lent_numbers_beside_a_fault_elsewhere_aborts() {
    aborts!(
        a_scope_that_lent_numbers_beside_a_fault_elsewhere_aborts,
        ["without waiting", "may still use page-locked"],
        {
            let (a, b) = (new_context(), new_context());
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let (stream, value) = (gpu.stream().unwrap(), gpu.stream_value(0_u32).unwrap());
            let result = gpu.scope(|s| {
                s.on(&stream).value_operations(&[value.write(1)])?;
                fault_in(&b);
                Ok(())
            });
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

#[test]
fn an_operation_that_lent_page_locked_memory_beside_a_fault_elsewhere_aborts() {
    let _one = one_at_a_time();
    aborts!(
        an_operation_that_lent_page_locked_memory_beside_a_fault_elsewhere_aborts,
        ["without waiting", "may still use page-locked"],
        {
            let (a, b) = (new_context(), new_context());
            let b = &b;
            thread::scope(|scope| {
                let mut stack = ContextStack::current_thread().unwrap();
                let gpu = stack.push(&a).unwrap();
                let stream = gpu.stream().unwrap();
                let count = kernel(&gpu, COUNT, "count");
                let mut counted = gpu.pinned::<u32>(1).unwrap();
                let word = counted.as_ptr().expose_provenance();
                scope.spawn(move || {
                    let word = std::ptr::with_exposed_provenance_mut::<u32>(word);
                    // SAFETY: page-locked memory, which lives until the process aborts, and which the kernel writes.
                    let word = unsafe { AtomicU32::from_ptr(word) };
                    until("the count", || word.load(Ordering::Relaxed) > 0);
                    fault_in(b);
                });
                let (on, one) = (gpu.on(&stream), LaunchConfig::new(1, 1));
                // SAFETY: the kernel is count(u32 *, u64), and writes one element.
                let result =
                    unsafe { on.launch_unchecked(&count, one, (&mut counted, nanoseconds(WORK))) };
                panic!("the launch returned {result:?} and its memory");
            });
        }
    );
}

/// The device copies to managed memory by itself, as to page-locked memory.
#[test]
fn a_copy_to_managed_memory_beside_a_fault_elsewhere_aborts() {
    let _one = one_at_a_time();
    aborts!(
        a_copy_to_managed_memory_beside_a_fault_elsewhere_aborts,
        ["without waiting", "or managed memory"],
        {
            let (a, b) = (new_context(), new_context());
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let (stream, spin) = (gpu.stream().unwrap(), kernel(&gpu, SPIN, "spin"));
            let (from, mut to) = (gpu.alloc::<u32>(64).unwrap(), gpu.managed::<u32>(64).unwrap());
            let host = gpu.host_slice_mut(&mut to).unwrap();
            let result = gpu.scope(|s| {
                let run = s.on(&stream);
                // SAFETY: the kernel is spin(u64), and uses no memory.
                unsafe {
                    run.launch_unchecked(&spin, LaunchConfig::new(1, 1), (nanoseconds(TAKES),))
                }?;
                run.download(&from, host)?;
                fault_in(&b);
                Ok(())
            });
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

/// A kernel goes on writing managed memory that the program got back, and cannot look at.
#[test]
fn managed_memory_in_use_beside_a_fault_elsewhere_is_not_lent() {
    let _one = one_at_a_time();
    fresh!(managed_memory_in_use_beside_a_fault_elsewhere_is_not_lent, {
        let (a, b) = (new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let (stream, count) = (gpu.stream().unwrap(), kernel(&gpu, COUNT, "count"));
        let mut counted = gpu.managed::<u32>(1).unwrap();
        let result = gpu.scope(|s| {
            let (run, mut held) = (s.on(&stream), s.hold(&mut counted));
            let one = LaunchConfig::new(1, 1);
            // SAFETY: the kernel is count(u32 *, u64), and writes one element.
            unsafe { run.launch_unchecked(&count, one, (&mut held, nanoseconds(WORK))) }?;
            fault_in(&b);
            Ok(())
        });
        assert!(is_lost(&result), "{result:?}");
        assert!(is_lost(&gpu.host_slice(&counted)));
        assert!(is_lost(&gpu.host_slice_mut(&mut counted)));
    });
}

/// In the context that faulted all is over when the fault is reported, and where there is no other one it is that.
#[test]
fn with_one_context_page_locked_memory_comes_back_and_stays_as_it_is() {
    let _one = one_at_a_time();
    fresh!(with_one_context_page_locked_memory_comes_back_and_stays_as_it_is, {
        // One that is gone is forgotten, and one that was borrowed.
        let gone = new_context();
        // SAFETY: alive until `gone` is dropped, below.
        drop(unsafe { Context::from_raw(gone.raw(), Ownership::Borrow) }.unwrap());
        drop(gone);
        // And one that was given to other code, which may do with it what it likes.
        let given = new_context().into_raw().unwrap();
        // SAFETY: made by `cuCtxCreate`, and nobody else has it.
        assert_eq!(unsafe { ffi::cuCtxDestroy_v2(given.raw) }, ffi::CUDA_SUCCESS);
        let a = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let (kernels, faults) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let count = kernel(&gpu, COUNT, "count");
        let trap = kernel(&gpu, TRAP, "fault");
        let (mut counted, one) = (gpu.pinned::<u32>(1).unwrap(), LaunchConfig::new(1, 1));
        let shape = ArrayShape::D1 { width: 4 };
        let mut array = gpu.alloc_array::<u32>(shape, ArrayFlags::empty()).unwrap();
        let result = gpu.scope(|s| {
            // A copy to an array is treated as one of page-locked memory.
            s.on(&faults).upload(&[7; 4], &mut s.hold(&mut array))?;
            // SAFETY: the kernel is count(u32 *, u64), and writes one element.
            unsafe {
                s.on(&kernels).launch_unchecked(&count, one, (&mut counted, nanoseconds(MOMENT)))
            }?;
            // SAFETY: the kernel has no parameters and uses no memory.
            unsafe { s.on(&faults).launch_unchecked(&trap, one, ()) }
        });
        assert!(is_lost(&result), "{result:?}");
        let first = counted[0];
        thread::sleep(MOMENT);
        assert_eq!(counted[0], first, "the device went on writing");
        // Its registration cannot be ended any more: the memory stays allocated.
        drop(counted);
        assert!(!software() || live().registrations == 1, "{:?}", live());
    });
}

/// Copies with ordinary memory are over when their call returns (F331), and device memory of a process that has
/// lost the GPU is used by nobody.
#[test]
fn operations_that_lend_no_page_locked_memory_return_the_error() {
    let _one = one_at_a_time();
    fresh!(operations_that_lend_no_page_locked_memory_return_the_error, {
        let (a, b) = (new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let stream = gpu.stream().unwrap();
        let spin = kernel(&gpu, SPIN, "spin");
        let elsewhere = gpu.pinned::<u32>(64).unwrap();
        let (mut memory, mut host) = (gpu.alloc::<u32>(64).unwrap(), [1; 64]);
        gpu.on(&stream).upload(&host, &mut memory).unwrap();
        let result = gpu.scope(|s| {
            let run = s.on(&stream);
            // SAFETY: the kernel is spin(u64), and uses no memory.
            unsafe { run.launch_unchecked(&spin, LaunchConfig::new(1, 1), (nanoseconds(WORK),)) }?;
            fault_in(&b);
            Ok(())
        });
        assert!(is_lost(&result), "{result:?}");
        let result = gpu.on(&stream).download(&memory, &mut host);
        assert!(is_lost(&result), "{result:?}");
        assert_eq!((host, elsewhere[0]), ([1; 64], 0));
    });
}

/// A device of which nobody knows what it uses may use all memory of the host.
#[test]
fn a_scope_beside_a_device_of_which_nothing_is_known_aborts() {
    let _one = one_at_a_time();
    if !software() {
        skip!("only the software driver fails on demand");
    }
    aborts!(
        a_scope_beside_a_device_of_which_nothing_is_known_aborts,
        ["without waiting", "may still use page-locked"],
        {
            let (a, b) = (new_context(), new_context());
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let (stream, memory) = (gpu.stream().unwrap(), gpu.alloc::<u32>(64).unwrap());
            let mut host = [0; 64];
            let result = gpu.scope(|s| {
                s.on(&stream).download(&memory, &mut host)?;
                fault_in(&b);
                install("cuDeviceGetAttribute=UNKNOWN".parse().unwrap());
                Ok(())
            });
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

/// Nothing is taken any more once a fault was reported.
#[test]
fn behind_a_fault_operations_with_page_locked_memory_return_the_error() {
    let _one = one_at_a_time();
    fresh!(behind_a_fault_operations_with_page_locked_memory_return_the_error, {
        let (a, b) = (new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let stream = gpu.stream().unwrap();
        let (mut memory, mut host) = (gpu.alloc::<u32>(64).unwrap(), gpu.pinned(64).unwrap());
        fault_in(&b);
        let results = [
            gpu.on(&stream).upload(&host, &mut memory),
            gpu.on(&stream).download(&memory, &mut host),
            gpu.scope(|s| s.on(&stream).download(&memory, &mut host)),
            gpu.scope(|s| {
                let mut memory = s.hold(&mut memory);
                s.on(&stream).upload_staged(&s.map(&mut host), &mut memory)
            }),
        ];
        assert!(results.iter().all(is_lost), "{results:?}");
    });
}

/// Whether [`slow`] may end.
static TOLD: AtomicBool = AtomicBool::new(false);

/// A function that runs until it is told to end, notes that it ran, and owns what it notes that in.
fn slow(began: &Arc<AtomicU32>, ended: &Arc<AtomicU32>) -> impl FnMut() + Send + 'static {
    let (began, ended) = (began.clone(), ended.clone());
    move || {
        began.fetch_add(1, Ordering::SeqCst);
        until("the word to end", || TOLD.load(Ordering::SeqCst));
        ended.fetch_add(1, Ordering::SeqCst);
    }
}

fn wait_for(count: &AtomicU32) {
    until("the count", || count.load(Ordering::SeqCst) > 0);
}

/// A function of the host goes on after a fault elsewhere, and the end of its context would kill the process
/// (F330).
#[test]
fn a_context_in_which_a_function_may_run_behind_a_fault_is_not_ended() {
    let _one = one_at_a_time();
    fresh!(a_context_in_which_a_function_may_run_behind_a_fault_is_not_ended, {
        let (began, ended) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let (a, b) = (new_context(), new_context());
        {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let stream = gpu.stream().unwrap();
            let result = gpu.scope(|s| {
                s.on(&stream).host_function(slow(&began, &ended))?;
                wait_for(&began);
                fault_in(&b);
                Ok(())
            });
            assert!(is_lost(&result), "{result:?}");
        }
        assert_eq!(ended.load(Ordering::SeqCst), 0, "it still runs");
        let a = a.try_destroy().expect_err("the function may use it");
        drop(a);
        TOLD.store(true, Ordering::SeqCst);
        wait_for(&ended);
        until("the end of what it owns", || Arc::strong_count(&ended) == 1);
        assert!(!software() || live().contexts == 2, "{:?}", live());
    });
}

/// So wherever the driver was given a function that it may call.
fn stays_behind_a_fault(give: impl FnOnce(&PushedGuard<'_>) -> Result) {
    let (a, b) = (new_context(), new_context());
    a.with(|gpu| give(gpu)).unwrap();
    fault_in(&b);
    drop(a.try_destroy().expect_err("the driver may still call it"));
}

#[test]
fn a_context_with_a_function_of_a_graph_is_not_ended_behind_a_fault() {
    let _one = one_at_a_time();
    fresh!(a_context_with_a_function_of_a_graph_is_not_ended_behind_a_fault, {
        stays_behind_a_fault(|gpu| gpu.build_graph(|g| g.host_function(&[], || ())).map(drop));
    });
}

#[test]
fn a_context_with_a_future_of_a_stream_is_not_ended_behind_a_fault() {
    let _one = one_at_a_time();
    fresh!(a_context_with_a_future_of_a_stream_is_not_ended_behind_a_fault, {
        stays_behind_a_fault(|gpu| {
            let stream = gpu.stream()?;
            drop(stream.finished()?);
            stream.synchronize()
        });
    });
}

/// Behind a fault, a graph may still run what its nodes used before. That the change succeeds before another thread is told
/// of the fault is played.
#[test]
fn a_graph_that_is_changed_behind_a_fault_keeps_what_it_used() {
    let _one = one_at_a_time();
    if !software() {
        skip!("only the software driver answers on demand");
    }
    fresh!(a_graph_that_is_changed_behind_a_fault_keeps_what_it_used, {
        let (a, b, shared) = (new_context(), new_context(), Arc::new(()));
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let (mut graph, node) = gpu.build_graph(|g| g.host_function(&[], || ())).unwrap();
        let holds = || {
            let shared = shared.clone();
            move || _ = &shared
        };
        graph.set_host_function(node, holds()).unwrap();
        graph.set_host_function(node, holds()).unwrap();
        assert_eq!(Arc::strong_count(&shared), 2);
        fault_in(&b);
        let (which, code) = (Which::Named("cuGraphExecHostNodeSetParams"), ffi::CUDA_SUCCESS);
        let made = Fault { which, code, performed: false };
        with_fault(made, || graph.set_host_function(node, holds())).0.unwrap();
        assert_eq!(Arc::strong_count(&shared), 3, "the function before stays");
    });
}

/// Behind a fault, other contexts end as ever in a program that gave the driver no function.
#[test]
fn contexts_end_behind_a_fault_where_there_are_no_functions() {
    let _one = one_at_a_time();
    fresh!(contexts_end_behind_a_fault_where_there_are_no_functions, {
        let (a, b) = (new_context(), new_context());
        fault_in(&b);
        drop(a.try_destroy().expect("nothing has it"));
        assert!(!software() || live().contexts < 2, "{:?}", live());
    });
}

/// The driver has a pointer to a graph's function, and may call later nodes too.
#[test]
fn a_function_of_a_graph_outlives_the_graph_behind_a_fault() {
    let _one = one_at_a_time();
    fresh!(a_function_of_a_graph_outlives_the_graph_behind_a_fault, {
        let [began, ended, second] = [(); 3].map(|()| Arc::new(AtomicU32::new(0)));
        let (a, b) = (new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let stream = gpu.stream().unwrap();
        let later = second.clone();
        let (graph, ()) = gpu
            .build_graph(|g| {
                let first = g.host_function(&[], slow(&began, &ended))?.id();
                g.host_function(&[first], move || {
                    later.fetch_add(1, Ordering::SeqCst);
                })
                .map(drop)
            })
            .unwrap();
        let result = gpu.scope(|s| {
            s.on(&stream).replay(&graph, ())?;
            wait_for(&began);
            fault_in(&b);
            Ok(())
        });
        assert!(is_lost(&result), "{result:?}");
        assert_eq!(ended.load(Ordering::SeqCst), 0, "it still runs");
        drop(graph);
        assert_eq!(Arc::strong_count(&second), 1, "what does not run is dropped with the graph");
        assert_eq!(Arc::strong_count(&ended), 2, "what runs is not");
        TOLD.store(true, Ordering::SeqCst);
        wait_for(&ended);
        until("the end of what it owns", || Arc::strong_count(&ended) == 1);
        // Work that the driver had after it would be called soon.
        thread::sleep(MOMENT);
        assert_eq!(second.load(Ordering::SeqCst), 0, "what was dropped is not called");
    });
}

/// An answer that proves nothing, twice.
#[test]
fn an_operation_of_which_no_wait_tells_that_it_is_over_aborts() {
    let _one = one_at_a_time();
    if !software() {
        skip!("only the software driver fails on demand");
    }
    aborts!(
        an_operation_of_which_no_wait_tells_that_it_is_over_aborts,
        ["without waiting", "cannot tell whether the work is complete"],
        {
            let a = new_context();
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let stream = gpu.stream().unwrap();
            let (mut memory, host) = (gpu.alloc::<u32>(4).unwrap(), [1; 4]);
            let code = ffi::CUDA_ERROR_UNKNOWN;
            let fault =
                Fault { which: Which::Named("cuStreamSynchronize"), code, performed: false };
            let scope = || {
                gpu.scope(|s| {
                    let mut memory = s.hold(&mut memory);
                    s.on(&stream).upload(&host, &mut memory)
                })
            };
            let (result, _) = with_fault(fault, scope);
            panic!("the scope returned {result:?} and its memory");
        }
    );
}

/// So without a scope, whatever the code: nothing else is taken for a success.
#[test]
fn an_operation_whose_wait_is_refused_aborts() {
    let _one = one_at_a_time();
    if !software() {
        skip!("only the software driver fails on demand");
    }
    aborts!(
        an_operation_whose_wait_is_refused_aborts,
        ["without waiting", "cannot tell whether the work is complete"],
        {
            let a = new_context();
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&a).unwrap();
            let stream = gpu.stream().unwrap();
            let (mut memory, host) = (gpu.alloc::<u32>(4).unwrap(), [1; 4]);
            let (which, code) =
                (Which::Named("cuStreamSynchronize"), ffi::CUDA_ERROR_INVALID_VALUE);
            let fault = Fault { which, code, performed: false };
            let upload = || gpu.on(&stream).upload(&host, &mut memory);
            let (result, _) = with_fault(fault, upload);
            panic!("the operation returned {result:?} and its memory");
        }
    );
}

/// The work of a green context goes on when that is destroyed (F134), so that the answer proves nothing where there
/// are any.
#[test]
fn a_destroyed_context_proves_nothing_where_there_are_green_ones() {
    let _one = one_at_a_time();
    if !software() {
        skip!("only the software driver fails on demand");
    }
    let code = ffi::CUDA_ERROR_CONTEXT_IS_DESTROYED;
    let fault = Fault { which: Which::Named("cuStreamSynchronize"), code, performed: false };
    let operate = || {
        let a = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let stream = gpu.stream().unwrap();
        let mut memory = gpu.alloc::<u32>(4).unwrap();
        with_fault(fault, || gpu.on(&stream).zero(&mut memory)).0
    };
    aborts!(
        a_destroyed_context_proves_nothing_where_there_are_green_ones,
        ["without waiting", "cannot tell whether the work is complete"],
        {
            assert_eq!(operate().unwrap_err().code(), Some(code), "without green ones it does");
            let all = Device::get(0).unwrap().sm_resource().unwrap();
            let _green = Context::create_green(&[all]).unwrap();
            panic!("the operation returned {:?} and its memory", operate());
        }
    );
}
