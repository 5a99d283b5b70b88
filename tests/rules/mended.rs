//! The right program beside each program of `ui-tests/`, which the compiler takes: a module each, compiled with these tests.
#![allow(dead_code, unused_variables, unsafe_code, reason = "nothing calls the programs")]
#![allow(clippy::all, reason = "they are like the programs beside them but for the mend")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block,
    reason = "likewise"
)]
#![allow(unused_mut, reason = "they differ from the others in the mend alone")]

#[rustfmt::skip]
#[path = "../../ui-tests/mended/aliased_arguments.rs"]
mod aliased_arguments;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/alloc_from_imported_pool.rs"]
mod alloc_from_imported_pool;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/alloc_not_plain_data.rs"]
mod alloc_not_plain_data;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/arc_of_a_handle_outlives_its_guard.rs"]
mod arc_of_a_handle_outlives_its_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/argument_is_sealed.rs"]
mod argument_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/argument_list_aliases.rs"]
mod argument_list_aliases;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/argument_list_of_another_guard.rs"]
mod argument_list_of_another_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/argument_list_of_local_buffer.rs"]
mod argument_list_of_local_buffer;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/argument_list_used_twice.rs"]
mod argument_list_used_twice;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/argument_not_plain_data.rs"]
mod argument_not_plain_data;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/array_in_launch.rs"]
mod array_in_launch;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/array_written_under_texture.rs"]
mod array_written_under_texture;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/async_closure_of_a_scope.rs"]
mod async_closure_of_a_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/attached_handle_sent.rs"]
mod attached_handle_sent;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/attached_twice.rs"]
mod attached_twice;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/attributes_of_other_guard.rs"]
mod attributes_of_other_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/bound_outlives_detached.rs"]
mod bound_outlives_detached;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/bound_under_another_guard.rs"]
mod bound_under_another_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/brand_forget.rs"]
mod brand_forget;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/brand_loop.rs"]
mod brand_loop;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/brand_never_returns.rs"]
mod brand_never_returns;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/brand_option_take.rs"]
mod brand_option_take;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/brand_panic_any.rs"]
mod brand_panic_any;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/brand_rc_cycle.rs"]
mod brand_rc_cycle;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/brand_scoped_thread.rs"]
mod brand_scoped_thread;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/brand_self_borrow.rs"]
mod brand_self_borrow;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/brand_suspended_future.rs"]
mod brand_suspended_future;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/brand_without_the_key.rs"]
mod brand_without_the_key;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/branded_is_sealed.rs"]
mod branded_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/buffer_used_beside_its_part.rs"]
mod buffer_used_beside_its_part;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/buffer_without_a_guard.rs"]
mod buffer_without_a_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/buffer_written_while_sliced.rs"]
mod buffer_written_while_sliced;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/builder_escapes.rs"]
mod builder_escapes;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/call_arguments_in_scope.rs"]
mod call_arguments_in_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/call_without_unsafe.rs"]
mod call_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/capture_escapes.rs"]
mod capture_escapes;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/capture_launch_without_unsafe.rs"]
mod capture_launch_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/captured_stream_in_scope.rs"]
mod captured_stream_in_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/cast_written_while_read.rs"]
mod cast_written_while_read;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/closure_of_a_shared_guard.rs"]
mod closure_of_a_shared_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/closure_that_takes_handles.rs"]
mod closure_that_takes_handles;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/closure_with_another_error.rs"]
mod closure_with_another_error;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/collection_of_two_guards.rs"]
mod collection_of_two_guards;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/condition_in_stream.rs"]
mod condition_in_stream;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/condition_of_another_graph.rs"]
mod condition_of_another_graph;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/condition_of_any_graph.rs"]
mod condition_of_any_graph;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/condition_read_twice.rs"]
mod condition_read_twice;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/context_by_number.rs"]
mod context_by_number;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/context_destroyed_while_pushed.rs"]
mod context_destroyed_while_pushed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/context_dropped_under_its_nested_guard.rs"]
mod context_dropped_under_its_nested_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/context_dropped_while_pushed.rs"]
mod context_dropped_while_pushed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/context_is_not_a_stack.rs"]
mod context_is_not_a_stack;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/context_to_library.rs"]
mod context_to_library;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/copy_to_itself.rs"]
mod copy_to_itself;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/covered_parent.rs"]
mod covered_parent;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/covered_parent_idle_child.rs"]
mod covered_parent_idle_child;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/default_stream_in_scope.rs"]
mod default_stream_in_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/default_stream_is_no_handle.rs"]
mod default_stream_is_no_handle;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/default_stream_sent.rs"]
mod default_stream_sent;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/default_stream_under_another_guard.rs"]
mod default_stream_under_another_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/definition_replayed.rs"]
mod definition_replayed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/definition_shared_between_threads.rs"]
mod definition_shared_between_threads;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/detached_struct_cloned.rs"]
mod detached_struct_cloned;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/detached_then_used.rs"]
mod detached_then_used;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/detached_used.rs"]
mod detached_used;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/device_memory_is_sealed.rs"]
mod device_memory_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/download_twice.rs"]
mod download_twice;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/driver_log_hook_borrows.rs"]
mod driver_log_hook_borrows;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/drop_stream_under_operations.rs"]
mod drop_stream_under_operations;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/dropped_while_built.rs"]
mod dropped_while_built;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/dropped_while_held.rs"]
mod dropped_while_held;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/element_types_differ.rs"]
mod element_types_differ;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/erased_brand.rs"]
mod erased_brand;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/event_of_other_context_recorded.rs"]
mod event_of_other_context_recorded;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/event_recorded_on_peer_stream.rs"]
mod event_recorded_on_peer_stream;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/external_without_unsafe.rs"]
mod external_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/field_of_a_detached_struct.rs"]
mod field_of_a_detached_struct;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/fill_of_large_elements.rs"]
mod fill_of_large_elements;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/foreign_handles_without_unsafe.rs"]
mod foreign_handles_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/foreign_work_uses_its_memory.rs"]
mod foreign_work_uses_its_memory;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/foreign_work_without_unsafe.rs"]
mod foreign_work_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/forked_stream_used.rs"]
mod forked_stream_used;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/function_outlives_guard.rs"]
mod function_outlives_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_buffers_are_sealed.rs"]
mod graph_buffers_are_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_changed_in_flight.rs"]
mod graph_changed_in_flight;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_dropped_in_flight.rs"]
mod graph_dropped_in_flight;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_function_borrows.rs"]
mod graph_function_borrows;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_memory_leaves_builder.rs"]
mod graph_memory_leaves_builder;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_memory_used_after_free.rs"]
mod graph_memory_used_after_free;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_outlives_stack.rs"]
mod graph_outlives_stack;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_replayed_alone_twice.rs"]
mod graph_replayed_alone_twice;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_shared_between_threads.rs"]
mod graph_shared_between_threads;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_timed_in_flight.rs"]
mod graph_timed_in_flight;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graph_under_another_guard.rs"]
mod graph_under_another_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graphics_under_another_guard.rs"]
mod graphics_under_another_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/graphics_without_unsafe.rs"]
mod graphics_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/growable_grown_while_held.rs"]
mod growable_grown_while_held;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/growable_shortened_beside_its_part.rs"]
mod growable_shortened_beside_its_part;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/guard_bound_to_an_underscore.rs"]
mod guard_bound_to_an_underscore;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/guard_cloned.rs"]
mod guard_cloned;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/guard_leaves_reentrant.rs"]
mod guard_leaves_reentrant;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/guard_leaves_with.rs"]
mod guard_leaves_with;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/guard_stashed_in_reentrant.rs"]
mod guard_stashed_in_reentrant;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/handle_of_other_guard_in_launch.rs"]
mod handle_of_other_guard_in_launch;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/handle_outlives_stack.rs"]
mod handle_outlives_stack;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/handles_from_a_recursion.rs"]
mod handles_from_a_recursion;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/handles_of_another_lifetime.rs"]
mod handles_of_another_lifetime;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/handles_under_another_guard.rs"]
mod handles_under_another_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/handles_with_a_borrow.rs"]
mod handles_with_a_borrow;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/handles_with_drop.rs"]
mod handles_with_drop;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_aliased_arguments.rs"]
mod held_aliased_arguments;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_buffer_of_any_scope.rs"]
mod held_buffer_of_any_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_escapes.rs"]
mod held_escapes;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_in_blocking_launch.rs"]
mod held_in_blocking_launch;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_in_other_scope.rs"]
mod held_in_other_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_memory_copied_to_peer.rs"]
mod held_memory_copied_to_peer;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_of_other_guard.rs"]
mod held_of_other_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_part_to_read_written.rs"]
mod held_part_to_read_written;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_parts_in_one_launch.rs"]
mod held_parts_in_one_launch;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_read_in_other_scope.rs"]
mod held_read_in_other_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_replayed_blocking.rs"]
mod held_replayed_blocking;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_texture_read_and_written.rs"]
mod held_texture_read_and_written;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_twice.rs"]
mod held_twice;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_used_after_split.rs"]
mod held_used_after_split;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/held_while_read.rs"]
mod held_while_read;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/helper_with_a_closure_for_one_guard.rs"]
mod helper_with_a_closure_for_one_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/helper_without_the_scopes_lifetime.rs"]
mod helper_without_the_scopes_lifetime;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/holdable_is_sealed.rs"]
mod holdable_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/host_function_borrows.rs"]
mod host_function_borrows;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/host_function_not_sent.rs"]
mod host_function_not_sent;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/host_function_with_guard.rs"]
mod host_function_with_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/host_memory_as_source.rs"]
mod host_memory_as_source;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/host_memory_in_capture.rs"]
mod host_memory_in_capture;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/host_read_in_flight.rs"]
mod host_read_in_flight;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/host_reference_argument.rs"]
mod host_reference_argument;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/host_slice_staged.rs"]
mod host_slice_staged;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/host_written_in_flight.rs"]
mod host_written_in_flight;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/image_is_sealed.rs"]
mod image_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/image_of_other_kind.rs"]
mod image_of_other_kind;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/import_pool_without_unsafe.rs"]
mod import_pool_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/import_without_unsafe.rs"]
mod import_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/inner_memory_in_outer_collection.rs"]
mod inner_memory_in_outer_collection;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/inner_memory_kept_by_the_caller.rs"]
mod inner_memory_kept_by_the_caller;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/inside_of_a_detached_handle.rs"]
mod inside_of_a_detached_handle;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/keep_not_sent.rs"]
mod keep_not_sent;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/keep_with_a_borrow.rs"]
mod keep_with_a_borrow;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/kernel_arg_is_sealed.rs"]
mod kernel_arg_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/kernel_args_is_sealed.rs"]
mod kernel_args_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/kernel_node_without_unsafe.rs"]
mod kernel_node_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/kernel_of_other_context.rs"]
mod kernel_of_other_context;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/kernel_reads_for_written.rs"]
mod kernel_reads_for_written;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/kernel_with_too_few.rs"]
mod kernel_with_too_few;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/launch_event_dropped.rs"]
mod launch_event_dropped;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/launch_event_of_other_context.rs"]
mod launch_event_of_other_context;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/launch_of_no_kernel.rs"]
mod launch_of_no_kernel;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/launch_without_config.rs"]
mod launch_without_config;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/launch_without_unsafe.rs"]
mod launch_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/launchable_is_sealed.rs"]
mod launchable_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/launches_is_sealed.rs"]
mod launches_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/launches_without_unsafe.rs"]
mod launches_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/lent_for_less_than_a_scope.rs"]
mod lent_for_less_than_a_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/limit_of_covered_guard.rs"]
mod limit_of_covered_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/link_code_without_unsafe.rs"]
mod link_code_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/local_buffer_built.rs"]
mod local_buffer_built;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/local_buffer_captured.rs"]
mod local_buffer_captured;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/local_buffer_held.rs"]
mod local_buffer_held;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/local_buffer_launched.rs"]
mod local_buffer_launched;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/local_buffer_replayed.rs"]
mod local_buffer_replayed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/local_graph_replayed.rs"]
mod local_graph_replayed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/local_part_launched.rs"]
mod local_part_launched;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/local_pinned_launched.rs"]
mod local_pinned_launched;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/local_slice_uploaded.rs"]
mod local_slice_uploaded;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/managed_freed_while_lent.rs"]
mod managed_freed_while_lent;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/managed_lent_while_held.rs"]
mod managed_lent_while_held;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/managed_used_while_lent.rs"]
mod managed_used_while_lent;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/map_with_borrowed_keys.rs"]
mod map_with_borrowed_keys;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/mapped_accessed_in_flight.rs"]
mod mapped_accessed_in_flight;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/mapped_in_blocking_launch.rs"]
mod mapped_in_blocking_launch;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/mapped_in_other_scope.rs"]
mod mapped_in_other_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/mix_generic.rs"]
mod mix_generic;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/mix_nested.rs"]
mod mix_nested;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/mix_on_peer_stream.rs"]
mod mix_on_peer_stream;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/mix_sequential.rs"]
mod mix_sequential;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/moved_slice_uploaded.rs"]
mod moved_slice_uploaded;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/node_of_other_kind.rs"]
mod node_of_other_kind;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/not_plain_data.rs"]
mod not_plain_data;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/number_of_another_type.rs"]
mod number_of_another_type;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_adopted_then_used.rs"]
mod ordered_adopted_then_used;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_borrows_host.rs"]
mod ordered_borrows_host;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_hands_over_plain_buffer.rs"]
mod ordered_hands_over_plain_buffer;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_part_outlives_buffer.rs"]
mod ordered_part_outlives_buffer;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_read_and_written.rs"]
mod ordered_read_and_written;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_replays_plain_buffer.rs"]
mod ordered_replays_plain_buffer;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_shared_written.rs"]
mod ordered_shared_written;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_stream_captured.rs"]
mod ordered_stream_captured;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_taken_apart.rs"]
mod ordered_taken_apart;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_takes_pinned.rs"]
mod ordered_takes_pinned;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_takes_plain_buffer.rs"]
mod ordered_takes_plain_buffer;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_traits_are_sealed.rs"]
mod ordered_traits_are_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_used_after_hand_over.rs"]
mod ordered_used_after_hand_over;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_used_after_into_idle.rs"]
mod ordered_used_after_into_idle;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_used_after_share.rs"]
mod ordered_used_after_share;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ordered_used_while_held.rs"]
mod ordered_used_while_held;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/out_given_shared_memory.rs"]
mod out_given_shared_memory;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/over_budget_hook_borrows.rs"]
mod over_budget_hook_borrows;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/owned_argument.rs"]
mod owned_argument;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/owned_guard_sent.rs"]
mod owned_guard_sent;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/padding_in_a_struct.rs"]
mod padding_in_a_struct;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/parameter_of_any_element.rs"]
mod parameter_of_any_element;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/part_held_as_temporary.rs"]
mod part_held_as_temporary;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/part_outlives_buffer.rs"]
mod part_outlives_buffer;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/part_replayed.rs"]
mod part_replayed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/part_to_write_used_twice.rs"]
mod part_to_write_used_twice;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/part_used_while_held.rs"]
mod part_used_while_held;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/parts_overlap.rs"]
mod parts_overlap;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/parts_to_write_of_shared_memory.rs"]
mod parts_to_write_of_shared_memory;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/peer_copy_to_covered.rs"]
mod peer_copy_to_covered;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/peer_copy_to_itself.rs"]
mod peer_copy_to_itself;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/peer_copy_to_shared.rs"]
mod peer_copy_to_shared;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/peer_memory_in_scope.rs"]
mod peer_memory_in_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pending_used_early.rs"]
mod pending_used_early;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pinned_freed_while_lent.rs"]
mod pinned_freed_while_lent;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pinned_not_plain_data.rs"]
mod pinned_not_plain_data;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pinned_read_in_flight.rs"]
mod pinned_read_in_flight;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pitched_held_in_other_scope.rs"]
mod pitched_held_in_other_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pitched_held_used_after_split.rs"]
mod pitched_held_used_after_split;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pitched_local_held.rs"]
mod pitched_local_held;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pitched_of_covered_guard.rs"]
mod pitched_of_covered_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pitched_part_outlives_buffer.rs"]
mod pitched_part_outlives_buffer;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pitched_part_written.rs"]
mod pitched_part_written;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pitched_parts_overlap.rs"]
mod pitched_parts_overlap;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pitched_under_another_guard.rs"]
mod pitched_under_another_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pitched_written_without_hold.rs"]
mod pitched_written_without_hold;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/plain_kernel_launched_safely.rs"]
mod plain_kernel_launched_safely;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/plain_stream_takes_ordered.rs"]
mod plain_stream_takes_ordered;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/plain_value_that_borrows.rs"]
mod plain_value_that_borrows;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pool_buffer_under_another_guard.rs"]
mod pool_buffer_under_another_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pop_out_of_order.rs"]
mod pop_out_of_order;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/pop_under_operations.rs"]
mod pop_under_operations;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ptx_of_bytes.rs"]
mod ptx_of_bytes;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/push_context_is_sealed.rs"]
mod push_context_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/push_inside_scope.rs"]
mod push_inside_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/push_under_operations.rs"]
mod push_under_operations;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/push_while_a_profiler_lives.rs"]
mod push_while_a_profiler_lives;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/push_while_profiling.rs"]
mod push_while_profiling;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/ranges_and_graphs_without_unsafe.rs"]
mod ranges_and_graphs_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/raw_context_without_unsafe.rs"]
mod raw_context_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/read_part_written.rs"]
mod read_part_written;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/read_while_held.rs"]
mod read_while_held;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/register_without_unsafe.rs"]
mod register_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/registered_outlives_slice.rs"]
mod registered_outlives_slice;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/registered_slice_leaves_closure.rs"]
mod registered_slice_leaves_closure;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/registered_slice_used.rs"]
mod registered_slice_used;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/replay_aliased.rs"]
mod replay_aliased;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/replay_named_while_in_flight.rs"]
mod replay_named_while_in_flight;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/reset_without_unsafe.rs"]
mod reset_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/return_handle.rs"]
mod return_handle;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scope_launch_without_unsafe.rs"]
mod scope_launch_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scope_on_captured_stream.rs"]
mod scope_on_captured_stream;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scope_owned_argument.rs"]
mod scope_owned_argument;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scope_single_argument.rs"]
mod scope_single_argument;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scope_takes_ordered.rs"]
mod scope_takes_ordered;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scope_traits_are_sealed.rs"]
mod scope_traits_are_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scoped_host_memory_is_sealed.rs"]
mod scoped_host_memory_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scoped_stream_escapes.rs"]
mod scoped_stream_escapes;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scoped_stream_sent.rs"]
mod scoped_stream_sent;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scratch_escapes.rs"]
mod scratch_escapes;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/scratch_used_after_drop.rs"]
mod scratch_used_after_drop;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/self_used_under_its_guard.rs"]
mod self_used_under_its_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/semaphore_in_scope.rs"]
mod semaphore_in_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/send_current_context.rs"]
mod send_current_context;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/send_guard.rs"]
mod send_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/send_nested_stack.rs"]
mod send_nested_stack;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/send_token.rs"]
mod send_token;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/share_guard.rs"]
mod share_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/share_token.rs"]
mod share_token;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/shared_guard_to_library.rs"]
mod shared_guard_to_library;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/shared_stream_captured.rs"]
mod shared_stream_captured;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/shared_texture_of_borrowed_array.rs"]
mod shared_texture_of_borrowed_array;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/signature_is_sealed.rs"]
mod signature_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/signature_of_struct.rs"]
mod signature_of_struct;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/signature_with_a_lifetime.rs"]
mod signature_with_a_lifetime;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/single_argument.rs"]
mod single_argument;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/source_is_sealed.rs"]
mod source_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/spawn_future.rs"]
mod spawn_future;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/stack_not_mut.rs"]
mod stack_not_mut;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/staged_accessed_in_flight.rs"]
mod staged_accessed_in_flight;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/staged_in_other_scope.rs"]
mod staged_in_other_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/static_token.rs"]
mod static_token;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/store_guard_beside_stack.rs"]
mod store_guard_beside_stack;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/stream_leaves_an_owned_guard.rs"]
mod stream_leaves_an_owned_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/stream_of_other_guard_in_scope.rs"]
mod stream_of_other_guard_in_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/stream_used_while_captured.rs"]
mod stream_used_while_captured;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/stream_value_in_scope.rs"]
mod stream_value_in_scope;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/struct_without_a_lifetime.rs"]
mod struct_without_a_lifetime;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/surface_read_only_written.rs"]
mod surface_read_only_written;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/swap_guards.rs"]
mod swap_guards;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/swap_nested_stacks.rs"]
mod swap_nested_stacks;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/temporary_context_pushed.rs"]
mod temporary_context_pushed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/tensor_map_element.rs"]
mod tensor_map_element;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/tensor_map_freed_memory.rs"]
mod tensor_map_freed_memory;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/tensor_twice.rs"]
mod tensor_twice;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/tensor_without_unsafe.rs"]
mod tensor_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/texel_of_three_channels.rs"]
mod texel_of_three_channels;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/text_is_sealed.rs"]
mod text_is_sealed;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/texture_of_array_of_any_guard.rs"]
mod texture_of_array_of_any_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/texture_outlives_array.rs"]
mod texture_outlives_array;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/texture_under_another_guard.rs"]
mod texture_under_another_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/too_many_arguments.rs"]
mod too_many_arguments;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/trust_without_unsafe.rs"]
mod trust_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/trusted_with_other_arguments.rs"]
mod trusted_with_other_arguments;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/tuple_for_guarded_function.rs"]
mod tuple_for_guarded_function;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/tuple_detached_without_the_trait.rs"]
mod tuple_detached_without_the_trait;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/two_guards.rs"]
mod two_guards;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/unordered_memory_without_unsafe.rs"]
mod unordered_memory_without_unsafe;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/unused_guard.rs"]
mod unused_guard;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/upload_to_shared_buffer.rs"]
mod upload_to_shared_buffer;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/use_after_pop.rs"]
mod use_after_pop;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/used_after_destroy.rs"]
mod used_after_destroy;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/used_after_into_raw.rs"]
mod used_after_into_raw;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/used_twice_through_mut_ref.rs"]
mod used_twice_through_mut_ref;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/value_not_plain_data.rs"]
mod value_not_plain_data;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/variable_lent_twice.rs"]
mod variable_lent_twice;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/window_over_host_memory.rs"]
mod window_over_host_memory;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/with_attaches_and_returns.rs"]
mod with_attaches_and_returns;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/with_attaches_for_later.rs"]
mod with_attaches_for_later;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/written_through_plain_buffer.rs"]
mod written_through_plain_buffer;
#[rustfmt::skip]
#[path = "../../ui-tests/mended/written_while_read.rs"]
mod written_while_read;
