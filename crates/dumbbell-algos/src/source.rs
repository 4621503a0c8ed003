//! Traffic: when an application sends, and how many bytes.
pub(crate) mod parts;
use dumbbell_core::registry;

registry! { source AnySource, suite source_suite {
    bulk::Bulk,
    camera::Camera,
    cbr::Cbr,
    dash::Dash,
    fixed::Fixed,
    on_off::OnOff,
    pareto::Pareto,
    poisson::Poisson,
    request_response::RequestResponse,
    video::Video,
    voip::Voip,
    web::Web,
} }
