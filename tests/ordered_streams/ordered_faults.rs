//! A kernel that faults, with values and memory of ordered streams in flight: nothing panics or aborts, an error is told,
//! and what the device may still use stays.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, new_context, with_gpu};
use crate::common::kernels::{SPIN, TRAP};
use crate::common::{HANG, fewer, software};
use crate::{fresh, skip};
use cuscope::ordered::OrderedOptions;
use cuscope::{Context, ContextStack, Function, LaunchConfig, OrderedStream, Result, SharedBuffer};
use cuscope_softdriver::control::live;
use cuscope_softdriver::faults::{clear, install};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const LEN: usize = 16;
/// Longer than anything that waits for the work of it: a fault ends that.
const LONG: Duration = HANG;

static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn report() {
    cuscope::on_release_error(|error| REPORTED.lock().unwrap().push(error.to_string()));
}

fn trap<'ctx>(ordered: &OrderedStream, trap: &Function<'ctx>) -> Result {
    // SAFETY: the kernel has no parameters and uses no memory.
    unsafe { ordered.launch_unchecked(trap, LaunchConfig::new(1, 1), ()) }
}

fn fault_in(context: &Context) {
    let fault = || {
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(context).unwrap();
        let (ordered, kernel) = (gpu.ordered_stream().unwrap(), kernel(&gpu, TRAP, "fault"));
        trap(&ordered, &kernel).unwrap();
        assert!(ordered.synchronize().unwrap_err().is_sticky());
    };
    thread::scope(|scope| scope.spawn(fault).join().unwrap());
}

#[test]
fn with_one_context_everything_in_flight_ends_with_the_error() {
    fresh!(with_one_context_everything_in_flight_ends_with_the_error, {
        report();
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let (ordered, other) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
        let mut stream = gpu.stream().unwrap();
        let mut x = ordered.from_slice(&[1_u32; LEN]).unwrap();
        let graph =
            gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold_ordered(&mut x), 3)).unwrap();
        let shared = other.from_slice(&[1_u32; LEN]).unwrap().share();
        let mut copy = ordered.alloc::<u32>(LEN).unwrap();
        ordered.copy(&shared, &mut copy).unwrap();
        let kernel = kernel(&gpu, TRAP, "fault");
        let all = [gpu.pinned::<u32>(LEN).unwrap(), gpu.pinned(LEN).unwrap()];
        trap(&ordered, &kernel).unwrap();
        // The fault may be reported by now.
        let pending = all.map(|pinned| ordered.download_owned(&copy, pinned));
        let _replayed = ordered.replay(&graph, &mut x);
        for pending in pending {
            match pending {
                Ok(pending) => assert!(pending.wait().unwrap_err().is_sticky()),
                Err(refused) => assert!(refused.error.is_sticky()),
            }
        }
        assert!(ordered.synchronize().unwrap_err().is_sticky());
        assert!(ordered.alloc::<u8>(1 << 20).unwrap_err().is_sticky());
        let refused = other.hand_over(x).unwrap_err();
        assert!(refused.error.is_sticky());
        let refused = refused.value.expect("it comes back").into_idle(&gpu).unwrap_err();
        assert!(refused.value.is_some());
        drop((refused, shared, copy, graph, ordered, other));
        let reported = REPORTED.lock().unwrap();
        assert!(!reported.is_empty() && reported.iter().all(|text| text.contains("LAUNCH_FAILED")));
    });
}

