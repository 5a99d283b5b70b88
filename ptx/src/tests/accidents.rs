//! Reports of faults, launches that go on without the access, and loads past the end of memory.

use super::super::run::{Accident, BadAccess, Does, Fault, Place};
use super::super::{Module, SourceLine};
use super::device::{Loaded, START, params, source};

/// Returns the report of a body's fault: lines count from its first one.
fn accident(body: &str, fault: Fault) -> Accident {
    let loaded = Loaded::new(&source(body));
    let out = loaded.device.room(64);
    let made = loaded.launch("test", [3, 1, 1], [64, 1, 1], 16, params![out]);
    assert_eq!(made, Err(fault), "{body}");
    assert!(*loaded.device.steps.lock().unwrap() > 0, "{body}");
    let accident = loaded.device.accident.lock().unwrap().take().unwrap();
    assert_eq!(accident.fault, fault);
    Accident { line: accident.line - 15, ..accident }
}

#[test]
fn an_access_that_faults_is_told() {
    use Does::{Read, Update, Write};
    use Fault::{IllegalAddress, MisalignedAddress};
    use Place::{Global, Local, Param, Shared};
    let of =
        |does, place, bytes, address| Some(BadAccess { does: Some(does), place, bytes, address });
    let end = START + (64 << 20);
    for (body, fault, access, line, thread) in [
        ("ld.shared.u32 %r1, [%r0];", MisalignedAddress, of(Read, Shared, 4, 1), 1, 1),
        (
            "\nshl.b32 %r1, %r0, 2;\nst.shared.u32 [%r1], %r1;",
            IllegalAddress,
            of(Write, Shared, 4, 16),
            3,
            4,
        ),
        ("st.local.v2.u32 [%rd0+4], {%r0, %r0};", MisalignedAddress, of(Write, Local, 8, 4), 1, 0),
        ("ld.local.u16 %r1, [%rd0+1048576];", IllegalAddress, of(Read, Local, 2, 1 << 20), 1, 0),
        (
            "cvta.local.u64 %rd1, %rd0;\nst.u8 [%rd1+4096], %r0;",
            IllegalAddress,
            of(Write, Local, 1, 0x0200_1000),
            2,
            0,
        ),
        (
            "cvta.shared.u64 %rd1, 14;\nld.v2.u16 {%rs1, %rs2}, [%rd1];",
            MisalignedAddress,
            of(Read, Shared, 4, 0x0100_000e),
            2,
            0,
        ),
        (
            "mov.b64 %rd1, out; cvta.param.u64 %rd1, %rd1;\nst.u32 [%rd1], 1;",
            IllegalAddress,
            of(Write, Param, 4, 0x0300_0210),
            2,
            0,
        ),
        ("ld.global.u32 %r1, [%rd0+4];", IllegalAddress, of(Read, Global, 4, 4), 1, 0),
        ("ld.u32 %r1, [%rd0+4];", IllegalAddress, of(Read, Global, 4, 4), 1, 0),
        ("red.global.add.u32 [%out+2], 1;", MisalignedAddress, None, 1, 0),
        (
            "setp.ne.u32 %p1, %r0, 37;\n@%p1 ret;\natom.shared.add.u32 %r1, [%r0+27], 1;",
            IllegalAddress,
            of(Update, Shared, 4, 64),
            3,
            37,
        ),
    ] {
        let found = accident(body, fault);
        let wanted = match access {
            None => of(Update, Global, 4, found.access.unwrap().address),
            access => access,
        };
        assert_eq!((found.access, found.line), (wanted, line), "{body}");
        assert_eq!((found.block[0] < 3, found.thread), (true, [thread, 0, 0]), "{body}");
    }
    let body = format!("mov.u64 %rd1, {};\nst.global.u32 [%rd1], 1;", end - 2);
    assert_eq!(accident(&body, MisalignedAddress).access, of(Write, Global, 4, end - 2));
}

#[test]
fn a_fault_without_an_access_tells_its_instruction() {
    let found =
        accident("mov.u32 %r1, 1;\n@%p1 trap;\nsetp.eq.u32 %p2, %r0, 40;\n@%p2 trap;", Fault::Trap);
    // The lanes of the warp are at it together.
    assert_eq!((found.access, found.line, found.thread), (None, 4, [32, 0, 0]));
}

