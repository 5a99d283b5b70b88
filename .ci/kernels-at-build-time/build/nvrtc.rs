//! Compiles the kernels by NVRTC.

use cuscope_nvrtc::{Arch, CompileOptions, Program};
use std::error::Error;
use std::path::Path;
use std::{env, fs, process};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=kernels");
    if let Err(error) = compile("kernels/saxpy.cu", "saxpy.ptx") {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
        process::exit(1);
    }
}

/// Compiles a source to a file in `OUT_DIR`.
fn compile(source: &str, ptx: &str) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(source).map_err(|error| format!("{source}: {error}"))?;
    let options = CompileOptions::new().arch(Arch::compute(80));
    let compiled = Program::new(source, text).compile(&options)?;
    for line in compiled.log().text().lines() {
        println!("cargo::warning={line}");
    }
    let folder = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR for build scripts")?;
    fs::write(Path::new(&folder).join(ptx), compiled.ptx()?.as_bytes())?;
    Ok(())
}
