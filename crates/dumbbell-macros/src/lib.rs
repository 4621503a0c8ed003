//! Attributes that write code which follows from a declaration: the methods of a trait that are
//! handed on to something else, object-safe twins of traits, and configurations with fields in
//! common.
#![forbid(unsafe_code)]

mod config;
mod declare;
mod fill;
mod names;
mod schema;

use proc_macro::TokenStream;
use syn::{Item, parse_macro_input};

/// Implements a trait by handing its methods on.
///
/// On a trait it declares that this is possible:
///
/// ```text
/// #[delegate(object = DynAqm: Send, names = crate::{aqm::*, packet::Meta, units::Span})]
/// pub trait Aqm { .. }
/// ```
///
/// - `object` also makes the object-safe twin of the trait. Where a method of the trait takes
///   `&impl View` or `&mut impl View`, that of the twin takes `&dyn View` or `&mut dyn View`;
///   `View` must be implemented for references to its implementors. Every implementor of the trait
///   has its twin too.
/// - `names` says where the types of its signatures are, for implementations in other crates: each
///   by its path, all others in the module with the `*`. Without it the trait can be handed on only
///   in its own crate, where these types are in scope.
///
/// The `#[inline]` of a method holds for each implementation that this attribute writes.
///
/// On an `impl` of such a trait it adds the methods that the block does not have:
///
/// ```text
/// #[delegate(self.classes)]                   // every other method: that of the field
/// #[delegate(self.body: needs, make_room)]    // only these
/// #[delegate(match self { Fifo, Several })]   // that of what the variant holds
/// ```
#[proc_macro_attribute]
pub fn delegate(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = match parse_macro_input!(item as Item) {
        Item::Trait(item) => declare::expand(arguments.into(), item),
        Item::Impl(item) => fill::call(arguments.into(), &item),
        other => Err(syn::Error::new_spanned(other, "neither a trait nor an impl of one")),
    };
    expanded.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Writes the missing methods of an `impl`. Only what [`macro@delegate`] makes calls this.
#[doc(hidden)]
#[proc_macro]
pub fn fill(input: TokenStream) -> TokenStream {
    fill::expand(parse_macro_input!(input as fill::Input)).into()
}

/// Makes a configuration of a struct: it derives serde's traits and what values need, refuses
/// unknown keys, and writes `Default` and the JSON Schema. Of `#[schemars(...)]` a field may have
/// `range` and `extend`, with literals.
///
/// ```text
/// #[config]
/// pub struct DrioConfig {
///     /// Exponent of a flow's hit ratio.
///     #[config(default = 1.0)]
///     pub gamma: f64,
///     /// RIO's parameters.
///     #[config(flatten, w_q = 0.01)]
///     pub rio: RioConfig,
/// }
/// ```
///
/// - A field without a `default` has its type's.
/// - `flatten` puts the fields of another configuration in place of this one, some with other
///   defaults. It also writes `fn rio(&self) -> RioConfig` and `From<RioConfig>`. To serde and to
///   the schema they are fields like all others, so that errors keep their places.
/// - `#[config(shared = crate::module::*)]` on the other struct permits that, and says where the
///   types of its fields are, as `names` of [`macro@delegate`] does.
#[proc_macro_attribute]
pub fn config(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = config::expand(arguments.into(), item.into());
    expanded.unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Puts shared fields into a configuration. Only what [`macro@config`] makes calls this.
#[doc(hidden)]
#[proc_macro]
pub fn flatten(input: TokenStream) -> TokenStream {
    let expanded = config::flatten(parse_macro_input!(input as config::Input));
    expanded.unwrap_or_else(syn::Error::into_compile_error).into()
}
