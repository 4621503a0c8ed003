//! Configurations: the defaults beside the fields, and fields that several have in common.
use crate::names::Names;
use crate::schema;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Expr, Field, Fields, FieldsNamed, ItemStruct, Result, Token, braced, parenthesized,
    parse_quote, parse2,
};

/// The arguments of the attribute: where the types of shared fields are.
struct Shared(Option<Names>);

impl Parse for Shared {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let key: Option<Ident> = input.parse()?;
        let Some(key) = key else { return Ok(Shared(None)) };
        if key != "shared" {
            return Err(syn::Error::new(key.span(), "expected `shared`"));
        }
        input.parse::<Token![=]>()?;
        Ok(Shared(Some(input.parse()?)))
    }
}

/// `default = value`, or `flatten` with other defaults of the shared fields.
struct FieldArguments {
    flatten: bool,
    values: Vec<(Ident, Expr)>,
}

impl Parse for FieldArguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut arguments = FieldArguments { flatten: false, values: Vec::new() };
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            if key == "flatten" {
                arguments.flatten = true;
            } else {
                input.parse::<Token![=]>()?;
                arguments.values.push((key, input.parse()?));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(arguments)
    }
}

/// Takes the attribute `config` off a field.
fn take(field: &mut Field) -> Result<FieldArguments> {
    let config = |a: &Attribute| a.path().is_ident("config");
    let arguments = match field.attrs.iter().find(|a| config(a)) {
        Some(attribute) => attribute.parse_args()?,
        None => FieldArguments { flatten: false, values: Vec::new() },
    };
    field.attrs.retain(|a| !config(a));
    Ok(arguments)
}

fn named(item: &mut ItemStruct) -> Result<&mut FieldsNamed> {
    let error = syn::Error::new(item.ident.span(), "a configuration has named fields");
    match &mut item.fields {
        Fields::Named(fields) => Ok(fields),
        _ => Err(error),
    }
}

