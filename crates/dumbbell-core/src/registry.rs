//! `registry!`: an algorithm is one file and one line.
//!
//! ```text
//! registry! { aqm AnyAqm, suite aqm_suite { drop_tail::DropTail, red::Red } }
//! ```
//! declares the modules, a closed enum over the algorithms (inlined, greppable) with one `Plugin`
//! variant for those of other crates, the catalogue, building by name, and a conformance test for
//! each. A kind is one of `aqm`, `cc`, `meter`, `impairment`, `service`, `source`, and
//! `conditioner` and `qdisc`, whose algorithms own packets and so are generic over the packet.
use crate::catalogue::{Entry, Fault, nearest};

/// The fault of a name that is not in `catalogue`.
pub fn unknown(kind: &str, name: &str, catalogue: &[Entry]) -> Fault {
    let names: Vec<&str> = catalogue.iter().map(|e| e.about.name).collect();
    let fault = Fault::at("kind", format!("there is no {kind} named `{name}`"));
    match nearest(name, &names) {
        Some(known) => fault.fix(format!("did you mean `{known}`?")),
        None => fault.fix(format!("known are {}", names.join(", "))),
    }
}

/// Declares the algorithms of one kind. See the module's page.
#[macro_export]
macro_rules! registry {
    (conditioner $($rest:tt)*) => { $crate::registry! { owning conditioner $($rest)* } };
    (qdisc $($rest:tt)*) => { $crate::registry! { owning qdisc $($rest)* } };
    (
        owning $kind:ident $Any:ident,
        suite $suite:ident { $($module:ident :: $Type:ident),+ $(,)? }
    ) => {
        $(pub mod $module;)+

        #[doc = concat!("Every ", stringify!($kind), " of the catalogue, and those of other \
            crates.")]
        #[allow(clippy::large_enum_variant)]
        pub enum $Any<P> {
            $(#[doc = concat!("See [`", stringify!($module), "`].")] $Type($module::$Type<P>),)+
            /// A plugin from another crate.
            Plugin($crate::__plugin!($kind P)),
        }

        /// Their pages and parameters. A static, not a constant: users of a constant would compile
        /// all that it names.
        pub static CATALOGUE: &[$crate::catalogue::Entry] =
            &[$($crate::catalogue::Entry::of::<$module::$Type<()>>()),+];

        /// Reads configurations: compiled here, not once for each type of packet in the crate that
        /// has this type.
        mod configs {
            $(pub fn $module(
                config: &serde_json::Value,
            ) -> Result<
                <super::$module::$Type<()> as $crate::catalogue::Algorithm>::Config,
                $crate::catalogue::Fault,
            > {
                $crate::catalogue::read(config)
            })+
        }

        impl<P> $Any<P> {
            $crate::__build!($kind $crate::__site!($kind) {
                $($module::$Type<P> => $Type, configs::$module),+
            });
        }

        $crate::__delegate!($kind $Any { $($Type),+ });

        #[cfg(test)]
        mod conformance {
            $(mod $module {
                $crate::__suite!($suite, super::super::$module::$Type<$crate::testing::Numbered>);
            })+
        }
    };
    ($kind:ident $Any:ident, suite $suite:ident { $($module:ident :: $Type:ident),+ $(,)? }) => {
        $(pub mod $module;)+

        #[doc = concat!("Every ", stringify!($kind), " of the catalogue, and those of other \
            crates.")]
        #[allow(clippy::large_enum_variant)]
        pub enum $Any {
            $(#[doc = concat!("See [`", stringify!($module), "`].")] $Type($module::$Type),)+
            /// A plugin: from another crate, from Python, or the verilated RTL.
            Plugin($crate::__plugin!($kind)),
        }

        /// Their pages and parameters. A static, not a constant: users of a constant would compile
        /// all that it names.
        pub static CATALOGUE: &[$crate::catalogue::Entry] =
            &[$($crate::catalogue::Entry::of::<$module::$Type>()),+];

        impl $Any {
            $crate::__build!($kind $crate::__site!($kind) {
                $($module::$Type => $Type, $crate::catalogue::read),+
            });
        }

        $crate::__delegate!($kind $Any { $($Type),+ });

        #[cfg(test)]
        mod conformance {
            $(mod $module { $crate::__suite!($suite, super::super::$module::$Type); })+
        }
    };
}

/// Building by name, inside the `impl` of a kind's enum.
#[doc(hidden)]
#[macro_export]
macro_rules! __build {
    ($kind:ident $Site:ty { $($Type:ty => $Variant:ident, $read:path),+ }) => {
        /// Builds the algorithm `name` from its configuration, for its site (the link of a queue,
        /// the path of a connection).
        ///
        /// # Errors
        /// An unknown name (with the nearest known one), or a fault in the configuration and where
        /// it is.
        pub fn build(
            name: &str,
            config: &serde_json::Value,
            site: &$Site,
        ) -> Result<Self, $crate::catalogue::Fault> {
            use $crate::catalogue::Algorithm;
            $(if name == <$Type as Algorithm>::ABOUT.name {
                let config = $read(config)?;
                return Ok(Self::$Variant(<$Type as Algorithm>::new(&config, site)));
            })+
            Err($crate::registry::unknown(stringify!($kind), name, CATALOGUE))
        }
    };
}

/// Implements the trait of a kind for its enum: each method is a match over the algorithms, which
/// the compiler turns into direct calls.
#[doc(hidden)]
#[macro_export]
macro_rules! __delegate {
    (aqm $($to:tt)+) => { $crate::__delegate!([$crate::aqm::Aqm] $($to)+); };
    (meter $($to:tt)+) => { $crate::__delegate!([$crate::meter::Meter] $($to)+); };
    (cc $($to:tt)+) => { $crate::__delegate!([$crate::transport::CongestionControl] $($to)+); };
    (impairment $($to:tt)+) => { $crate::__delegate!([$crate::impairment::Impairment] $($to)+); };
    (source $($to:tt)+) => { $crate::__delegate!([$crate::source::Source] $($to)+); };
    (service $($to:tt)+) => { $crate::__delegate!([$crate::service::Service] $($to)+); };
    (conditioner $($to:tt)+) => {
        $crate::__delegate!(owning [$crate::conditioner::Conditioner] $($to)+);
    };
    (qdisc $($to:tt)+) => { $crate::__delegate!(owning [$crate::qdisc::Qdisc] $($to)+); };
    ([$($Trait:tt)+] $Any:ident { $($Type:ident),+ }) => {
        #[::dumbbell_macros::delegate(match self { $($Type,)+ Plugin })]
        impl $($Trait)+ for $Any {}
    };
    (owning [$($Trait:tt)+] $Any:ident { $($Type:ident),+ }) => {
        #[::dumbbell_macros::delegate(match self { $($Type,)+ Plugin })]
        impl<P: $crate::packet::Packet> $($Trait)+<P> for $Any<P> {}
    };
}

/// Calls a suite macro of the registry's own crate.
#[doc(hidden)]
#[macro_export]
macro_rules! __suite {
    ($suite:ident, $Type:path) => {
        $suite!($Type);
    };
}

/// The type of the `Plugin` variant.
#[doc(hidden)]
#[macro_export]
macro_rules! __plugin {
    (aqm) => { Box<dyn $crate::aqm::DynAqm> };
    (meter) => { Box<dyn $crate::meter::Meter + Send> };
    (cc) => { Box<dyn $crate::transport::CongestionControl + Send> };
    (impairment) => { Box<dyn $crate::impairment::Impairment + Send> };
    (source) => { Box<dyn $crate::source::Source + Send> };
    (service) => { Box<dyn $crate::service::Service + Send> };
    (conditioner $P:ident) => { Box<dyn $crate::conditioner::DynConditioner<$P>> };
    (qdisc $P:ident) => { Box<dyn $crate::qdisc::DynQdisc<$P>> };
}

/// The site of an algorithm of a kind.
#[doc(hidden)]
#[macro_export]
macro_rules! __site {
    (aqm) => {
        $crate::aqm::LinkInfo
    };
    (qdisc) => {
        $crate::aqm::LinkInfo
    };
    (meter) => {
        $crate::meter::Contract
    };
    (conditioner) => {
        $crate::meter::Contract
    };
    (cc) => {
        $crate::transport::Path
    };
    (impairment) => {
        ()
    };
    (source) => {
        ()
    };
    (service) => {
        $crate::service::Site
    };
}
