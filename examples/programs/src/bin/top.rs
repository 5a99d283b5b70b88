//! How much memory of each device is in use, again and again until you stop it, as `top` shows it.
//! `cargo run -p cuscope-examples --bin top`
//!
//! `-- --once` prints that once. `-- --copy 512` copies 512 MiB to the first device and shows how far it is. Without a
//! GPU, `CUSCOPE_SOFT_FAULT=copies=20ms` makes the copies slow enough to watch.
//!
//! The driver reports no processes, temperatures or loads: `nvidia-smi` has those from another library, NVML. The driver
//! reports free memory only in a context, so this program has one on each device. On a GPU, a context itself takes
//! some hundred MiB.

use cuscope::{
    Context, ContextStack, Device, EventFlags, Result, driver_kind, ffi, memory::MemoryInfo,
};
use indicatif::{
    HumanBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle,
};
use std::error::Error;
use std::io::IsTerminal;
use std::num::NonZero;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A device, and the context in which its free memory is read.
struct Row {
    title: String,
    context: Context,
}

fn rows() -> Result<Vec<Row>> {
    let row = |device: Device| {
        let (major, minor) = device.compute_capability()?;
        let (number, name, address) = (device.ordinal(), device.name()?, device.pci_bus_id()?);
        let processors = device.attribute(ffi::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let title =
            format!("{number} {name} ({major}.{minor}), {processors} multiprocessors, {address}");
        Ok(Row { title, context: Context::primary(device)? })
    };
    Device::all()?.into_iter().map(row).collect()
}

/// Reads the memory of each device in turn.
fn read(stack: &mut ContextStack, rows: &[Row]) -> Result<Vec<MemoryInfo>> {
    rows.iter().map(|row| stack.push(&row.context)?.memory_info()).collect()
}

/// Prints a line for each device.
fn print(stack: &mut ContextStack, rows: &[Row]) -> Result {
    for (row, MemoryInfo { free, total }) in rows.iter().zip(read(stack, rows)?) {
        let [free, total] = [free, total].map(|bytes| HumanBytes(bytes as u64));
        println!("{}: {free} of {total} free", row.title);
    }
    Ok(())
}

/// Shows a bar for each device, and draws it again every second. Without a terminal, prints lines instead.
fn watch(stack: &mut ContextStack, rows: &[Row]) -> Result<(), Box<dyn Error>> {
    let every = Duration::from_secs(1);
    if !std::io::stdout().is_terminal() {
        loop {
            print(stack, rows)?;
            sleep(every);
        }
    }
    let style = ProgressStyle::with_template("{msg}\n  [{bar:50}] {bytes} of {total_bytes} used")?;
    let screen = MultiProgress::with_draw_target(ProgressDrawTarget::stdout());
    let bar = |row: &Row| {
        let bar = ProgressBar::no_length().with_style(style.clone());
        screen.add(bar.with_message(row.title.clone()))
    };
    let bars: Vec<ProgressBar> = rows.iter().map(bar).collect();
    loop {
        for (bar, MemoryInfo { free, total }) in bars.iter().zip(read(stack, rows)?) {
            bar.set_length(total as u64);
            bar.set_position((total - free) as u64);
        }
        sleep(every);
    }
}

/// Copies page-locked memory to the first device, in pieces: the end of each moves the bar on.
fn copy(stack: &mut ContextStack, mib: NonZero<u32>) -> Result<(), Box<dyn Error>> {
    let context = Context::primary(Device::get(0)?)?;
    let gpu = stack.push(&context)?;
    let len = (mib.get() as usize) << 18; // numbers of four bytes
    let (mut from, mut to) = (gpu.pinned::<u32>(len)?, gpu.alloc::<u32>(len)?);
    from.iter_mut().zip(0..).for_each(|(number, i)| *number = i);

    // A hundred pieces, or fewer of a mebibyte. Whoever waits for the end of one sleeps.
    let piece = (len / 100).max(1 << 18);
    let flags = EventFlags::BLOCKING_SYNC | EventFlags::DISABLE_TIMING;
    let ends = from.chunks(piece).map(|_| gpu.event_with(flags)).collect::<Result<Vec<_>>>()?;
    let stream = gpu.stream()?;

    let style = ProgressStyle::with_template(
        "[{bar:50}] {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
    )?;
    // Where there is no terminal, the bar is not drawn.
    let bar = ProgressBar::with_draw_target(Some(4 * len as u64), ProgressDrawTarget::stdout())
        .with_style(style)
        .with_finish(ProgressFinish::AndLeave);
    let start = Instant::now();
    gpu.scope(|s| {
        let copies = s.on(&stream);
        let parts = s.hold(&mut to).chunks(piece)?;
        for ((piece, mut part), end) in from.chunks(piece).zip(parts).zip(&ends) {
            copies.upload(piece, &mut part)?;
            copies.record(end)?;
        }
        // All pieces are in the stream, so the device never waits for the bar.
        for (piece, end) in from.chunks(piece).zip(&ends) {
            end.synchronize()?;
            bar.inc(size_of_val(piece) as u64);
        }
        Ok(())
    })?;
    let time = start.elapsed();
    drop(bar);

    let last = len - piece.min(len)..;
    let arrived = gpu.on(&stream).to_vec(&to.slice(last.clone())?)?;
    assert!(arrived == from[last], "the last piece did not arrive");
    let rate = HumanBytes((4.0 * len as f64 / time.as_secs_f64()) as u64);
    println!("{mib} MiB in {} pieces: {time:.2?}, {rate}/s", ends.len());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut stack = ContextStack::current_thread()?;
    println!("{} driver", driver_kind());
    match arguments[..] {
        [] => watch(&mut stack, &rows()?),
        ["--once"] => Ok(print(&mut stack, &rows()?)?),
        ["--copy", mib] => copy(&mut stack, mib.parse()?),
        _ => Err("usage: top [--once | --copy MIB]".into()),
    }
}
