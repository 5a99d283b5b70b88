//! Launches with many arguments, and with lists of arguments that are built at run time.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::fewer;
use crate::common::gpu::{filled, kernel, read, with_gpu};
use crate::common::kernels::STORE;
use crate::common::software;
use cuscope::kernel::{ArgumentList, SignatureProblem};
use cuscope::memory::InCall;
use cuscope::{Error, LaunchConfig, Result, ffi};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::fmt::Write as _;

const ONE: fn() -> LaunchConfig = || LaunchConfig::new(1, 1);

/// PTX of `sum(out, a, b, …)`: `*out = a + b + …`, of so many `u32`s.
fn sum(count: usize) -> String {
    let (mut parameters, mut body) = (String::from(".param .u64 out"), String::new());
    for number in 0..count {
        write!(parameters, ", .param .u32 p{number}").unwrap();
        writeln!(body, "ld.param.u32 %r2, [p{number}]; add.u32 %r1, %r1, %r2;").unwrap();
    }
    format!(
        ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry sum({parameters})\n{{\n\
         .reg .u32 %r<3>; .reg .u64 %rd<3>;\nmov.u32 %r1, 0;\n{body}ld.param.u64 %rd1, [out];\n\
         cvta.to.global.u64 %rd2, %rd1;\nst.global.u32 [%rd2], %r1;\nret;\n}}\n"
    )
}

fn problem(result: Result<&mut ArgumentList<'_, '_>>) -> (usize, SignatureProblem) {
    match result {
        Err(Error::Signature(error)) => {
            assert_eq!(error.kernel(), "sum");
            (error.index(), error.problem().clone())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tuple_has_up_to_32_arguments() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let module = gpu.load_ptx(sum(31)).unwrap();
        let mut out = filled(gpu, 1, 0);
        macro_rules! launch {
            ($kernel:expr) => {
                // SAFETY: the kernel is sum(u32 *, 31 numbers) and writes one element.
                unsafe {
                    gpu.on(&stream).launch_unchecked(
                        &$kernel,
                        ONE(),
                        (
                            &mut out, 1_u32, 2_u32, 3_u32, 4_u32, 5_u32, 6_u32, 7_u32, 8_u32,
                            9_u32, 10_u32, 11_u32, 12_u32, 13_u32, 14_u32, 15_u32, 16_u32, 17_u32,
                            18_u32, 19_u32, 20_u32, 21_u32, 22_u32, 23_u32, 24_u32, 25_u32, 26_u32,
                            27_u32, 28_u32, 29_u32, 30_u32, 31_u32,
                        ),
                    )
                }
                .unwrap();
            };
        }
        launch!(module.function("sum").unwrap());
        assert_eq!(read(gpu, &out), [31 * 32 / 2]);
        let typed = module
            .kernel::<(
                &mut [u32],
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
                u32,
            )>("sum")
            .unwrap();
        gpu.on(&stream).zero(&mut out).unwrap();
        launch!(typed);
        assert_eq!(read(gpu, &out), [31 * 32 / 2]);
    });
}

#[test]
fn a_list_has_as_many_arguments_as_its_kernel() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        for count in [0, 1, 12, fewer(40, 13), fewer(200, 33)] {
            let sum = kernel(gpu, &sum(count), "sum");
            let mut out = filled(gpu, 1, 7);
            let mut list = sum.arguments().unwrap();
            list.push(&mut out).unwrap();
            for number in 0..count as u32 {
                list.push(number).unwrap();
            }
            assert_eq!((list.len(), list.parameters().len()), (count + 1, count + 1));
            assert!(!list.is_empty() && sum.arguments::<InCall>().unwrap().is_empty());
            // SAFETY: the kernel is sum(u32 *, numbers) and writes one element.
            unsafe { gpu.on(&stream).launch_unchecked(&sum, ONE(), list) }.unwrap();
            assert_eq!(read(gpu, &out), [(0..count as u32).sum::<u32>()]);
        }
    });
}

