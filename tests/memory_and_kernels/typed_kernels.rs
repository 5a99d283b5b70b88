//! A kernel whose signature is not its own is refused when it is looked up, and no launch happens.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common;
use crate::common::gpu::with_stream;
use bytemuck::{Pod, Zeroable};
use cuscope::{
    Detached, Error, In, Kernel, LaunchConfig, Library, Module, Out, Ptx, PushedGuard, Result,
    Stream, Value,
    kernel::{Checked, SignatureProblem},
};

const PTX: &str = include_str!("../code/signatures.ptx");

/// As in the source, with its padding spelt out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Particle {
    x: f32,
    _pad: u32,
    mass: f64,
    id: i32,
    _pad2: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Pair {
    a: f32,
    b: f32,
}
/// Without the padding.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Tight {
    x: f32,
    mass: [f32; 2],
    id: i32,
}
/// Of the right size, aligned to 4 where the kernel's is aligned to 8.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Loose([u32; 6]);
/// One field too many.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Wide {
    particle: Particle,
    more: f64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Triple {
    pair: Pair,
    c: f32,
}
/// Of the right size, aligned to 8 where the kernel's is aligned to 4.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Double(f64);

/// Runs a test under a guard of a new context, with a stream and the kernels of the source.
fn with_module(test: impl for<'ctx> FnOnce(&PushedGuard<'ctx>, Stream<'ctx>, Module<'ctx>)) {
    with_stream(|gpu, stream| test(gpu, stream, gpu.load_ptx(PTX).unwrap()));
}

/// A mistake in a signature.
#[derive(Debug, PartialEq)]
enum Wrong {
    Few,
    Many,
    Layout,
    Type,
}

fn wrong(error: &Error) -> (usize, Wrong) {
    let Error::Signature(error) = error else { panic!("no error of a signature: {error}") };
    let wrong = match error.problem() {
        SignatureProblem::TooFew { .. } => Wrong::Few,
        SignatureProblem::TooMany { .. } => Wrong::Many,
        SignatureProblem::Layout { .. } => Wrong::Layout,
        SignatureProblem::Type { .. } => Wrong::Type,
        other => panic!("{other:?}"),
    };
    (error.index(), wrong)
}

