//! Hands on which driver the raw crate is linked with, as `cfg(cuda_driver)` for src, tests and examples.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(cuda_driver, values(\"native\", \"software\"))");
    match std::env::var("DEP_CUSCOPE_CUDA_DRIVER") {
        Ok(driver) => println!("cargo::rustc-cfg=cuda_driver=\"{driver}\""),
        Err(_) => println!("cargo::error=cuscope-sys did not say which driver it is linked with"),
    }
}
