//! The text that a kernel prints is on the standard output of the process.

use super::{ARCHITECTURES, run};
use crate::common::gpu::with_stream;
use crate::{common, skip};
use cuscope::LaunchConfig;

#[test]
fn a_kernel_prints() {
    let Some(folder) = run::folder() else {
        skip!("no PTX: run .ci/kernels and set CUSCOPE_KERNELS to what it prints");
    };
    const THREADS: u32 = 4;
    const WORDS: [u32; 4] = [0, 0xabc, 0xffff_ffff, 0x1234_5678];
    if let Some(output) = common::respawn(module_path!(), "a_kernel_prints") {
        common::assert_success("a_kernel_prints", &output);
        let text = String::from_utf8_lossy(&output.stdout);
        let mut expected = String::new();
        for turn in 0..THREADS {
            let kind = if turn % 2 == 1 { "odd" } else { "even" };
            let letter = char::from(b'a' + turn as u8);
            expected += &format!(
                "thread {turn} of {THREADS}: {:08x} {kind} {:5.2}% {letter} {}\n",
                WORDS[turn as usize],
                f64::from(turn) * 1.25,
                -1_234_567_890_123 * i64::from(turn)
            );
        }
        expected += "no argument\n";
        let found = text.matches(&expected).count();
        assert_eq!(found, ARCHITECTURES.len(), "expected\n{expected}and the output is\n{text}");
        return;
    }
    for architecture in ARCHITECTURES {
        with_stream(|gpu, stream| {
            let on = gpu.on(&stream);
            let print = gpu
                .load_ptx_file(folder.join(architecture).join("print.ptx"))
                .unwrap_or_else(|error| panic!("{architecture}: {error}"))
                .function("print")
                .unwrap();
            let input = on.from_slice(&WORDS).unwrap();
            let mut out = on.zeroed::<i32>(WORDS.len()).unwrap();
            let config = LaunchConfig::new(1, THREADS);
            // SAFETY: print(const unsigned *in, int *out, unsigned n), an element a thread.
            unsafe { on.launch_unchecked(&print, config, (&input, &mut out, THREADS)) }.unwrap();
            // As many as there are arguments.
            assert_eq!(on.to_vec(&out).unwrap(), [7; 4]);
        });
    }
}