#[test]
fn no_wrong_argument_list_reaches_the_launch() {
    with_module(|gpu, stream, module| {
        let (x, mut y) =
            (gpu.on(&stream).zeroed::<f32>(4).unwrap(), gpu.on(&stream).zeroed::<f32>(4).unwrap());
        let mut d = gpu.on(&stream).zeroed::<f64>(4).unwrap();
        let mut count = 0;
        // Looks up and launches: the launch is not reached.
        macro_rules! refused {
            ($($name:literal ($($sig:ty),*) ($($arg:expr),*): $index:literal $wrong:ident;)*) => { $(
                let attempt = || -> Result {
                    let kernel = module.kernel::<($($sig,)*)>($name)?;
                    // SAFETY: not reached; that is what is tested.
                    unsafe { gpu.on(&stream).launch_unchecked(&kernel, LaunchConfig::new(1, 1), ($($arg,)*)) }
                };
                let (result, calls) = cuscope_softdriver::control::record(attempt);
                let error = result.expect_err(stringify!($name ($($sig),*)));
                assert_eq!(wrong(&error), ($index, Wrong::$wrong), "{error}");
                assert!(error.to_string().contains(&format!("parameter {}", $index)), "{error}");
                assert!(!calls.contains(&"cuLaunchKernel"), "{calls:?}");
                count += 1;
            )* };
        }
        refused! {
            // Too few.
            "saxpy" () (): 0 Few;
            "saxpy" (u32) (4): 1 Few;
            "saxpy" (u32, f32) (4, 2.0): 2 Few;
            "saxpy" (u32, f32, &[f32]) (4, 2.0, &x): 3 Few;
            "particle" () (): 0 Few;
            "particle" (Value<Particle>) (Particle::default()): 1 Few;
            "particle" (Value<Particle>, u8) (Particle::default(), 1): 2 Few;
            "particle" (Value<Particle>, u8, i16) (Particle::default(), 1, 2): 3 Few;
            "count" () (): 0 Few;
            "scaled" (Value<Pair>) (Pair::default()): 1 Few;
            "scaled" (Value<Pair>, &[f32]) (Pair::default(), &x): 2 Few;
            // Too many.
            "saxpy" (u32, f32, &[f32], &mut [f32], u32) (4, 2.0, &x, &mut y, 1): 4 Many;
            "saxpy" (u32, f32, &[f32], &mut [f32], u8) (4, 2.0, &x, &mut y, 1): 4 Many;
            "saxpy" (u32, f32, &[f32], &mut [f32], &[f32]) (4, 2.0, &x, &mut y, &x): 4 Many;
            "count" (&mut [f32], u32) (&mut y, 1): 1 Many;
            "scaled" (Value<Pair>, &[f32], &mut [f32], f32) (Pair::default(), &x, &mut y, 1.0): 3 Many;
            "particle" (Value<Particle>, u8, i16, &mut [f64], u64) (Particle::default(), 1, 2, &mut d, 3): 4 Many;
            // Width.
            "saxpy" (u64, f32, &[f32], &mut [f32]) (4, 2.0, &x, &mut y): 0 Layout;
            "saxpy" (u16, f32, &[f32], &mut [f32]) (4, 2.0, &x, &mut y): 0 Layout;
            "saxpy" (u8, f32, &[f32], &mut [f32]) (4, 2.0, &x, &mut y): 0 Layout;
            "saxpy" (usize, f32, &[f32], &mut [f32]) (4, 2.0, &x, &mut y): 0 Layout;
            "saxpy" (u32, f64, &[f32], &mut [f32]) (4, 2.0, &x, &mut y): 1 Layout;
            "saxpy" (u32, u16, &[f32], &mut [f32]) (4, 2, &x, &mut y): 1 Layout;
            "saxpy" (u32, f32, u32, &mut [f32]) (4, 2.0, 1, &mut y): 2 Layout;
            "saxpy" (u32, f32, &[f32], f32) (4, 2.0, &x, 1.0): 3 Layout;
            "saxpy" (u32, f32, [f32; 4], &mut [f32]) (4, 2.0, [0.0; 4], &mut y): 2 Layout;
            "count" (u32) (1): 0 Layout;
            "count" (bool) (true): 0 Layout;
            "particle" (Value<Particle>, u32, i16, &mut [f64]) (Particle::default(), 1, 2, &mut d): 1 Layout;
            "particle" (Value<Particle>, u8, i32, &mut [f64]) (Particle::default(), 1, 2, &mut d): 2 Layout;
            "particle" (Value<Particle>, u8, u8, &mut [f64]) (Particle::default(), 1, 2, &mut d): 2 Layout;
            // Order of different sizes.
            "saxpy" (&[f32], u32, f32, &mut [f32]) (&x, 4, 2.0, &mut y): 0 Layout;
            "saxpy" (u32, &[f32], f32, &mut [f32]) (4, &x, 2.0, &mut y): 1 Layout;
            "saxpy" (u32, f32, &mut [f32], u32) (4, 2.0, &mut y, 4): 3 Layout;
            "saxpy" (&mut [f32], &[f32], f32, u32) (&mut y, &x, 2.0, 4): 0 Layout;
            "particle" (u8, Value<Particle>, i16, &mut [f64]) (1, Particle::default(), 2, &mut d): 0 Layout;
            "particle" (Value<Particle>, i16, u8, &mut [f64]) (Particle::default(), 2, 1, &mut d): 1 Layout;
            "particle" (Value<Particle>, u8, &mut [f64], i16) (Particle::default(), 1, &mut d, 2): 2 Layout;
            "scaled" (&[f32], &mut [f32], Value<Triple>) (&x, &mut y, Triple::default()): 2 Layout;
            // The layout of structs.
            "particle" (Value<Tight>, u8, i16, &mut [f64]) (Tight::default(), 1, 2, &mut d): 0 Layout;
            "particle" (Value<Wide>, u8, i16, &mut [f64]) (Wide::default(), 1, 2, &mut d): 0 Layout;
            "particle" (Value<Pair>, u8, i16, &mut [f64]) (Pair::default(), 1, 2, &mut d): 0 Layout;
            "particle" (&[f64], u8, i16, &mut [f64]) (&d, 1, 2, &mut gpu.on(&stream).zeroed(1)?): 0 Layout;
            "scaled" (Value<Triple>, &[f32], &mut [f32]) (Triple::default(), &x, &mut y): 0 Layout;
            "scaled" (f32, f32, &[f32], &mut [f32]) (1.0, 2.0, &x, &mut y): 0 Layout;
            "scaled" (Value<Particle>, &[f32], &mut [f32]) (Particle::default(), &x, &mut y): 0 Layout;
            // Of the same size: the PTX text tells integers and floating-point numbers apart.
            "saxpy" (f32, u32, &[f32], &mut [f32]) (2.0, 4, &x, &mut y): 0 Type;
            "saxpy" (u32, i32, &[f32], &mut [f32]) (4, 2, &x, &mut y): 1 Type;
            "saxpy" (u32, f32, f64, &mut [f32]) (4, 2.0, 1.0, &mut y): 2 Type;
            "count" (f64) (1.0): 0 Type;
            // The value of a number is that number.
            "saxpy" (Value<f32>, f32, &[f32], &mut [f32]) (2.0, 2.0, &x, &mut y): 0 Type;
            "saxpy" (u32, Value<u32>, &[f32], &mut [f32]) (4, 2, &x, &mut y): 1 Type;
            "scaled" (&[f32], &[f32], &mut [f32]) (&x, &x, &mut y): 0 Type;
        }
        assert!(count >= 40, "{count}");
        // The process and the context are well.
        let mut counter = gpu.on(&stream).zeroed::<i32>(1).unwrap();
        let kernel = module.kernel::<(&mut [i32],)>("count").unwrap();
        // SAFETY: count(int *): one element, and the module's counter.
        unsafe {
            gpu.on(&stream).launch_unchecked(&kernel, LaunchConfig::new(1, 1), (&mut counter,))
        }
        .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&counter).unwrap(), [7]);
        drop(y);
    });
}

