//! Profiling of a part of a program. These functions are in `cudaProfiler.h`, not in `cuda.h`, and not among the
//! declarations that are proved against that.

use crate::types::*;

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! profiler_calls {
    ($with:path) => {
        $with! {
            /// Has a profiler that waits for it record, in the current context.
            4000 fn cuProfilerStart() -> CUresult;
            /// Has a profiler record no more, in the current context.
            4000 fn cuProfilerStop() -> CUresult;
        }
    };
}
profiler_calls!(declare);
