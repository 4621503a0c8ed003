//! Attributes that write code which follows from a declaration: the methods of a trait that are
//! handed on to something else, and object-safe twins of traits.
#![forbid(unsafe_code)]

mod declare;
mod fill;
mod names;

use proc_macro::TokenStream;
use syn::{Item, parse_macro_input};

/// Implements a trait by handing its methods on.
///
/// On a trait it declares that this is possible:
///
/// ```text
/// #[delegate(object = DynAqm: Send, names = crate::signature)]
/// pub trait Aqm { .. }
/// ```
///
/// - `object` also makes the object-safe twin of the trait. Where a method of the trait takes
///   `&impl View` or `&mut impl View`, that of the twin takes `&dyn View` or `&mut dyn View`; `View`
///   must be implemented for references to its implementors. Every implementor of the trait has its
///   twin too.
/// - `names` is a module with the trait's argument types, for implementations in other crates.
///   Without it the trait can be handed on only in its own crate, where these types are in scope.
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
