//! Values in flight as futures: they come back when the device is done, in any executor, also if they are dropped or
//! moved between polls.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, with_gpu};
use crate::common::kernels::SPIN;
use crate::common::random::scheduled;
use crate::common::{fewer, longer};
use crate::fresh;
use cuscope::ordered::Pending;
use cuscope::{Error, LaunchConfig, OrderedStream, PinnedBuffer, PushedGuard};
use cuscope_softdriver::{control, schedule};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

const LEN: usize = 16;
/// For a kernel that is to be running still after some calls.
const LONG: Duration = longer(Duration::from_millis(300));

/// Wakes a thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let (mut task, mut future) = (Context::from_waker(&waker), pin!(future));
    loop {
        match future.as_mut().poll(&mut task) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

fn start(gpu: &PushedGuard<'_>, on: &OrderedStream, value: u32) -> Pending<PinnedBuffer<u32>> {
    let x = on.from_slice(&[value; LEN]).unwrap();
    on.download_owned(&x, gpu.pinned(LEN).unwrap()).unwrap()
}

#[test]
fn a_future_returns_the_value_when_the_device_is_done() {
    with_gpu(|gpu| {
        let ordered = gpu.ordered_stream().unwrap();
        let all: Vec<_> = (0..20).map(|value| start(gpu, &ordered, value)).collect();
        for (value, pending) in all.into_iter().enumerate() {
            assert_eq!(block_on(pending).unwrap()[..], [value as u32; LEN]);
        }
        // On another thread than the one that polls it first.
        let mut pending = start(gpu, &ordered, 7);
        let early = Pin::new(&mut pending).poll(&mut Context::from_waker(Waker::noop()));
        match early {
            Poll::Ready(value) => assert_eq!(value.unwrap()[..], [7; LEN]),
            Poll::Pending => {
                let value = thread::spawn(move || block_on(pending)).join().unwrap();
                assert_eq!(value.unwrap()[..], [7; LEN]);
            }
        }
    });
}

#[test]
fn a_download_to_a_vector_is_a_future() {
    with_gpu(|gpu| {
        let ordered = gpu.ordered_stream().unwrap();
        let x = ordered.from_slice(&[3_u32; LEN]).unwrap();
        let later = ordered.to_vec_later(&x).unwrap();
        assert_eq!(format!("{later:?}"), "PendingVec(16 elements)");
        assert_eq!(block_on(later).unwrap(), [3; LEN]);
    });
}

#[test]
fn a_future_that_is_complete_says_so_when_it_is_polled_again() {
    with_gpu(|gpu| {
        let ordered = gpu.ordered_stream().unwrap();
        let mut pending = start(gpu, &ordered, 1);
        ordered.synchronize().unwrap();
        assert!(pending.try_get().unwrap().is_some());
        // At once, whatever the stream does meanwhile.
        let spinner = kernel(gpu, SPIN, "spin");
        // SAFETY: the kernel is spin(u64), and uses no memory.
        unsafe {
            ordered.launch_unchecked(&spinner, LaunchConfig::new(1, 1), (LONG.as_nanos() as u64,))
        }
        .unwrap();
        let again = Pin::new(&mut pending).poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(Err(again)) = again else { panic!("{again:?}") };
        assert!(matches!(again, Error::InvalidArgument { .. }), "{again}");
    });
}

/// The waker wakes nobody, and counts.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_future_that_is_dropped_between_polls_leaves_nothing_to_the_device() {
    fresh!(a_future_that_is_dropped_between_polls_leaves_nothing_to_the_device, {
        with_gpu(|gpu| {
            let (one, two) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
            for seed in 0..fewer(500, 3) as u64 {
                scheduled(seed);
                let count = Arc::new(Count::default());
                let waker = Waker::from(count.clone());
                let mut task = Context::from_waker(&waker);
                let mut all: Vec<_> = (0..4)
                    .map(|value| start(gpu, [&one, &two][value as usize % 2], value))
                    .collect();
                for (value, pending) in all.iter_mut().enumerate() {
                    if let Poll::Ready(done) = Pin::new(pending).poll(&mut task) {
                        assert_eq!(done.unwrap()[..], [value as u32; LEN]);
                    }
                }
                let last = all.pop();
                drop(all);
                if let Some(mut last) = last
                    && seed % 3 == 0
                {
                    one.synchronize().unwrap();
                    two.synchronize().unwrap();
                    if let Poll::Ready(Ok(done)) = Pin::new(&mut last).poll(&mut task) {
                        assert_eq!(done[..], [3; LEN]);
                    }
                }
                one.synchronize().unwrap();
                two.synchronize().unwrap();
                assert_eq!(control::take_races().len(), 0);
            }
            schedule::stop();
        });
    });
}
