//! How fast the interpreter is. Numbers of one machine, which nothing asserts:
//! `cargo test -p cuscope-softdriver --lib speed -- --ignored --nocapture`.

use std::time::Instant;

use super::device::{Loaded, params, source};

/// The number of instructions of a loop's turn, as threads make them.
fn rate(name: &str, body: &str, instructions: u64) {
    let turns = 20_000u64;
    let loaded = Loaded::new(&source(&format!(
        "mov.u32 %r9, 0; mov.f32 %f1, 0f3f800000; mov.f64 %fd1, 0d3ff0000000000000;\n\
         mov.u32 %r1, %r0; mov.u32 %r2, 3; cvt.u64.u32 %rd2, %r0; mov.b16 %rs1, 0x3c00;\n\
         LOOP:\n{body}\nadd.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, {turns}; @%p1 bra LOOP;\n\
         st.global.u32 [%lane], %r1;"
    )));
    let out = loaded.device.room(4096);
    let start = Instant::now();
    loaded.launch_on(1, "test", [1, 1, 1], [128, 1, 1], params![out]).unwrap();
    let made = (instructions + 3) * turns * 128;
    let rate = made as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("{name}: {rate:.0} million instructions a second");
}

#[test]
#[ignore = "a measurement"]
fn instructions_a_second_on_one_core() {
    rate("mad.lo.u32", &"mad.lo.u32 %r1, %r1, %r2, %r0;\n".repeat(20), 20);
    rate("add.u64", &"add.u64 %rd2, %rd2, %rd2;\n".repeat(20), 20);
    rate("fma.rn.f32", &"fma.rn.f32 %f1, %f1, %f1, %f1;\n".repeat(20), 20);
    rate("fma.rn.f64", &"fma.rn.f64 %fd1, %fd1, %fd1, %fd1;\n".repeat(20), 20);
    rate("add.f32", &"add.f32 %f1, %f1, %f1;\n".repeat(20), 20);
    rate("fma.rn.f16x2", &"fma.rn.f16x2 %r1, %r1, %r1, %r1;\n".repeat(20), 20);
    rate(
        "setp and selp",
        &"setp.lt.u32 %p2, %r1, %r2; selp.u32 %r1, %r2, %r1, %p2;\n".repeat(10),
        20,
    );
    rate("ld.global.u32", &"ld.global.u32 %r1, [%lane];\n".repeat(20), 20);
    rate("st.global.u32", &"st.global.u32 [%lane], %r1;\n".repeat(20), 20);
    rate("branches", "@%p1 bra A; A: @!%p1 bra B; B: bra C; C:", 3);
}

#[test]
#[ignore = "a measurement"]
fn saxpy_of_a_million_elements() {
    let mut loaded = Loaded::new(include_str!("../../../softdriver/tests/kernels/saxpy.ptx"));
    loaded.most_steps = u64::MAX;
    let n = 1_000_000u32;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (px, py) = (loaded.device.put(&x), loaded.device.put(&x));
    for workers in [1, 2] {
        let start = Instant::now();
        let values = params![n, 2f32, px, py];
        loaded.launch_on(workers, "saxpy", [n.div_ceil(256), 1, 1], [256, 1, 1], values).unwrap();
        println!("saxpy with {workers} threads: {:?}", start.elapsed());
    }
}
