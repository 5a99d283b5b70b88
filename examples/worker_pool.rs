//! A pool of threads on one context: jobs go in by one channel, results come out of another.
//! `cargo run --example worker_pool`
#![forbid(unsafe_code)]

use cuscope::kernel::GuardedKernel;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, In, LaunchConfig, Out, Result, driver_kind,
    driver_version,
};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

const WORKERS: usize = 4;
const N: u32 = 256;

type Saxpy = GuardedKernel<(u32, f32, In<f32>, Out<f32>)>;

struct Job {
    factor: f32,
    /// Where the answer goes: each job has its own way back, so answers may come in any order.
    answer: Sender<(f32, Result<Vec<f32>>)>,
}

struct Pool {
    jobs: Sender<Job>,
    workers: Vec<JoinHandle<Result>>,
}

impl Pool {
    /// The kernel is loaded once, for all: its clones share it, and go to any thread.
    fn new(context: &Context, saxpy: &Saxpy) -> Pool {
        let (jobs, queue) = mpsc::channel();
        let queue = Arc::new(Mutex::new(queue));
        let start = |_| {
            let (context, queue, saxpy) = (context.clone(), queue.clone(), saxpy.clone());
            thread::spawn(move || work(&context, &queue, &saxpy))
        };
        Pool { jobs, workers: (0..WORKERS).map(start).collect() }
    }

    /// Lets the workers finish what is queued, waits for them, and tells what went wrong in one.
    fn shut_down(self) -> Result {
        drop(self.jobs);
        self.workers.into_iter().try_for_each(|w| w.join().expect("the worker does not panic"))
    }
}

/// A worker: pushes once, with a stack of its own, and works until there are no more jobs. It pops
/// when it returns.
fn work(context: &Context, queue: &Mutex<Receiver<Job>>, saxpy: &Saxpy) -> Result {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    // Its own stream and buffers: workers neither wait for each other nor share memory.
    let stream = gpu.stream()?;
    let (mut x, mut y) = (gpu.alloc(N as usize)?, gpu.alloc(N as usize)?);
    let input: Vec<f32> = (0..N).map(|i| i as f32).collect();
    gpu.on(&stream).upload(&input, &mut x)?;

    let mut run = |factor: f32| -> Result<Vec<f32>> {
        let mut output = vec![0.0; N as usize];
        gpu.on(&stream).zero(&mut y)?;
        let config = LaunchConfig::for_num_elems(N as usize)?;
        gpu.on(&stream).launch(saxpy, config, (N, factor, &x, &mut y))?;
        gpu.on(&stream).download(&y, &mut output)?;
        Ok(output)
    };
    loop {
        // A statement of its own: the lock is let go of before the job is done.
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { factor, answer }) = job else { return Ok(()) }; // the pool shuts down
        // A job that fails is its sender's affair; the worker goes on. Nobody may be waiting, too.
        let _ = answer.send((factor, run(factor)));
    }
}

fn main() -> Result {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);
    let context = Context::create(device, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let saxpy: Saxpy = gpu.load_guarded(include_str!("kernels/saxpy.ptx"))?.kernel("saxpy")?;
    gpu.pop()?; // this thread only hands out jobs

    let pool = Pool::new(&context, &saxpy);
    drop(saxpy); // the workers have theirs
    let (answer, answers) = mpsc::channel();
    for factor in 0..100_u16 {
        let job = Job { factor: factor.into(), answer: answer.clone() };
        pool.jobs.send(job).expect("a worker runs");
    }
    drop(answer); // so that the loop below ends with the last answer

    let mut right = 0;
    for (factor, output) in answers {
        let output = output?;
        right += usize::from((0..N).zip(&output).all(|(i, &y)| y == factor * i as f32));
    }
    pool.shut_down()?;
    context.try_destroy().expect("the workers are gone, and so are their guards and handles")?;

    println!("100 jobs on {WORKERS} threads: {}", if right == 100 { "right" } else { "WRONG" });
    assert_eq!(right, 100, "answers that are right");
    Ok(())
}
