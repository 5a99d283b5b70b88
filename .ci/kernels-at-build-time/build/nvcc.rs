//! Compiles the kernels by nvcc.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::{env, io};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=kernels");
    println!("cargo::rerun-if-env-changed=CUDA_PATH");
    if let Err(error) = compile("kernels/saxpy.cu", "saxpy.ptx") {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
        process::exit(1);
    }
}

/// Compiles a source to a file in `OUT_DIR`.
fn compile(source: &str, ptx: &str) -> Result<(), Box<dyn Error>> {
    // the toolkit that a variable names, or else what is on the path
    let toolkit = env::var_os("CUDA_PATH").filter(|value| !value.is_empty());
    let nvcc = toolkit.map_or("nvcc".into(), |root| PathBuf::from(root).join("bin/nvcc"));
    let folder = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR for build scripts")?;
    let output = Command::new(&nvcc)
        .args(["--ptx", "--gpu-architecture=compute_80", "--output-file"])
        .arg(Path::new(&folder).join(ptx))
        .arg(source)
        .output()
        .map_err(|error| missing(&nvcc, &error))?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{} failed: {}\n{log}", nvcc.display(), output.status).into());
    }
    for line in log.lines() {
        println!("cargo::warning={line}");
    }
    Ok(())
}

fn missing(nvcc: &Path, error: &io::Error) -> String {
    format!(
        "{}: {error}; install nvcc of the CUDA toolkit, and set CUDA_PATH to the toolkit's root",
        nvcc.display()
    )
}
