//! The driver calls of an operation, as `shim/` sees them.

use crate::bench::{Candidate, OPERATIONS, Run};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;

/// What the shim offers beside the driver's functions.
struct Shim {
    begin: unsafe extern "C" fn(),
    /// Calls since `begin`.
    count: unsafe extern "C" fn() -> usize,
    name: unsafe extern "C" fn(usize) -> *const c_char,
}

impl Shim {
    fn find() -> Option<Shim> {
        let find = |name: &CStr| {
            // SAFETY: a string that ends in zero.
            let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            (!found.is_null()).then_some(found)
        };
        let (begin, count, name) =
            (find(c"counted_begin")?, find(c"counted")?, find(c"counted_name")?);
        Some(Shim {
            // SAFETY: the type that shim.c defines it with.
            begin: unsafe { transmute::<*mut c_void, unsafe extern "C" fn()>(begin) },
            // SAFETY: the same.
            count: unsafe { transmute::<*mut c_void, unsafe extern "C" fn() -> usize>(count) },
            // SAFETY: the same.
            name: unsafe {
                transmute::<*mut c_void, unsafe extern "C" fn(usize) -> *const c_char>(name)
            },
        })
    }

    /// How often each function is called while an operation is done so many times.
    fn of(&self, run: &mut Run<'_>, n: u64) -> BTreeMap<String, i64> {
        // SAFETY: it asks for nothing.
        unsafe { (self.begin)() };
        run(n);
        // SAFETY: it asks for nothing.
        let count = unsafe { (self.count)() };
        let mut calls = BTreeMap::new();
        for at in 0..count {
            // SAFETY: there are so many.
            let name = unsafe { (self.name)(at) };
            // SAFETY: a string that ends in zero, and is constant.
            let name = unsafe { CStr::from_ptr(name) }.to_str().unwrap();
            // The versions of a function are one.
            let name =
                name.trim_end_matches("_ptsz").trim_end_matches(|c: char| c.is_ascii_digit());
            let name = name.strip_suffix("_v").unwrap_or(name);
            *calls.entry(name.to_string()).or_default() += 1;
        }
        calls
    }
}

/// The calls of each operation of a candidate: what three make more than two.
pub fn of(candidate: &dyn Candidate, settle: &dyn Fn()) -> Value {
    let shim = Shim::find().expect("run this with the shim as libcuda.so.1: see run.sh");
    let mut rows = Map::new();
    // The calls depend neither on the size nor on the threads.
    let once = |name: &str| {
        !["KiB", "MiB", "threads", "registered"].iter().any(|part| name.contains(part))
    };
    for operation in OPERATIONS.iter().filter(|operation| once(operation.name)) {
        let value = match candidate.operation(operation.name) {
            Err(why) => json!({ "none": why }),
            Ok(mut run) => {
                run(2); // whatever is made once
                settle();
                let (two, mut calls) = (shim.of(&mut run, 2), shim.of(&mut run, 3));
                settle();
                for (name, count) in two {
                    *calls.entry(name).or_default() -= count;
                }
                calls.retain(|_, count| *count != 0);
                json!({ "total": calls.values().sum::<i64>(), "calls": calls })
            }
        };
        settle(); // some leave a context current that they have destroyed
        rows.insert(operation.name.into(), value);
    }
    Value::Object(rows)
}