#[test]
fn checks_that_no_driver_can_make_are_stated() {
    with_module(|_, _, module| {
        // Two parameters of one size and type in the wrong order, and the alignment of the first.
        let kernel = module.kernel::<(u32, f32, &mut [f32], &[f32])>("saxpy").unwrap();
        let loose = module.kernel::<(Value<Loose>, u8, i16, &mut [f64])>("particle").unwrap();
        let aligned = module.kernel::<(Value<Double>, &[f32], &mut [f32])>("scaled").unwrap();
        for checked in [kernel.checked(), loose.checked(), aligned.checked()] {
            assert_eq!(checked, Checked::DriverAndPtx);
        }
    });
}

fn bits(values: &[f32]) -> Vec<f32> {
    values.to_vec()
}

#[test]
fn a_typed_kernel_runs_blocking_in_scopes_and_in_graphs() {
    with_module(|gpu, mut stream, module| {
        let saxpy = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy").unwrap();
        let config = LaunchConfig::new(1, 4);
        let on = gpu.on(&stream);
        let mut x = gpu.alloc(4).unwrap();
        let mut y = gpu.on(&stream).zeroed(4).unwrap();
        on.upload(&[1.0_f32, 2.0, 3.0, 4.0], &mut x).unwrap();
        // SAFETY: saxpy(unsigned, float, const float *, float *) over 4 elements.
        unsafe { on.launch_unchecked(&saxpy, config, (4, 2.0, &x, &mut y)) }.unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [2.0, 4.0, 6.0, 8.0]);

        gpu.scope(|s| {
            let stream = s.on(&stream);
            let mut held = s.hold(&mut y);
            // SAFETY: as above.
            unsafe { stream.launch_unchecked(&saxpy, config, (4, 1.0, &x, &mut held)) }?;
            // SAFETY: as above, over the first two elements.
            unsafe { stream.launch_unchecked(&saxpy, config, (2, 1.0, x.slice(1..3)?, &mut held)) }
        })
        .unwrap();
        let expected = bits(&[5.0, 9.0, 9.0, 12.0]);
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), expected);

        let graph = gpu.capture(&mut stream, |c| {
            let stream = c.stream();
            let mut held = c.hold(&mut y);
            // SAFETY: as above.
            unsafe { stream.launch_unchecked(&saxpy, config, (4, 1.0, &x, &mut held)) }
        });
        let graph = graph.unwrap();
        gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [6.0, 11.0, 12.0, 16.0]);
    });
}