/// The configuration, after the shared fields took their place.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut parsed: ItemStruct = parse2(item.clone())?;
    for field in &mut named(&mut parsed)?.named {
        if take(field)?.flatten {
            let of = &field.ty;
            return Ok(quote!(#of! { (#arguments) #item }));
        }
    }
    complete(parse2(arguments)?, parse2(item)?)
}

/// The struct with what is derived from it, its `Default` and, if it is shared, its macro.
fn complete(Shared(names): Shared, mut item: ItemStruct) -> Result<TokenStream> {
    let name = item.ident.clone();
    let shared = names.map(|names| {
        let hidden = format_ident!("__fields_of_{name}");
        let fields = item.fields.iter().map(|f| names.qualify(f.to_token_stream(), &[]));
        quote! {
            macro_rules! #hidden {
                ($($rest:tt)*) => { ::dumbbell_macros::flatten! { { #(#fields),* } $($rest)* } };
            }
            pub(crate) use #hidden as #name;
        }
    });
    let mut values = Vec::new();
    for field in &mut named(&mut item)?.named {
        let mut value = parse_quote!(::core::default::Default::default());
        for (key, written) in take(field)?.values {
            if key != "default" {
                return Err(syn::Error::new(key.span(), "expected `default`"));
            }
            value = written;
        }
        let field = &field.ident;
        values.push(quote!(#field: #value));
    }
    let schema = schema::implement(&mut item)?;
    item.attrs.push(parse_quote! {
        #[derive(
            Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize,
        )]
    });
    item.attrs.push(parse_quote!(#[serde(default, deny_unknown_fields)]));
    Ok(quote! {
        #item
        #schema
        impl ::core::default::Default for #name {
            fn default() -> Self { #name { #(#values),* } }
        }
        #shared
    })
}

/// A configuration and the fields that it shares.
pub(crate) struct Input {
    shared: Vec<Field>,
    arguments: TokenStream,
    item: ItemStruct,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (shared, arguments);
        braced!(shared in input);
        parenthesized!(arguments in input);
        let shared =
            Punctuated::<Field, Token![,]>::parse_terminated_with(&shared, Field::parse_named)?;
        let (shared, arguments) = (shared.into_iter().collect(), arguments.parse()?);
        Ok(Input { shared, arguments, item: input.parse()? })
    }
}

/// The configuration with the shared fields in place of the one that stands for them, and the
/// conversions from and to what shares them.
pub(crate) fn flatten(Input { shared, arguments, mut item }: Input) -> Result<TokenStream> {
    let mut fields = Punctuated::<Field, Token![,]>::new();
    let mut of = None;
    for mut field in std::mem::take(&mut named(&mut item)?.named) {
        let original = field.clone();
        let FieldArguments { flatten, values } = take(&mut field)?;
        if flatten {
            fields.extend(with_defaults(shared.clone(), values)?);
            of = Some(field);
        } else {
            fields.push(original);
        }
    }
    let others = fields.len() > shared.len();
    named(&mut item)?.named = fields;
    let conversions = of.map(|of| conversions(&item.ident, &of, &shared, others));
    Ok(quote! { #[::dumbbell_macros::config(#arguments)] #item #conversions })
}

/// The shared fields with these defaults in place of their own.
fn with_defaults(mut shared: Vec<Field>, values: Vec<(Ident, Expr)>) -> Result<Vec<Field>> {
    for (key, value) in values {
        let Some(field) = shared.iter_mut().find(|f| f.ident.as_ref() == Some(&key)) else {
            return Err(syn::Error::new(key.span(), "no shared field"));
        };
        take(field)?;
        field.attrs.push(parse_quote!(#[config(default = #value)]));
    }
    Ok(shared)
}

fn conversions(name: &Ident, of: &Field, shared: &[Field], others: bool) -> TokenStream {
    let Field { attrs, vis, ident: method, ty, .. } = of;
    let keys: Vec<_> = shared.iter().map(|f| &f.ident).collect();
    let rest = others.then(|| quote!(..#name::default()));
    quote! {
        impl #name {
            #(#attrs)*
            #[allow(clippy::clone_on_copy)]
            #vis fn #method(&self) -> #ty {
                #ty { #(#keys: self.#keys.clone(),)* }
            }
        }
        impl ::core::convert::From<#ty> for #name {
            fn from(shared: #ty) -> Self {
                #name { #(#keys: shared.#keys,)* #rest }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(field: TokenStream) -> String {
        let input = quote! {
            { #[config(default = 1)] a: u32, #[config(default = 2)] b: u32 }
            ()
            pub struct Own { #[config(default = 0)] own: u32, #field }
        };
        let flat = parse2(input).and_then(flatten);
        flat.unwrap_or_else(syn::Error::into_compile_error).to_string()
    }

    #[test]
    fn shared_fields_take_their_place_with_another_default() {
        let flat = flat(quote!(#[config(flatten, b = 3)] pub shared: Shared));
        let fields = quote! {
            pub struct Own {
                #[config(default = 0)] own: u32,
                #[config(default = 1)] a: u32,
                #[config(default = 3)] b: u32
            }
        };
        assert!(flat.contains(&fields.to_string()), "{flat}");
        let back = quote!(Own { a: shared.a, b: shared.b, ..Own::default() });
        assert!(flat.contains(&back.to_string()), "{flat}");
    }

    #[test]
    fn what_is_not_known_is_refused() {
        assert!(flat(quote!(#[config(flatten, c = 3)] shared: Shared)).contains("no shared field"));
        let item = quote!(
            struct Own {
                #[config(defualt = 3)]
                a: u32,
            }
        );
        let refused = expand(quote!(), item).unwrap_err().to_string();
        assert_eq!(refused, "expected `default`");
        let refused = expand(
            quote!(sharde = crate::a),
            quote!(
                struct Own {
                    a: u32,
                }
            ),
        );
        assert_eq!(refused.unwrap_err().to_string(), "expected `shared`");
    }
}
