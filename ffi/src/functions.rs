//! The lists of all functions, for whoever wants to do something with each.

/// Hands every function that is linked to the macro `$with`, a group at a time, as
/// `since fn name(argument: type, …) -> CUresult;`. Each is in every driver from CUDA 12.0 on; `since` is the
/// CUDA version that had it first, 1000 x major + 10 x minor.
#[macro_export]
macro_rules! driver_functions {
    ($with:path) => {
        $crate::result_functions!($with);
        $crate::init_functions!($with);
        $crate::device_functions!($with);
        $crate::primary_context_functions!($with);
        $crate::context_functions!($with);
        $crate::module_functions!($with);
        $crate::library_functions!($with);
        $crate::memory_functions!($with);
        $crate::virtual_memory_functions!($with);
        $crate::stream_ordered_memory_functions!($with);
        $crate::unified_functions!($with);
        $crate::stream_functions!($with);
        $crate::event_functions!($with);
        $crate::external_functions!($with);
        $crate::stream_memory_ops_functions!($with);
        $crate::execution_functions!($with);
        $crate::graph_functions!($with);
        $crate::graph_exec_functions!($with);
        $crate::occupancy_functions!($with);
        $crate::texture_functions!($with);
        $crate::surface_functions!($with);
        $crate::tensor_map_functions!($with);
        $crate::peer_functions!($with);
        $crate::graphics_functions!($with);
        $crate::gl_functions!($with);
        $crate::egl_functions!($with);
        $crate::vdpau_functions!($with);
        $crate::driver_entry_point_functions!($with);
        $crate::profiler_calls!($with);
    };
}

/// Hands every function that CUDA 12.0 does not have to the macro `$with`, in the form of
/// [`driver_functions!`]. These are not linked but looked up.
#[macro_export]
macro_rules! newer_functions {
    ($with:path) => {
        $crate::device_newer_functions!($with);
        $crate::context_newer_functions!($with);
        $crate::module_newer_functions!($with);
        $crate::library_newer_functions!($with);
        $crate::memory_newer_functions!($with);
        $crate::stream_ordered_memory_newer_functions!($with);
        $crate::multicast_newer_functions!($with);
        $crate::fabric_newer_functions!($with);
        $crate::unified_newer_functions!($with);
        $crate::stream_newer_functions!($with);
        $crate::event_newer_functions!($with);
        $crate::egl_newer_functions!($with);
        $crate::execution_newer_functions!($with);
        $crate::graph_newer_functions!($with);
        $crate::graph_exec_newer_functions!($with);
        $crate::tensor_map_newer_functions!($with);
        $crate::peer_newer_functions!($with);
        $crate::coredump_newer_functions!($with);
        $crate::green_context_newer_functions!($with);
        $crate::error_log_newer_functions!($with);
        $crate::checkpoint_newer_functions!($with);
    };
}