#[test]
fn a_struct_by_value_is_passed_as_it_is() {
    with_module(|gpu, stream, module| {
        type Signature = (Value<Particle>, u8, i16, Out<f64>);
        let kernel: Kernel<Signature> = module.kernel("particle").unwrap();
        let mut out = gpu.on(&stream).zeroed(1).unwrap();
        let particle = Particle { x: 2.0, mass: 3.0, id: 40, ..Particle::default() };
        let args = (particle, 5, -1, &mut out);
        // SAFETY: particle(Particle, unsigned char, short, double *): one element.
        unsafe { gpu.on(&stream).launch_unchecked(&kernel, LaunchConfig::new(1, 1), args) }
            .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&out).unwrap(), [2.0 * 3.0 + 40.0 + 5.0 - 1.0]);
        // A kernel outlives its guard, and may be a part of what is detached.
        let kernel: Detached<(Kernel<Signature>, cuscope::Function<'static>)> =
            Detached::new((kernel, module.function("saxpy").unwrap()));
        let (kernel, _) = gpu.bind(&kernel).unwrap();
        let args = (Particle::default(), 1, 1, &mut out);
        // SAFETY: as above.
        unsafe { gpu.on(&stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), args) }.unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&out).unwrap(), [2.0]);
    });
}

#[test]
fn a_kernel_of_a_library_is_compared_too() {
    let library = Library::load(&Ptx::new(PTX).unwrap()).unwrap();
    let saxpy = library.kernel("saxpy").unwrap();
    with_module(|gpu, _, _| {
        let kernel = saxpy.typed::<(u32, f32, &[f32], &mut [f32])>(gpu).unwrap();
        assert_eq!(kernel.checked(), Checked::DriverAndPtx);
        let error = saxpy.typed::<(u32, f64, &[f32], &mut [f32])>(gpu).unwrap_err();
        assert_eq!(wrong(&error), (1, Wrong::Layout));
        assert!(error.to_string().contains("`saxpy`"), "{error}");
    });
}

#[test]
fn a_kernel_in_a_string_is_none_of_the_module() {
    let (head, rest) = PTX.split_at(PTX.find(".visible").or(PTX.find(".global")).unwrap());
    let false_entry = ".entry saxpy(.param .f32 n, .param .u32 a, .param .f64 x, .param .f64 y)";
    let mut texts = vec![
        format!("{head}.pragma \"{false_entry}\";\n{rest}"),
        format!("{head}// {false_entry}\n{rest}"),
        format!("{head}/* {false_entry} */{rest}"),
    ];
    if !common::software() {
        texts.remove(0); // a real compiler refuses pragmas that it does not know
    }
    with_module(|gpu, _, _| {
        for text in texts {
            let module = gpu.load_ptx(&*text).unwrap();
            let saxpy = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy").unwrap();
            assert_ne!(saxpy.checked(), Checked::Unchecked);
            let error = module.kernel::<(f32, u32, &[f32], &mut [f32])>("saxpy").unwrap_err();
            assert_eq!(wrong(&error), (0, Wrong::Type), "{error}");
        }
    });
}

#[test]
fn a_pointer_is_no_value() {
    let text = ".version 8.0\n.target sm_52\n.address_size 64\n\
        .visible .entry k(.param .u64 .ptr .global .align 4 x) { ret; }";
    with_module(|gpu, _, _| {
        let module = gpu.load_ptx(text).unwrap();
        module.kernel::<(&mut [f32],)>("k").unwrap();
        let refused = [
            module.kernel::<(u64,)>("k").map(drop),
            module.kernel::<(Value<u64>,)>("k").map(drop),
            module.kernel::<(Value<Pair>,)>("k").map(drop),
            module.kernel::<([u32; 2],)>("k").map(drop),
        ];
        for refused in refused {
            let error = refused.unwrap_err();
            assert_eq!(wrong(&error), (0, Wrong::Type), "{error}");
        }
    });
    // A struct that has a pointer is declared as bytes, and is one.
    let text = ".version 8.0\n.target sm_52\n.address_size 64\n\
        .visible .entry k(.param .align 8 .b8 x[8]) { ret; }";
    with_module(|gpu, _, _| {
        gpu.load_ptx(text).unwrap().kernel::<(Value<u64>,)>("k").unwrap();
    });
}