#[test]
fn a_launch_goes_on_without_the_accesses_that_fault() {
    // Each thread reads its word of shared memory, of which there are 4, and adds one to it. The address is in the register
    // that the load writes. A guard lets no thread read that would be the first to miss.
    let body = "shl.b32 %r1, %r0, 2;\nmov.u32 %r2, %r1;\nsetp.ne.u32 %p1, %r0, 4;
        st.shared.u32 [%r1], %r0;\n@%p1 ld.shared.u32 %r2, [%r2];\nadd.u32 %r2, %r2, 1;
        atom.shared.add.u32 %r3, [%r1], 5;\nmad.lo.u32 %r2, %r3, 100, %r2;\nst.global.u32 [%lane], %r2;";
    let launch = |most: usize, threads: u32| {
        let loaded = Loaded::new(&source(body));
        loaded.device.left_out.lock().unwrap().1 = most;
        let out = loaded.device.room(4 * threads as usize);
        let made = loaded.launch("test", [1, 1, 1], [threads, 1, 1], 16, params![out]);
        let left_out = loaded.device.left_out.lock().unwrap().0.clone();
        (made, left_out, loaded.device.get::<u32>(out, threads as usize))
    };
    for threads in [8, 32] {
        let (made, left_out, words) = launch(1000, threads);
        assert_eq!(made, Ok(()));
        // What was left out is told for each thread. It gives 0.
        let of = |line: u32| left_out.iter().filter(move |one| one.line == 15 + line);
        let lanes: Vec<_> = of(4).map(|one| one.thread[0]).collect();
        assert_eq!(lanes, (4..threads).collect::<Vec<_>>());
        assert_eq!([of(5).count(), of(7).count()], [lanes.len() - 1, lanes.len()]);
        let access = of(7).next_back().unwrap().access.unwrap();
        assert_eq!((access.does, access.address), (Some(Does::Update), u64::from(4 * threads - 4)));
        let word = |thread| match thread {
            0..4 => 100 * thread + thread + 1,
            4 => 16 + 1,
            _ => 1,
        };
        assert_eq!(words, (0..threads).map(word).collect::<Vec<_>>());
    }
    // Of 4 threads none misses; the first that may not be left out ends the launch; and so does what is no access.
    assert_eq!(launch(1000, 4).1, []);
    let (made, left_out, _) = launch(3, 8);
    assert_eq!((made, left_out.len()), (Err(Fault::IllegalAddress), 4));
    let loaded = Loaded::new(&source("trap;"));
    loaded.device.left_out.lock().unwrap().1 = 1;
    let made = loaded.launch("test", [1, 1, 1], [1, 1, 1], 0, params![0_u64]);
    assert_eq!((made, loaded.device.left_out.lock().unwrap().0.len()), (Err(Fault::Trap), 0));
}

#[test]
fn the_lines_of_the_program_are_told() {
    let text = source(
        ".loc 1 7 3\nadd.u32 %r1, %r0, 1;\n\
         .loc 2 9 5, function_name $L__info, inlined_at 1 8 3\nadd.u32 %r1, %r0, 1; // .loc 1 1 1\n\
         .loc 2 0 5\nadd.u32 %r1, %r0, 1;\n.loc 3 2 2\nadd.u32 %r1, %r0, 1;\n\
         .loc 1 5 1\nadd.u32 %r1, %r0, 1;",
    );
    let text = text
        + ".visible .entry other()\n{\nret;\n}\n\
        .file 1 \"/src/main.cu\"\n.file 2 \"/src/part.h\", 1700000000, 52\n\
        .section .debug_str\n{\n$L__info:\n.b8 95,90,0\n}\n";
    let module = Module::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let line = |file: &str, line| SourceLine { file: file.to_owned(), line };
    let main = vec![line("/src/main.cu", 7)];
    for (number, lines) in [
        (1, vec![]),
        (15, vec![]),
        (16, main.clone()),
        (17, main),
        (19, vec![line("/src/part.h", 9), line("/src/main.cu", 8)]),
        // The compiler names no line, no such file, and another function.
        (21, vec![]),
        (23, vec![]),
        (26, vec![line("/src/main.cu", 5)]),
        (30, vec![]),
    ] {
        assert_eq!(module.source(number), lines, "line {number}: {:?}", module.line(number));
    }
}

#[test]
fn vectors_are_read_past_the_end_of_memory() {
    let end = START + (64 << 20);
    // The last words of memory are 12 bytes: the device ends there, and a vector at a multiple of 16 goes on.
    let run = |body: &str| {
        let mut loaded = Loaded::new(&source(body));
        loaded.device.shorten(4);
        let out = loaded.device.room(16);
        loaded
            .launch("test", [1, 1, 1], [1, 1, 1], 0, params![out])
            .map(|()| loaded.device.get::<u32>(out, 4))
    };
    let at = format!("mov.u64 %rd1, {}; mov.u32 %r9, 5; st.global.u32 [%rd1+8], %r9;", end - 16);
    let load = "mov.u32 %r4, 9; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
        st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};";
    assert_eq!(run(&format!("{at}{load}")).unwrap(), [0, 0, 5, 0]);
    let load = load.replace("ld.global", "ld");
    assert_eq!(run(&format!("{at}{load}")).unwrap(), [0, 0, 5, 0]);
    let none = [
        // The first element is not there; a single one is not; it is written.
        format!("mov.u64 %rd1, {end}; {load}"),
        format!("{at} ld.global.u32 %r1, [%rd1+12];"),
        format!("{at} st.global.v4.u32 [%rd1], {{%r1, %r1, %r1, %r1}};"),
    ];
    for body in none {
        assert_eq!(run(&body), Err(Fault::IllegalAddress), "{body}");
    }
}
