//! Closures that end with an error of the program's: it comes out as it is, and nothing is left over. Errors of the crate
//! are converted.

use crate::common::gpu::{filled, new_context, read, with_stream};
use cuscope::{ContextStack, Error, Stream, current_context};
use std::num::{IntErrorKind, ParseIntError};

/// An error of a program.
#[derive(Debug)]
enum Own {
    Text(ParseIntError),
    Cuda(Error),
}

impl From<ParseIntError> for Own {
    fn from(error: ParseIntError) -> Own {
        Own::Text(error)
    }
}

impl From<Error> for Own {
    fn from(error: Error) -> Own {
        Own::Cuda(error)
    }
}

/// An operation that is none of CUDA's, and fails.
fn parsed(text: &str) -> Result<u32, Own> {
    Ok(text.parse::<u32>()?)
}

/// Whether a result is the error of [`parsed`].
fn is_text<R>(result: &Result<R, Own>) -> bool {
    matches!(result, Err(Own::Text(error)) if *error.kind() == IntErrorKind::Empty)
}

#[test]
fn a_scope_waits_and_returns_the_programs_error() {
    with_stream(|gpu, stream| {
        let (mut x, mut host) = (filled(gpu, 64, 1), [0; 64]);
        let ended = gpu.try_scope(|s| {
            let mut x = s.hold(&mut x);
            s.on(&stream).fill(&mut x, 7)?;
            s.on(&stream).download(&x, &mut host)?;
            parsed("")
        });
        assert!(is_text(&ended));
        assert_eq!(host, [7; 64]);
        let ended: Result<u32, Own> = gpu.try_scope(|_| Ok(parsed("5")? + 1));
        assert_eq!(ended.unwrap(), 6);
    });
}

#[test]
fn a_graph_that_failed_to_build_is_none_and_the_old_one_stays() {
    with_stream(|gpu, mut stream| {
        let mut x = filled(gpu, 8, 1);
        let none = gpu.try_capture(&mut stream, |c| {
            c.stream().fill(&mut c.hold(&mut x), 2)?;
            parsed("").map(drop)
        });
        assert!(is_text(&none));
        let mut graph = gpu
            .try_capture(&mut stream, |c| {
                let value = parsed("3")?;
                Ok::<_, Own>(c.stream().fill(&mut c.hold(&mut x), value)?)
            })
            .unwrap();
        let same = gpu.try_recapture(&mut graph, &mut stream, |c| {
            c.stream().fill(&mut c.hold(&mut x), 4)?;
            parsed("").map(drop)
        });
        assert!(is_text(&same));
        let same = gpu.try_rebuild_graph(&mut graph, |g| {
            g.fill(&[], &mut g.hold(&mut x), 5)?;
            parsed("")
        });
        assert!(is_text(&same));
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [3; 8]);

        let built = gpu.try_build_graph(|g| {
            g.fill(&[], &mut g.hold(&mut x), 6)?;
            parsed("")
        });
        assert!(is_text(&built));
        let (built, value) = gpu
            .try_build_graph(|g| {
                let value = parsed("6")?;
                g.fill(&[], &mut g.hold(&mut x), value)?;
                Ok::<_, Own>(value)
            })
            .unwrap();
        gpu.on(&stream).replay(&built, &mut x).unwrap();
        assert_eq!((read(gpu, &x), value), (vec![6; 8], 6));
    });
}

#[test]
fn a_stack_is_as_before_and_a_registration_over() {
    let context = new_context();
    let stack = ContextStack::current_thread().unwrap();
    let ended = ContextStack::try_reentrant(|stack| {
        std::mem::forget(stack.push(&context)?);
        parsed("")
    });
    assert!(is_text(&ended));
    let ended = context.try_with(|gpu| {
        std::mem::forget(gpu.push(&context)?);
        parsed("")
    });
    assert!(is_text(&ended));
    assert!(current_context().unwrap().is_none());
    drop(stack);

    with_stream(|gpu, _| {
        let mut slice = vec![0_u8; 8192];
        assert!(is_text(&gpu.try_with_registered(&mut slice, |_| parsed(""))));
        assert!(is_text(&gpu.try_with_registered_read_only(&slice, |_| parsed(""))));
        // It is not registered any more.
        gpu.with_registered(&mut slice, |_| Ok(())).unwrap();
    });
}

#[test]
fn errors_of_the_crate_are_converted() {
    let (context, other) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&other).unwrap();
    let theirs = outer.stream().unwrap().detach();
    let gpu = outer.push(&context).unwrap();
    // The closure's own.
    let ended = gpu.try_scope(|_| Ok::<_, Own>(gpu.bind(&theirs).map(Stream::id)?.is_ok()));
    assert!(matches!(ended, Err(Own::Cuda(Error::OtherContext { .. }))));
    // One before the closure: the slice is registered.
    let twice = |slice: &mut [u8]| Ok(gpu.try_with_registered(slice, |_| parsed("5")));
    let ended = gpu.with_registered(&mut vec![0; 8192], twice).unwrap();
    assert!(matches!(ended, Err(Own::Cuda(Error::Driver(_)))));
}
