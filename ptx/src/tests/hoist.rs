//! Values that are computed once a launch, and registers that begin as 0.

use super::super::Module;
use super::device::{Loaded, params};

/// A kernel of a body; `%n` and `%out` are its parameters.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry test(.param .u64 out, .param .u32 n)\n{{\n\
         .reg .pred %p<5>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .b32 %n;\n.reg .b64 %out;\n\
         ld.param.u64 %out, [out];\nld.param.u32 %n, [n];\n{body}\nret;\n}}\n"
    )
}

/// The instructions that are done once a launch, and in each block.
fn counts(body: &str) -> (usize, usize) {
    let module = Module::parse(&kernel(body)).unwrap();
    (module.kernels[0].once.len(), module.kernels[0].code.len())
}

/// The words that 64 blocks of a warp leave, of which one thread of the host runs all.
fn words(body: &str, n: u32) -> Vec<u32> {
    let loaded = Loaded::new(&kernel(body));
    let out = loaded.device.room(64 * 32 * 4);
    loaded.launch_on(1, "test", [64, 1, 1], [32, 1, 1], params![out, n]).unwrap();
    loaded.device.get(out, 64 * 32)
}

/// `%rd1` becomes the thread's place, after which `%r2` goes there.
const STORE: &str = "mov.u32 %r15, %ctaid.x; mad.lo.u32 %r16, %r15, 32, %r14;\n\
                     mad.wide.u32 %rd1, %r16, 4, %out; st.global.u32 [%rd1], %r2;";

#[test]
fn values_that_all_blocks_share_are_computed_once() {
    let body = format!(
        "mov.u32 %r14, %tid.x; mul.lo.u32 %r1, %r14, %n; mov.u32 %r4, %ctaid.x;\n\
         add.u32 %r2, %r1, %r4; {STORE}"
    );
    // The parameters, `%tid.x`, and the product.
    assert_eq!(counts(&body).0, 4);
    for (at, word) in (0..).zip(words(&body, 7)) {
        assert_eq!(word, at % 32 * 7 + at / 32);
    }
}

#[test]
fn branches_lead_to_where_their_targets_are() {
    // Each label stands at what is computed once, and the loop goes over it.
    let body = format!(
        "mov.u32 %r2, 0; mov.u32 %r5, 0;\n\
         LOOP: mov.u32 %r14, %tid.x; mov.u32 %r6, %ctaid.x; add.u32 %r2, %r2, %r6;\n\
         add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %n; @%p1 bra LOOP;\n\
         setp.gt.u32 %p2, %r14, 15; @%p2 bra HIGH; bra END;\n\
         HIGH: add.u32 %r7, %r14, %n; add.u32 %r2, %r2, %r7;\n\
         END: add.u32 %r8, %n, 1; {STORE}"
    );
    for (at, word) in (0..).zip(words(&body, 3)) {
        let (lane, block) = (at % 32, at / 32);
        let expected = 3 * block + if lane > 15 { lane + 3 } else { 0 };
        assert_eq!(word, expected);
    }
}

#[test]
fn a_register_that_may_be_read_first_is_0_in_each_block() {
    let tid = "mov.u32 %r14, %tid.x;";
    for (before, expected) in [
        // Read before any write, in each block anew.
        ("add.u32 %r2, %r3, 1; mov.u32 %r3, 9;", 1),
        // Written under a guard that never holds.
        ("setp.eq.u32 %p1, %r14, 99; @%p1 mov.u32 %r3, 5; mov.u32 %r2, %r3; mov.u32 %r3, 9;", 0),
        // Written on one of two ways, which only blocks other than the last take.
        (
            "mov.u32 %r4, %ctaid.x; setp.eq.u32 %p1, %r4, 63; @%p1 bra OVER;\n\
             mov.u32 %r3, 0; OVER: mov.u32 %r2, %r3; mov.u32 %r3, 9;",
            0,
        ),
        // A value that is the same in all blocks, but only on one way, and read on both.
        (
            "mov.u32 %r4, %ctaid.x; setp.ne.u32 %p1, %r4, 99; @%p1 bra OVER;\n\
             mov.u32 %r3, %n; OVER: mov.u32 %r2, %r3;",
            0,
        ),
        // A predicate.
        ("selp.u32 %r2, 1, 0, %p3; setp.eq.u32 %p3, %r14, %r14;", 0),
    ] {
        let body = format!("{tid}\n{before}\n{STORE}");
        assert!(words(&body, 3).iter().all(|&word| word == expected), "{before}");
    }
}

#[test]
fn only_registers_that_are_written_once_are_computed_once() {
    let twice = format!(
        "mov.u32 %r14, %tid.x; mov.u32 %r2, %n; mov.u32 %r4, %ctaid.x; setp.lt.u32 %p1, %r4, 5;\n\
         @%p1 bra OVER; mov.u32 %r2, 1; OVER: {STORE}"
    );
    // The parameters and `%tid.x`.
    assert_eq!(counts(&twice).0, 3);
    for (at, word) in (0..).zip(words(&twice, 8)) {
        assert_eq!(word, if at / 32 < 5 { 8 } else { 1 });
    }
    // The clock differs, and so does what depends on it.
    assert_eq!(counts("mov.u32 %r1, %clock; add.u32 %r2, %r1, %n;").0, 2);
    // A kernel with instructions that nobody has told of is left alone.
    let (once, all) = counts("alloca.u64 %rd1, 16;");
    assert_eq!((once, all), (0, 5));
}
