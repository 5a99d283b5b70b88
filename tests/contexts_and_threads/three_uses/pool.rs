//! A pool of threads on one context.

use super::{Kept, STORE, Then};
use crate::common::foreign::current;
use crate::common::gpu::{kernel, new_context};
use crate::common::{UNWINDS, fewer};
use cuscope::{Context, ContextStack, Error, LaunchConfig, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

const WORKERS: u32 = fewer(8, 3) as u32;
const JOBS: u32 = fewer(100, 4) as u32;

struct Job {
    number: u32,
    then: Then,
    answer: Sender<(u32, Option<Result<u32>>)>,
}

/// One worker: pushes once, and does jobs until there are none. `None` answers for a panic.
fn work(context: &Context, queue: &Receiver<Job>) -> u32 {
    let mut stack = ContextStack::current_thread().unwrap();
    let mut gpu = stack.push(context).unwrap();
    let mut kept = Kept::new(&mut gpu, context.clone()).unwrap();
    let mut done = 0;
    for Job { number, then, answer } in queue {
        assert_eq!(current(), context.raw());
        gpu.bind_mut(&mut kept.handles).unwrap().stores = number - 1;
        let next = catch_unwind(AssertUnwindSafe(|| kept.next(&mut gpu, then)));
        assert_eq!(current(), context.raw());
        answer.send((number, next.ok().map(|n| n.map(|[stored, ..]| stored)))).unwrap();
        done += 1;
    }
    gpu.pop().unwrap();
    assert!(current().is_null());
    done
}

/// 8 workers with 100 jobs each, some of which fail or panic.
pub(super) fn jobs_on(context: &Context) {
    let (answer, answers) = mpsc::channel();
    let workers: Vec<_> = (0..WORKERS)
        .map(|w| {
            let context = context.clone();
            let (jobs, queue) = mpsc::channel();
            let then = |number| match number % 50 {
                10 => Then::Fail,
                20 if UNWINDS => Then::Panic,
                _ => Then::Succeed,
            };
            for number in w * JOBS + 1..=(w + 1) * JOBS {
                jobs.send(Job { number, then: then(number), answer: answer.clone() }).unwrap();
            }
            // The queue ends with the last job in it, as `jobs` is dropped here.
            thread::spawn(move || work(&context, &queue))
        })
        .collect();
    drop(answer);
    let mut all: Vec<_> = answers.into_iter().collect();
    for worker in workers {
        assert_eq!(worker.join().unwrap(), JOBS);
    }
    all.sort_by_key(|&(number, _)| number);
    assert_eq!(all.len(), (WORKERS * JOBS) as usize);
    for ((number, answer), expected) in all.into_iter().zip(1..) {
        assert_eq!(number, expected);
        match (number % 50, answer) {
            (10, Some(Err(Error::LengthMismatch { .. }))) | (20, None) => {}
            (rest, Some(Ok(stored))) if rest != 10 && (rest != 20 || !UNWINDS) => {
                assert_eq!(stored, number);
            }
            (_, wrong) => panic!("job {number}: {wrong:?}"),
        }
    }
}

#[test]
fn a_pool_of_eight_workers_does_a_hundred_jobs_each() {
    let context = new_context();
    jobs_on(&context);
    jobs_on(&context); // the context is as good as new
    assert!(current().is_null());
    context.try_destroy().expect("no worker holds it").unwrap();
}

#[test]
fn a_pool_shares_one_queue_and_one_kernel() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let store = Arc::new(kernel(&gpu, STORE, "store").detach());
    gpu.pop().unwrap();
    let (jobs, queue) = mpsc::channel::<u32>();
    let (answer, answers) = mpsc::channel();
    let queue = Mutex::new(queue);
    (1..=WORKERS * JOBS).for_each(|number| jobs.send(number).unwrap());
    drop(jobs);
    let run = |answer: Sender<(u32, u32)>| -> Result {
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&context)?;
        let store = gpu.bind(&store)?;
        let (stream, mut data) = (gpu.stream()?, gpu.alloc::<u32>(1)?);
        loop {
            let job = queue.lock().unwrap().recv();
            let Ok(number) = job else { return gpu.pop() };
            let arguments = (&mut data, 2 * number);
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe { gpu.on(&stream).launch_unchecked(store, LaunchConfig::new(1, 1), arguments) }?;
            let mut host = [0];
            gpu.on(&stream).download(&data, &mut host)?;
            answer.send((number, host[0])).unwrap();
        }
    };
    thread::scope(|s| {
        let workers: Vec<_> = (0..WORKERS).map(|_| s.spawn(|| run(answer.clone()))).collect();
        for worker in workers {
            worker.join().unwrap().unwrap();
        }
    });
    drop(answer);
    let mut all: Vec<_> = answers.into_iter().collect();
    all.sort_unstable();
    let expected: Vec<_> = (1..=WORKERS * JOBS).map(|number| (number, 2 * number)).collect();
    assert_eq!(all, expected);
    drop(store);
    context.try_destroy().expect("no worker holds it").unwrap();
}
