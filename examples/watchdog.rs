//! A watchdog that ends a process which waits for ever. `cargo run --example watchdog`
//!
//! The driver bounds no wait, and no thread can end the wait of another one. So the work has a process of its own, which says
//! a word after each step. The supervisor kills it if it is silent for too long, and starts it again. Here the first process
//! hangs in its third step, in a wait for a number that nobody writes.

use cuscope::stream::Until;
use cuscope::{Context, Device, Result, driver_kind, driver_version};
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use std::{env, io, thread};

/// Longer than each step takes, and the start of the process, on the slowest machine that is meant.
const LIMIT: Duration = Duration::from_secs(10);
const STEPS: usize = 5;

/// How a process ended.
#[derive(PartialEq, Eq, Debug)]
enum Ended {
    /// It ended by itself, and well or not.
    Itself { steps: usize, success: bool },
    /// It said nothing within the limit, and was killed.
    Killed { steps: usize },
}

/// Waits for a word after each step of a process. The first silence that is longer than `limit` ends it.
fn supervise(mut child: Child, limit: Duration) -> io::Result<Ended> {
    let words = child.stdout.take().map(BufReader::new).expect("its output is a pipe");
    let (send, receive) = channel();
    // Reading has no limit, so a thread reads. It ends with the pipe, which ends with the process.
    let reader =
        thread::spawn(move || words.lines().map_while(|line| send.send(line.ok()?).ok()).count());
    let mut steps = 0;
    let ended = loop {
        match receive.recv_timeout(limit) {
            Ok(_) => steps += 1,
            Err(RecvTimeoutError::Disconnected) => {
                break Ended::Itself { steps, success: child.wait()?.success() };
            }
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                child.wait()?;
                break Ended::Killed { steps };
            }
        }
    };
    reader.join().expect("reading does not panic");
    Ok(ended)
}

/// The work: each step is one wait for the device. `hangs`: the step that waits for ever.
fn work(hangs: Option<usize>) -> Result {
    Context::primary(Device::get(0)?)?.with(|gpu| {
        let stream = gpu.stream()?;
        let mut x = gpu.alloc::<u32>(1024)?;
        for step in 0..STEPS {
            if hangs == Some(step) {
                let number = gpu.stream_value(0_u32)?;
                gpu.scope(|s| s.on(&stream).value_operations(&[number.wait(Until::Equal(1))]))?;
            }
            gpu.on(&stream).fill(&mut x, step as u32)?;
            println!("{step}");
            let _ = io::stdout().flush(); // a supervisor that is gone needs no word
        }
        Ok(())
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(hangs) = env::args().nth(1) {
        return Ok(work(hangs.parse().ok())?);
    }
    println!("driver: {} (CUDA {})", driver_kind(), driver_version()?);
    let start = |argument: &str| {
        Command::new(env::current_exe()?).arg(argument).stdout(Stdio::piped()).spawn()
    };
    let first = supervise(start("2")?, LIMIT)?;
    println!("first process: {first:?}");
    assert_eq!(first, Ended::Killed { steps: 2 });
    // The kill ended the wait, and the device is there for the next process.
    let second = supervise(start("never")?, LIMIT)?;
    println!("second process: {second:?}");
    assert_eq!(second, Ended::Itself { steps: STEPS, success: true });
    Ok(())
}