#[test]
fn beside_a_fault_elsewhere_what_is_in_flight_stays() {
    fresh!(beside_a_fault_elsewhere_what_is_in_flight_stays, {
        report();
        let (a, b) = (new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        let ordered = gpu.ordered_stream().unwrap();
        let spin = kernel(&gpu, SPIN, "spin");
        let x = ordered.from_slice(&[1_u32; LEN]).unwrap();
        let args = (LONG.as_nanos() as u64,);
        // SAFETY: the kernel is spin(u64), and uses no memory.
        unsafe { ordered.launch_unchecked(&spin, LaunchConfig::new(1, 1), args) }.unwrap();
        let waited = ordered.download_owned(&x, gpu.pinned(LEN).unwrap()).unwrap();
        let dropped = ordered.download_owned(&x, gpu.pinned(LEN).unwrap()).unwrap();
        let mut asked = ordered.download_owned(&x, gpu.pinned(LEN).unwrap()).unwrap();
        fault_in(&b);
        let before = live().registrations;
        assert!(waited.wait().unwrap_err().is_sticky());
        drop(dropped);
        assert!(asked.try_get().unwrap_err().is_sticky());
        assert!(asked.try_get().unwrap().is_none());
        drop((x, ordered));
        assert!(!software() || live().registrations == before, "the device may still write it");
        assert!(!REPORTED.lock().unwrap().is_empty());
    });
}

/// F60: the device is lost, and one report is enough.
#[test]
fn after_a_fault_all_ends_and_a_thousand_drops_report_once() {
    fresh!(after_a_fault_all_ends_and_a_thousand_drops_report_once, {
        report();
        let reported = || REPORTED.lock().unwrap().len();
        with_gpu(|gpu| {
            let kernel = kernel(gpu, TRAP, "fault");
            let options = OrderedOptions::new().keep(0);
            let ordered = gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
            let reader = gpu.ordered_stream().unwrap();
            let shared = ordered.from_slice(&[1_u32; 4]).unwrap().share();
            assert_eq!(reader.to_vec(&shared).unwrap(), [1; 4]);
            let buffers: Vec<_> =
                (0..fewer(1000, 20)).map(|_| ordered.alloc::<u32>(4).unwrap()).collect();
            let pending = |x| ordered.download_owned(x, gpu.pinned(4).unwrap()).unwrap();
            let (waited, dropped) = (pending(&buffers[0]), pending(&buffers[1]));
            trap(&ordered, &kernel).unwrap();
            assert!(ordered.synchronize().unwrap_err().is_sticky());
            assert!(waited.wait().unwrap_err().is_sticky());
            assert!(ordered.alloc::<u32>(4).unwrap_err().is_sticky());
            let before = reported();
            drop(buffers);
            assert_eq!(reported() - before, 1);
            drop(shared);
            assert_eq!(reported() - before, 1, "known");
            // Its memory is still page-locked, which is another matter.
            drop(dropped);
            assert!(reported() - before <= 2);
        });
    });
}

/// The stream that reads it is neither ordered before the free nor waited for.
#[test]
fn shared_memory_that_may_still_be_read_is_leaked() {
    if !software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(shared_memory_that_may_still_be_read_is_leaked, {
        report();
        with_gpu(|gpu| {
            let (home, reader) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
            home.keep(0);
            let (memory, theirs) = (gpu.alloc::<u32>(LEN).unwrap(), Arc::new(()));
            // SAFETY: 1. to 3. The memory is there until the end of the test, and nothing else uses it.
            let foreign =
                unsafe { gpu.buffer_from_raw::<u32>(memory.address(), LEN, theirs.clone()) };
            let foreign = home.adopt(foreign.unwrap()).unwrap().share();
            let own = home.zeroed::<u32>(LEN).unwrap().share();
            assert_eq!(reader.to_vec(&foreign).unwrap().len(), LEN);
            assert_eq!(reader.to_vec(&own).unwrap(), [0; LEN]);
            let before = live().allocations;
            let drop_with_failures = |shared: SharedBuffer<u32>| {
                // The event, and both waits for the stream that reads.
                let plan = "cuEventRecord#1=UNKNOWN,cuStreamSynchronize#1=UNKNOWN,\
                            cuStreamSynchronize#2=UNKNOWN";
                install(plan.parse().unwrap());
                drop(shared);
                clear();
            };
            drop_with_failures(foreign);
            assert_eq!(Arc::strong_count(&theirs), 2, "the other code does not get it back");
            drop_with_failures(own);
            assert_eq!(live().allocations, before, "it is not freed");
            assert_eq!(REPORTED.lock().unwrap().len(), 2);
        });
    });
}
