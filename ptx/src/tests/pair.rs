//! Loads from shared memory whose values one `fma` takes, which run as one instruction.

use super::super::code::Op;
use super::device::{Loaded, params, source};

/// Returns the sums that 32 threads store: each has put its number and a half to shared memory, and loads two of these
/// words, at `first` and `second` bytes, which its number is part of.
fn sums(first: &str, second: &str, between: &str, after: &str) -> Vec<f32> {
    let text = format!(
        ".shared .align 4 .b8 words[1024]; mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; add.f32 %f1, %f1, 0f3F000000;
        shl.b32 %r2, %r1, 2; mov.u32 %r3, words; add.u32 %r4, %r3, %r2; st.shared.f32 [%r4], %f1; bar.sync 0;
        {first} add.u32 %r5, %r5, %r3; {second} add.u32 %r6, %r6, %r3;
        mov.f32 %f2, 0f41200000; mov.f32 %f3, %f2; mov.f32 %f4, %f2;
        ld.shared.f32 %f3, [%r5]; ld.shared.f32 %f4, [%r6]; {between} fma.rn.f32 %f2, %f3, %f4, %f2; {after}
        st.global.f32 [%lane], %f2;"
    );
    let loaded = Loaded::new(&source(&text));
    let out = loaded.device.put(&[0u32; 32]);
    loaded.launch("test", [1, 1, 1], [32, 1, 1], 0, params![out]).unwrap();
    loaded.device.get(out, 32).into_iter().map(f32::from_bits).collect()
}

/// Where a word is: what it is called, the instruction that puts its address into R, and the thread whose it is.
type Place = (&'static str, &'static str, fn(usize) -> usize);

/// The address of the thread's own word, of the word of the first thread of its half, of one word, and of each other's.
const PLACES: [Place; 5] = [
    ("own", "mov.u32 R, %r2;", |lane| lane),
    ("half", "and.b32 R, %r2, 64;", |lane| lane & 16),
    ("same", "mov.u32 R, 12;", |_| 3),
    ("back", "sub.u32 R, 124, %r2;", |lane| 31 - lane),
    ("own of a half", "and.b32 R, %r2, 63;", |lane| lane & 15),
];

#[test]
fn two_loads_and_a_sum_give_what_each_gives() {
    for (a, first, x) in PLACES {
        for (b, second, y) in PLACES {
            let (first, second) = (first.replace('R', "%r5"), second.replace('R', "%r6"));
            let sum = |lane: usize, c: f32| (x(lane) as f32 + 0.5).mul_add(y(lane) as f32 + 0.5, c);
            let expected: Vec<f32> = (0..32).map(|lane| sum(lane, 10.0)).collect();
            assert_eq!(sums(&first, &second, "", ""), expected, "{a}, {b}");
            // With an instruction in between, they are three.
            assert_eq!(sums(&first, &second, "mov.f32 %f5, %f1;", ""), expected, "{a}, {b}, apart");
            // A value is needed once more.
            let more: Vec<f32> =
                (0..32).map(|lane| sum(lane, 10.0) + x(lane) as f32 + 0.5).collect();
            assert_eq!(
                sums(&first, &second, "", "add.f32 %f2, %f2, %f3;"),
                more,
                "{a}, {b}, again"
            );
            // The addresses change, and so does what is known of them.
            let twice = "add.u32 %r5, %r5, 4; ld.shared.f32 %f3, [%r5+-4]; ld.shared.f32 %f4, [%r6]; fma.rn.f32 %f2, %f3, %f4, %f2;";
            let again: Vec<f32> = (0..32).map(|lane| sum(lane, sum(lane, 10.0))).collect();
            assert_eq!(sums(&first, &second, "", twice), again, "{a}, {b}, twice");
        }
    }
}

#[test]
fn a_part_of_a_warp_loads_its_words_alone() {
    let text =
        "setp.lt.u32 %p1, %r1, 7; @%p1 bra L; ld.shared.f32 %f3, [%r5]; ld.shared.f32 %f4, [%r6];
        fma.rn.f32 %f2, %f3, %f4, %f2; L:";
    let own = |lane: usize| lane as f32 + 0.5;
    let expected: Vec<f32> = (0..32)
        .map(|lane| {
            let once = own(lane).mul_add(own(31 - lane), 10.0);
            if lane < 7 { once } else { own(lane).mul_add(own(31 - lane), once) }
        })
        .collect();
    assert_eq!(sums("mov.u32 %r5, %r2;", "sub.u32 %r6, 124, %r2;", "", text), expected);
}