#[test]
fn every_surface_takes_lists() {
    with_gpu(|gpu| {
        let (mut stream, other) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let sum = kernel(gpu, &sum(2), "sum");
        let (mut x, mut y) = (filled(gpu, 1, 0), filled(gpu, 1, 0));
        gpu.scope(|s| {
            let (mut x, mut y) = (s.hold(&mut x), s.hold(&mut y));
            let mut list = sum.arguments()?;
            list.push(&mut x)?.push(1_u32)?.push(2_u32)?;
            // SAFETY: the kernel is sum(u32 *, two numbers) and writes one element.
            unsafe { s.on(&stream).launch_unchecked(&sum, ONE(), list) }?;
            // Ordered after it by its memory.
            s.on(&other).copy(&x, &mut y)?;
            let mut list = sum.arguments()?;
            list.push(&mut y)?.push(5_u32)?.push(6_u32)?;
            // SAFETY: as above.
            unsafe { s.on(&stream).launch_unchecked(&sum, ONE(), list) }?;
            s.on(&other).copy(&y, &mut x)
        })
        .unwrap();
        assert_eq!((read(gpu, &x), read(gpu, &y)), (vec![11], vec![11]));

        let captured = gpu
            .capture(&mut stream, |c| {
                let mut x = c.hold(&mut x);
                let mut list = sum.arguments()?;
                list.push(&mut x)?.push(3_u32)?.push(4_u32)?;
                // SAFETY: as above.
                unsafe { c.stream().launch_unchecked(&sum, ONE(), list) }
            })
            .unwrap();
        gpu.on(&other).replay(&captured, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [7]);

        let (mut built, node) = gpu
            .build_graph(|g| {
                let mut x = g.hold(&mut x);
                let mut list = sum.arguments()?;
                list.push(&mut x)?.push(8_u32)?.push(9_u32)?;
                // SAFETY: as above.
                unsafe { g.kernel_unchecked(&[], &sum, ONE(), list) }
            })
            .unwrap();
        gpu.on(&other).replay(&built, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [17]);
        let mut list = sum.arguments().unwrap();
        list.push(&mut x).unwrap().push(20_u32).unwrap().push(30_u32).unwrap();
        // SAFETY: as above.
        unsafe { gpu.set_kernel_unchecked(&mut built, node, &sum, ONE(), list) }.unwrap();
        gpu.on(&other).replay(&built, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [50]);
    });
}

#[test]
fn a_list_that_does_not_fit_launches_nothing() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (sum, store) = (kernel(gpu, &sum(1), "sum"), kernel(gpu, STORE, "store"));
        let mut out = filled(gpu, 1, 7);
        let mut list = sum.arguments().unwrap();
        let wrong = problem(list.push(1_u32));
        assert!(matches!(wrong, (0, SignatureProblem::Layout { size: 8, given_size: 4, .. })));
        list.push(&mut out).unwrap();
        let wrong = problem(list.push(1.0_f64));
        assert!(matches!(wrong, (1, SignatureProblem::Layout { size: 4, given_size: 8, .. })));
        assert_eq!(format!("{list:?}").split(" for ").next().unwrap(), "ArgumentList(1 of 2");
        // SAFETY: nothing is launched.
        match unsafe { gpu.on(&stream).launch_unchecked(&sum, ONE(), list) } {
            Err(Error::Signature(error)) => {
                assert_eq!(error.index(), 1);
                assert_eq!(*error.problem(), SignatureProblem::TooFew { size: 4, offset: 8 });
            }
            other => panic!("{other:?}"),
        }
        let mut list = sum.arguments().unwrap();
        list.push(&mut out).unwrap().push(1_u32).unwrap();
        let wrong = problem(list.push(1_u32));
        assert_eq!(wrong, (2, SignatureProblem::TooMany { given: "u32" }));
        // SAFETY: as above.
        match unsafe { gpu.on(&stream).launch_unchecked(&store, ONE(), list) } {
            Err(Error::InvalidArgument { call: "cuLaunchKernel", .. }) => {}
            other => panic!("{other:?}"),
        }
        let graph = gpu.build_graph(|g| {
            let list = sum.arguments()?;
            // SAFETY: as above.
            unsafe { g.kernel_unchecked(&[], &sum, ONE(), list) }
        });
        assert!(matches!(graph, Err(Error::Signature(_))), "{graph:?}");
        if software() {
            // What the driver refuses then is not the number of the arguments.
            let code = ffi::CUDA_ERROR_INVALID_VALUE;
            let fault = Fault { which: Which::Named("cuLaunchKernel"), code, performed: false };
            let mut list = sum.arguments().unwrap();
            list.push(&mut out).unwrap().push(1_u32).unwrap();
            // SAFETY: as above.
            let launch = || unsafe { gpu.on(&stream).launch_unchecked(&sum, ONE(), list) };
            let text = with_fault(fault, launch).0.unwrap_err().to_string();
            assert!(text.contains("every dimension of the grid"), "{text}");
        }
        assert_eq!(read(gpu, &out), [7]);
    });
}