/// As a struct keeps it.
struct Kept {
    saxpy: Kernel<(u32, f32, In<f32>, Out<f32>)>,
}

#[test]
fn both_spellings_of_memory_mean_the_same() {
    with_module(|gpu, stream, module| {
        let kept = Kept { saxpy: module.kernel("saxpy").unwrap() };
        let short = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy").unwrap();
        assert_eq!(kept.saxpy.checked(), short.checked());
        let x = gpu.on(&stream).from_slice(&[1.0_f32, 2.0]).unwrap();
        let mut y = gpu.on(&stream).zeroed(2).unwrap();
        let (on, config) = (gpu.on(&stream), LaunchConfig::new(1, 2));
        // SAFETY: saxpy(unsigned n, float a, const float *x, float *y), over 2 elements.
        unsafe { on.launch_unchecked(&kept.saxpy, config, (2, 2.0, &x, &mut y)) }.unwrap();
        // SAFETY: as above.
        unsafe { on.launch_unchecked(&short, config, (2, 2.0, &x, &mut y)) }.unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [4.0, 8.0]);
        let ordered = gpu.ordered_stream().unwrap();
        let (x, mut y) = (ordered.from_slice(&[1.0; 2]).unwrap(), ordered.zeroed(2).unwrap());
        // SAFETY: as above.
        unsafe { ordered.launch_unchecked(&kept.saxpy, config, (2, 2.0, &x, &mut y)) }.unwrap();
        assert_eq!(ordered.to_vec(&y).unwrap(), [2.0, 2.0]);
    });
}

#[test]
fn an_error_names_memory_as_the_signature_spells_it() {
    with_module(|_, _, module| {
        let text = |error: Error| error.to_string();
        let error = module.kernel::<(u32, In<f32>)>("saxpy").map(drop).map_err(text).unwrap_err();
        assert!(error.contains("`In<f32>`"), "{error}");
        let error = module.kernel::<(u32, &[f32])>("saxpy").map(drop).map_err(text).unwrap_err();
        assert!(error.contains("`&[f32]`"), "{error}");
        type Long = (u32, f32, In<f32>, Out<f32>, Out<Pair>);
        let error = module.kernel::<Long>("saxpy").map(drop).map_err(text).unwrap_err();
        assert!(error.contains("`Out<") && error.contains("Pair>`"), "{error}");
    });
}

#[test]
fn a_kernel_reads_what_the_caller_might_write() {
    with_module(|gpu, stream, module| {
        let saxpy = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy").unwrap();
        let kept = Kept { saxpy: module.kernel("saxpy").unwrap() };
        let config = LaunchConfig::new(1, 2);
        let mut x = gpu.on(&stream).from_slice(&[1.0_f32, 2.0]).unwrap();
        let mut y = gpu.on(&stream).zeroed(2).unwrap();
        // SAFETY: saxpy(unsigned n, float a, const float *x, float *y), over 2 elements.
        unsafe { gpu.on(&stream).launch_unchecked(&saxpy, config, (2, 1.0, &mut x, &mut y)) }
            .unwrap();
        gpu.scope(|s| {
            let (run, mut x, mut y) = (s.on(&stream), s.hold(&mut x), s.hold(&mut y));
            // SAFETY: as above.
            unsafe { run.launch_unchecked(&kept.saxpy, config, (2, 1.0, &mut x, &mut y)) }
        })
        .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [2.0, 4.0]);
        let ordered = gpu.ordered_stream().unwrap();
        let (mut x, mut y) = (ordered.from_slice(&[1.0; 2]).unwrap(), ordered.zeroed(2).unwrap());
        // SAFETY: as above.
        unsafe { ordered.launch_unchecked(&saxpy, config, (2, 2.0, &mut x, &mut y)) }.unwrap();
        assert_eq!(ordered.to_vec(&y).unwrap(), [2.0, 2.0]);
    });
}