#[test]
fn pairs_outside_of_shared_memory_fault_as_each_load_does() {
    for (first, second) in
        [("2048", "0"), ("0", "2048"), ("1022", "0"), ("2", "0"), ("0", "4294967292")]
    {
        let text = format!(
            ".shared .align 4 .b8 words[1024]; mov.u32 %r1, words; add.u32 %r5, %r1, {first}; add.u32 %r6, %r1, {second};
            mov.f32 %f2, 0f00000000; ld.shared.f32 %f3, [%r5]; ld.shared.f32 %f4, [%r6];
            fma.rn.f32 %f2, %f3, %f4, %f2; st.global.f32 [%out], %f2;"
        );
        let loaded = Loaded::new(&source(&text));
        let out = loaded.device.put(&[0u32]);
        assert!(
            loaded.launch("test", [1, 1, 1], [32, 1, 1], 0, params![out]).is_err(),
            "{first}, {second}"
        );
    }
}

/// `count` pairs, the sum of each of which the next one takes. The first loads at the thread's own word and behind it, the
/// second at a word that its half shares; behind the pair at `apart`, the second goes on at each other's word.
fn chain(count: usize, apart: usize) -> String {
    let pair = |at: usize| {
        let (x, y, c, d) = (4 * at, 4 * (count - at), at, at + 1);
        let second = if at > apart { format!("%r6+{}", y - 4) } else { format!("%r5+{y}") };
        format!(
            "ld.shared.f32 %f3, [%r4+{x}]; ld.shared.f32 %f4, [{second}]; fma.rn.f32 %s{d}, %f4, %f3, %s{c};\n"
        )
    };
    (0..count).map(pair).collect()
}

#[test]
fn a_chain_of_sums_gives_what_each_gives() {
    const MOST: usize = 40;
    for (count, apart, more) in [
        (1, 99, ""),
        (5, 99, ""),
        (16, 99, ""),
        (17, 99, ""),
        (40, 99, ""),
        (20, 7, ""),
        (20, 99, "a"),
    ] {
        // The thread's number and a half, for two warps of words.
        let text = source(&format!(
            ".shared .align 4 .b8 words[1024]; .reg .f32 %s<{}>; mov.u32 %r3, words; cvt.rn.f32.u32 %f1, %r0;
            add.f32 %f1, %f1, 0f3F000000; shl.b32 %r2, %r0, 2; add.u32 %r4, %r3, %r2; st.shared.f32 [%r4], %f1;
            add.f32 %f1, %f1, 0f42000000; st.shared.f32 [%r4+128], %f1; add.f32 %f1, %f1, 0f42000000;
            st.shared.f32 [%r4+256], %f1; bar.sync 0; and.b32 %r5, %r2, 64; add.u32 %r5, %r5, %r3;
            sub.u32 %r6, 128, %r2; add.u32 %r6, %r6, %r3; mov.f32 %s0, 0f41200000;\n{}{}
            st.global.f32 [%lane], %s{count};",
            MOST + 1,
            chain(count, apart),
            if more.is_empty() { "" } else { "st.global.f32 [%lane+128], %s9;" },
        ));
        let loaded = Loaded::new(&text);
        // As many run together as pass their sum on to nothing else.
        let runs = loaded.module.kernels[0].code.iter().filter_map(|instr| match &instr.op {
            Op::Pair(pair) => Some(pair.chain.apart.len()),
            _ => None,
        });
        let ends = [if more.is_empty() { count } else { 9 }, apart + 1, count];
        let left = |at: usize| ends.into_iter().filter(|&end| end > at).min().unwrap() - at;
        let wanted: Vec<_> = (0..count).map(|at| (left(at) - 1) % 16 + 1).collect();
        assert_eq!(runs.collect::<Vec<_>>(), wanted, "{count} {apart} {more}");
        let out = loaded.device.put(&[0u32; 64]);
        loaded.launch("test", [1, 1, 1], [32, 1, 1], 0, params![out]).unwrap();
        let found: Vec<f32> = loaded.device.get(out, 64).into_iter().map(f32::from_bits).collect();
        let word = |at: usize| at as f32 + 0.5;
        let sum = |lane: usize, count_of: usize| {
            (0..count_of).fold(10.0_f32, |sum, at| {
                let second = if at > apart { 32 - lane - 1 } else { lane & 16 } + count - at;
                word(lane + at).mul_add(word(second), sum)
            })
        };
        for lane in 0..32 {
            assert_eq!(found[lane], sum(lane, count), "{count} {apart} {more} {lane}");
            if !more.is_empty() {
                assert_eq!(found[32 + lane], sum(lane, 9), "{lane}");
            }
        }
    }
}
