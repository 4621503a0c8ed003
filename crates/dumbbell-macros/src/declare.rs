//! A trait whose methods can be handed on: the macro that knows their signatures, and its twin.
use crate::names::{Names, replace};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, FnArg, GenericParam, ItemTrait, Pat, Result, Signature, Token, TraitItem,
    TypeParamBound, parse_quote, parse2,
};

/// The arguments of the attribute on a trait.
#[derive(Default)]
struct Arguments {
    object: Option<(Ident, Punctuated<TypeParamBound, Token![+]>)>,
    names: Option<Names>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut arguments = Arguments::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            if key == "names" {
                arguments.names = Some(input.parse()?);
            } else if key == "object" {
                let (twin, mut bounds) = (input.parse()?, Punctuated::new());
                if input.parse::<Option<Token![:]>>()?.is_some() {
                    bounds = Punctuated::parse_separated_nonempty(input)?;
                }
                arguments.object = Some((twin, bounds));
            } else {
                return Err(syn::Error::new(key.span(), "expected `object` or `names`"));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(arguments)
    }
}

/// A method without its body and its documentation.
struct Method {
    inline: Vec<Attribute>,
    signature: Signature,
}

/// The trait, its twin, and the macro of its name.
pub(crate) fn expand(arguments: TokenStream, mut item: ItemTrait) -> Result<TokenStream> {
    let arguments: Arguments = parse2(arguments)?;
    let methods = methods(&mut item);
    let twin = arguments.object.map(|(name, bounds)| twin(&item, &methods, &name, &bounds));
    let handed_on = handed_on(&item, &methods, arguments.names);
    Ok(quote!(#item #twin #handed_on))
}

/// The methods of a trait, which loses the `#[inline]` of those that have no body.
fn methods(item: &mut ItemTrait) -> Vec<Method> {
    let mut methods = Vec::new();
    for member in &mut item.items {
        let TraitItem::Fn(method) = member else { continue };
        let inline = |a: &&Attribute| a.path().is_ident("inline");
        let mut signature = method.sig.clone();
        for argument in &mut signature.inputs {
            if let FnArg::Typed(argument) = argument
                && let Pat::Ident(name) = &mut *argument.pat
            {
                // A default body ignores arguments; those who hand them on do not.
                let plain = name.ident.to_string().trim_start_matches('_').to_owned();
                name.ident = Ident::new(&plain, name.ident.span());
            }
        }
        methods.push(Method {
            inline: method.attrs.iter().filter(inline).cloned().collect(),
            signature,
        });
        if method.default.is_none() {
            method.attrs.retain(|a| !inline(&a));
        }
    }
    methods
}

/// The macro of the trait's name: it passes the signatures to `fill!`, beside what it is called
/// with.
fn handed_on(item: &ItemTrait, methods: &[Method], names: Option<Names>) -> TokenStream {
    let name = &item.ident;
    let hidden = format_ident!("__delegate_{name}");
    let parameters: Vec<_> = item.generics.type_params().map(|p| &p.ident).collect();
    let signatures = methods.iter().map(|Method { inline, signature }| {
        let signature = signature.to_token_stream();
        let signature = match &names {
            Some(names) => names.qualify(signature, &parameters),
            None => signature,
        };
        quote!(#(#inline)* #signature;)
    });
    let (export, visible) = match names {
        Some(_) => (quote!(#[macro_export]), quote!(pub)),
        None => (quote!(), quote!(pub(crate))),
    };
    quote! {
        #[doc(hidden)]
        #export
        macro_rules! #hidden {
            ($($rest:tt)*) => {
                ::dumbbell_macros::fill! { (#(#parameters),*) { #(#signatures)* } $($rest)* }
            };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        #visible use #hidden as #name;
    }
}

/// The object-safe twin of a trait.
fn twin(
    item: &ItemTrait,
    methods: &[Method],
    name: &Ident,
    bounds: &Punctuated<TypeParamBound, Token![+]>,
) -> TokenStream {
    let (visible, of) = (&item.vis, &item.ident);
    let (_, arguments, _) = item.generics.split_for_impl();
    let mut generics = item.generics.clone();
    generics.params.push(parse_quote!(__T: #of #arguments + #bounds));
    let (with_bounds, _, _) = generics.split_for_impl();
    let parameters = item.generics.params.iter().map(|p| match p {
        GenericParam::Type(p) => p.ident.to_token_stream(),
        other => other.to_token_stream(),
    });
    let (mut declared, mut defined) = (Vec::new(), Vec::new());
    for Method { signature, .. } in methods {
        let (method, see) = (&signature.ident, format!("See [`{of}::{}`].", signature.ident));
        let (taken, passed): (Vec<_>, Vec<_>) = signature.inputs.iter().map(argument).unzip();
        let output = &signature.output;
        let inputs = signature.inputs.iter().map(|a| object_safe(a.to_token_stream()));
        declared.push(quote!(#[doc = #see] fn #method(#(#inputs),*) #output;));
        defined.push(quote! {
            fn #method(#(#taken),*) #output { <Self as #of #arguments>::#method(#(#passed),*) }
        });
    }
    let bounds = (!bounds.is_empty()).then(|| quote!(: #bounds));
    let about = format!("The object-safe twin of [`{of}`], which every `{of}` has.");
    quote! {
        #[doc = #about]
        #visible trait #name<#(#parameters),*> #bounds { #(#declared)* }
        impl #with_bounds #name #arguments for __T { #(#defined)* }
    }
}

/// An argument as the twin's method takes it, and as it passes it on.
fn argument(argument: &FnArg) -> (TokenStream, TokenStream) {
    let FnArg::Typed(typed) = argument else {
        return (argument.to_token_stream(), quote!(self));
    };
    let (name, generic) = (&typed.pat, typed.ty.to_token_stream());
    let object = object_safe(generic.clone());
    match &*typed.ty {
        _ if object.to_string() == generic.to_string() => (quote!(#name: #generic), quote!(#name)),
        syn::Type::Reference(r) if r.mutability.is_some() => {
            (quote!(mut #name: #object), quote!(&mut #name))
        }
        _ => (quote!(#name: #object), quote!(&#name)),
    }
}

/// `&dyn View` for `&impl View`.
fn object_safe(tokens: TokenStream) -> TokenStream {
    replace(tokens, &|ident| (ident == "impl").then(|| quote!(dyn)))
}
