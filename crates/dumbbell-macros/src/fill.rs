//! The methods of an `impl` that are handed on.
use crate::names::replace;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Expr, FnArg, GenericArgument, ImplItem, ItemImpl, PathArguments, Result, Signature, Token,
    TraitItemFn, braced, parenthesized,
};

/// The receivers of the methods that are handed on.
enum To {
    /// A place, such as a field.
    Place(Expr),
    /// The only field of each of these variants.
    Variants(Vec<Ident>),
}

impl Parse for To {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if !input.peek(Token![match]) {
            return Ok(To::Place(input.parse()?));
        }
        input.parse::<Token![match]>()?;
        input.parse::<Token![self]>()?;
        let variants;
        braced!(variants in input);
        let variants = Punctuated::<Ident, Token![,]>::parse_terminated(&variants)?;
        Ok(To::Variants(variants.into_iter().collect()))
    }
}

/// An `impl`, and what the macro of its trait knows.
pub(crate) struct Input {
    /// The type parameters of the trait.
    parameters: Vec<Ident>,
    methods: Vec<TraitItemFn>,
    to: To,
    /// Those that are handed on, if not all others.
    only: Option<Vec<Ident>>,
    item: ItemImpl,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (parameters, signatures, arguments);
        parenthesized!(parameters in input);
        braced!(signatures in input);
        parenthesized!(arguments in input);
        let names = Punctuated::<Ident, Token![,]>::parse_terminated;
        let mut methods = Vec::new();
        while !signatures.is_empty() {
            methods.push(signatures.parse()?);
        }
        let (to, mut only) = (arguments.parse()?, None);
        if arguments.parse::<Option<Token![:]>>()?.is_some() {
            only = Some(names(&arguments)?.into_iter().collect());
        }
        let parameters = names(&parameters)?.into_iter().collect();
        Ok(Input { parameters, methods, to, only, item: input.parse()? })
    }
}

/// The call of the trait's macro for an `impl`.
pub(crate) fn call(arguments: TokenStream, item: &ItemImpl) -> Result<TokenStream> {
    let Some((path, _)) = &item.trait_ else {
        return Err(syn::Error::new_spanned(&item.self_ty, "an impl of no trait"));
    };
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut() {
        last.arguments = PathArguments::None;
    }
    Ok(quote!(#path! { (#arguments) #item }))
}

/// The `impl` with the methods that it lacked.
pub(crate) fn expand(Input { parameters, methods, to, only, mut item }: Input) -> TokenStream {
    let known = |method: &Ident| methods.iter().any(|m| m.sig.ident == *method);
    if let Some(method) = only.iter().flatten().find(|m| !known(m)) {
        return syn::Error::new(method.span(), "no method of the trait").into_compile_error();
    }
    let written = |method: &Ident| {
        item.items.iter().any(|i| matches!(i, ImplItem::Fn(f) if f.sig.ident == *method))
    };
    let wanted = |method: &Ident| match &only {
        Some(names) => names.contains(method),
        None => !written(method),
    };
    let arguments = arguments(&item);
    let instead = |ident: &Ident| {
        let i = parameters.iter().position(|p| p == ident)?;
        arguments.get(i).map(ToTokens::to_token_stream)
    };
    let added = methods.iter().filter(|m| wanted(&m.sig.ident)).map(|method| {
        let (attributes, body) = (&method.attrs, body(&method.sig, &to));
        let signature = replace(method.sig.to_token_stream(), &|ident| match ident == "self" {
            // The body's `self`, not that of the macro's definition.
            true => Some(Ident::new("self", Span::call_site()).into_token_stream()),
            false => instead(ident),
        });
        ImplItem::Verbatim(quote!(#(#attributes)* #signature { #body }))
    });
    let added: Vec<ImplItem> = added.collect();
    item.items.extend(added);
    item.into_token_stream()
}

/// The arguments of the trait in `impl Trait<arguments> for ..`.
fn arguments(item: &ItemImpl) -> Vec<GenericArgument> {
    let path = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    match path.map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(a)) => a.args.iter().cloned().collect(),
        _ => Vec::new(),
    }
}

/// The call that a method consists of.
fn body(signature: &Signature, to: &To) -> TokenStream {
    let method = &signature.ident;
    let passed: Vec<_> = signature
        .inputs
        .iter()
        .filter_map(|argument| match argument {
            FnArg::Typed(typed) => Some(&typed.pat),
            FnArg::Receiver(_) => None,
        })
        .collect();
    let call = quote!(#method(#(#passed),*));
    match to {
        To::Place(place) => {
            let place = replace(place.to_token_stream(), &|ident| {
                (ident == "self").then(|| Ident::new("self", Span::call_site()).into_token_stream())
            });
            quote!((#place).#call)
        }
        To::Variants(variants) => {
            let this = Ident::new("self", Span::call_site());
            // No argument can have the same name: it is of another hygiene.
            let to = Ident::new("to", Span::mixed_site());
            quote!(match #this { #(Self::#variants(#to) => #to.#call,)* })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::{parse_quote, parse2};

    fn filled(arguments: TokenStream) -> String {
        let input = quote! {
            (P) {
                #[inline] fn take(&mut self, p: P, to: &impl View) -> Option<P>;
                fn held(&self) -> u64;
            }
            (#arguments)
            impl Stage<u8> for Any { fn held(&self) -> u64 { 7 } }
        };
        expand(parse2(input).expect("an impl and its trait")).to_string()
    }

    #[test]
    fn what_is_written_stays_and_the_rest_is_handed_on() {
        let expected: ItemImpl = parse_quote! {
            impl Stage<u8> for Any {
                fn held(&self) -> u64 { 7 }
                #[inline]
                fn take(&mut self, p: u8, to: &impl View) -> Option<u8> {
                    match self { Self::A(to) => to.take(p, to), Self::B(to) => to.take(p, to), }
                }
            }
        };
        assert_eq!(filled(quote!(match self { A, B })), expected.to_token_stream().to_string());
        assert!(filled(quote!(self.inner)).contains("(self . inner) . take (p , to)"));
    }

    #[test]
    fn a_list_names_methods_of_the_trait() {
        assert!(!filled(quote!(self.inner:)).contains("take"));
        assert!(filled(quote!(self.inner: taek)).contains("no method of the trait"));
    }
}
