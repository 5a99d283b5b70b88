//! Broken text of all kinds ends in an error, never in a panic.

use super::super::Module;
use super::device::source;

const KERNELS: [&str; 9] = [
    include_str!("../../../softdriver/tests/kernels/saxpy.ptx"),
    include_str!("../../../softdriver/tests/kernels/globals.ptx"),
    include_str!("../../../softdriver/tests/kernels/branches.ptx"),
    include_str!("../../../softdriver/tests/kernels/structs.ptx"),
    include_str!("../../../softdriver/tests/kernels/warp_sum.ptx"),
    include_str!("../../../softdriver/tests/kernels/reduce.ptx"),
    include_str!("../../../softdriver/tests/kernels/clock.ptx"),
    include_str!("../../../softdriver/tests/kernels/matmul.ptx"),
    include_str!("../../../softdriver/tests/kernels/trap.ptx"),
];

#[test]
fn truncated() {
    for ptx in KERNELS {
        for end in (0..ptx.len()).step_by(7) {
            let _ = Module::parse(&ptx[..end]);
        }
    }
}

#[test]
fn mutated() {
    let mut state = 88_172_645_463_325_252u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ";",
        ",",
        "|",
        "!",
        "@",
        "-",
        "+",
        "%r1",
        "%p1",
        "_",
        "0",
        "99999999999999999999",
        "18446744073709551615",
        "-9223372036854775808",
        "0f3F800000",
        ".v4",
        ".u8",
        ".s64",
        ".f64",
        ".pred",
        "<4294967295>",
        ":",
        "\"",
        "\0",
        "é",
        "ret",
        "call",
        ".shared",
        ".param",
        ".reg",
        ".align 0",
        "%tid.x",
        "//",
        "/*",
        "1e999",
        "0x",
        "bra",
    ];
    for ptx in KERNELS {
        let words: Vec<&str> = ptx.split_inclusive([' ', '\n', '\t', ',', ';', '.']).collect();
        for _ in 0..150 {
            let mut changed = words.clone();
            for _ in 0..1 + random(3) {
                let at = random(changed.len());
                match random(4) {
                    0 => changed[at] = pieces[random(pieces.len())],
                    1 => changed.insert(at, pieces[random(pieces.len())]),
                    2 => changed[at] = words[random(words.len())],
                    _ => {
                        changed.remove(at);
                    }
                }
            }
            let _ = Module::parse(&changed.concat());
        }
    }
}

#[test]
fn large() {
    let deep = format!("{}{}", "{".repeat(100_000), "}".repeat(100_000));
    assert!(Module::parse(&source(&deep)).is_err());
    let brackets = format!("mov.u32 %r1, {};", "[".repeat(100_000));
    assert!(Module::parse(&source(&brackets)).is_err());
    let initialiser = format!(".global .u32 x = {};", "{".repeat(100_000));
    assert!(Module::parse(&format!(".version 8.0\n.target sm_80\n{initialiser}")).is_err());
    // Registers that are declared but not used cost nothing.
    let many = ".reg .b32 %many<18446744073709551615>;\nmov.u32 %many4000000000, 1;";
    assert!(Module::parse(&source(many)).is_ok());
    let global = ".version 8.0\n.target sm_80\n.global .b8 x[1000000000000];";
    assert_eq!(Module::parse(global).unwrap().globals[0].size, 1_000_000_000_000);
}
