//! Structs of handles that users declare.
#![allow(unsafe_code, reason = "the macro implements a trait that is unsafe to implement")]

/// Declares a struct of handles that can be detached, stored, sent to another thread, and attached or bound as
/// a whole.
///
/// The struct has one lifetime, the guard's, and may have type parameters, with one bound each. Its fields are
/// handles of the crate, collections of them, other structs declared this way, ordered values, and plain values
/// ([`Plain`](crate::detached::Plain)). It cannot have its own `Drop`.
///
/// # Examples
/// ```
/// use cuscope::{
///     Context, ContextStack, Detached, Device, DeviceBuffer, Function, PushedGuard, Result, Stream,
/// };
///
/// cuscope::handles! {
///     /// One layer of a model.
///     pub struct Layer<'ctx> {
///         pub weights: DeviceBuffer<'ctx, f32>,
///         pub bias: Option<DeviceBuffer<'ctx, f32>>,
///         streams: [Stream<'ctx>; 2],
///         name: String,
///     }
/// }
///
/// /// Keeps its layer between calls, whichever thread makes them.
/// struct Service {
///     context: Context,
///     layer: Detached<Layer<'static>>,
/// }
///
/// impl Service {
///     fn first_weight(&self, stack: &mut impl cuscope::PushContext) -> Result<f32> {
///         let gpu = stack.push(&self.context)?;
///         let layer = gpu.bind(&self.layer)?;
///         let mut weights = vec![0.0; layer.weights.len()];
///         gpu.on(&layer.streams[0]).download(&layer.weights, &mut weights)?;
///         Ok(weights[0])
///     }
/// }
///
/// # fn main() -> Result {
/// let context = Context::primary(Device::get(0)?)?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let mut weights = gpu.alloc(4)?;
/// let streams = [gpu.stream()?, gpu.stream()?];
/// gpu.on(&streams[0]).upload(&[1.0, 2.0, 3.0, 4.0], &mut weights)?;
/// let layer = Layer { weights, bias: None, streams, name: "first".to_owned() }.detach();
/// gpu.pop()?;
/// let service = Service { context, layer };
/// assert_eq!(service.first_weight(&mut stack)?, 1.0);
/// # Ok(()) }
/// ```
#[macro_export]
macro_rules! handles {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident<$ctx:lifetime $(, $param:ident $(: $bound:path)?)* $(,)?> {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $ty:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        $vis struct $name<$ctx $(, $param $(: $bound)?)*> {
            $($(#[$field_meta])* $field_vis $field: $ty,)*
        }

        impl<$ctx $(, $param $(: $bound)?)*> $name<$ctx $(, $param)*> {
            /// Detaches the handles from their guard. Needs no current context, neither now nor when they are dropped.
            #[allow(dead_code, reason = "for the program that wants it")]
            $vis fn detach(self) -> $crate::Detached<$name<'static $(, $param)*>> {
                $crate::Detached::new(self)
            }
        }

        impl<$ctx $(, $param $(: $bound)?)*> $crate::__private::BrandedSealed
            for $name<$ctx $(, $param)*> {}

        // SAFETY: 1. One struct at two lifetimes. Each field is `Branded`, so it uses the lifetime as a
        // brand only; that its type at the other lifetime is the field's, the compiler checks in
        // `rebrand`, as it checks that no field is left out. 2. Field by field.
        unsafe impl<$ctx $(, $param $(: $bound)?)*> $crate::detached::Branded for $name<$ctx $(, $param)*> {
            type With<'to> = $name<'to $(, $param)*>;

            #[inline]
            fn contexts(&self, see: &mut impl FnMut(&$crate::Context)) {
                let Self { $($field),* } = self;
                $(<$ty as $crate::detached::Branded>::contexts($field, see);)*
            }

            fn rebrand<'to>(self, key: $crate::__private::BrandKey) -> $name<'to $(, $param)*> {
                let Self { $($field),* } = self;
                $(let $field: <$ty as $crate::detached::Branded>::With<'to> = <$ty as $crate::detached::Branded>::rebrand($field, key);)*
                $name { $($field),* }
            }
        }
    };
}
