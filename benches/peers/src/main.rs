//! What operations cost: by hand, with cuscope, and with other crates.
//!
//! `peers count` prints the driver calls of each operation as JSON, with `shim/` as the driver.
//! `peers time [SHARE [OPERATION]]` prints times, of a part of the rounds and operations if asked to; `PEERS_FIRST=5`:
//! the fifth candidate is made ready first.
//! `peers report` writes RESULTS.md and its plot from those, `peers steps` STEPS.md from those of some rows, `peers page` looks whether docs/cost.md is right: see
//! `run.sh` and `.ci/peers`.
#![allow(unsafe_code, reason = "calls the driver")]

mod bench;
mod c;
mod calls;
#[cfg(feature = "bindgen")]
mod cuda_core;
mod cudarc;
mod cust;
mod ours;
mod oxicuda;
mod page;
#[cfg(feature = "plot")]
mod plot;
#[cfg(feature = "plot")]
mod report;
mod rustacuda;
#[cfg(feature = "runtime")]
mod singe;
mod threads;
mod timing;

use bench::Candidate;
use cuscope::{Context, ContextStack, Device};
use serde_json::{Map, Value, json};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *words {
        #[cfg(feature = "plot")]
        ["report", ref paths @ ..] => report::write(paths),
        #[cfg(feature = "plot")]
        ["steps", page, ref times @ ..] => report::steps(page, times),
        ["page", counted, page] => page::check(counted, page),
        ["count"] => measure(|candidates, settle| {
            let mut all = Map::new();
            for candidate in candidates.iter().filter(|candidate| candidate.name() != c::AGAIN) {
                all.insert(candidate.name().into(), calls::of(*candidate, settle));
            }
            Value::Object(all)
        }),
        ["time"] => times(1, ""),
        ["time", share] => times(share.parse().expect("a number"), ""),
        ["time", share, only] => times(share.parse().expect("a number"), only),
        _ => panic!("count, time, report, steps or page"),
    }
}

fn times(share: usize, only: &str) {
    measure(|candidates, settle| timing::of(candidates, settle, share, only));
}

/// Makes all candidates ready in the one primary context, and prints what is measured.
fn measure(of: impl Fn(&[&dyn Candidate], &dyn Fn()) -> Value) {
    // Or those who wait for a thread would wait for ever.
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        print(info);
        std::process::exit(101)
    }));
    let without = std::env::var("PEERS_WITHOUT").unwrap_or_default();
    let without = |name: &str| without.split(',').any(|other| other == name);
    let device = Device::get(0).unwrap();
    let context = Context::primary(device).unwrap();
    let raw = context.raw();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();

    // Those whose calls change what is current are put right after each measurement.
    let settle = || {
        c::driver!(cuCtxSetCurrent(raw));
        c::driver!(cuCtxSynchronize());
    };
    type Make<'m> = Box<dyn FnOnce() -> Box<dyn Candidate + 'm> + 'm>;
    let gpu = &gpu;
    let mut all: Vec<(&str, Make<'_>)> = vec![
        ("C", Box::new(move || Box::new(c::C::new("C")))),
        ("C", Box::new(move || Box::new(c::C::new(c::AGAIN)))),
        ("cuscope", Box::new(move || Box::new(ours::Cuscope::new(gpu)))),
        ("cuscope", Box::new(move || Box::new(ours::Scoped(ours::Cuscope::new(gpu))))),
        ("cust", Box::new(move || Box::new(cust::Cust::new()))),
        ("RustaCUDA", Box::new(move || Box::new(rustacuda::RustaCuda::new()))),
        ("cudarc", Box::new(move || Box::new(cudarc::Cudarc::new(cudarc::Mode::Default)))),
        ("cudarc", Box::new(move || Box::new(cudarc::Cudarc::new(cudarc::Mode::Tracked)))),
        ("cudarc", Box::new(move || Box::new(cudarc::Cudarc::new(cudarc::Mode::Untracked)))),
        #[cfg(feature = "bindgen")]
        ("cuda-core", Box::new(move || Box::new(cuda_core::CudaCore::new()))),
        ("oxicuda", Box::new(move || Box::new(oxicuda::OxiCuda::new()))),
        #[cfg(feature = "runtime")]
        ("singe-cuda", Box::new(move || Box::new(singe::Singe::new()))),
    ];
    // What the driver makes for each depends on which is first.
    let first = std::env::var("PEERS_FIRST").map_or(0, |first| first.parse().expect("a number"));
    let count = all.len();
    all.rotate_left(first % count);
    let mut candidates = Vec::new();
    for (name, make) in all {
        if !without(name) {
            candidates.push(make());
            settle();
        }
    }
    let candidates: Vec<&dyn Candidate> = candidates.iter().map(|candidate| &**candidate).collect();
    let measured = of(&candidates, &settle);
    let machine = json!({
        "device": device.name().unwrap(),
        "driver": cuscope::driver_version().unwrap().to_string(),
        "processor": processor(),
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
    });
    println!(
        "{}",
        serde_json::to_string_pretty(&json!({ "machine": machine, "measured": measured })).unwrap()
    );
    // The other crates would destroy in an order of their own.
    std::process::exit(0)
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split(": ").nth(1)).unwrap_or("?").into()
}
