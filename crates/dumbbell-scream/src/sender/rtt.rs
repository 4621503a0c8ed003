//! The smoothed round-trip time (RFC 8298 section 4.1.1.2: as in RFC 6298 section 2).
use dumbbell_core::units::Span;

/// `s_rtt` and its variation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rtt {
    srtt: Option<Span>,
    var: Span,
}

impl Rtt {
    /// A sample.
    pub fn add(&mut self, rtt: Span) {
        match self.srtt {
            None => (self.srtt, self.var) = (Some(rtt), Span::from_ps(rtt.ps() / 2)),
            Some(srtt) => {
                let off = srtt.ps().abs_diff(rtt.ps());
                self.var = Span::from_ps(self.var.ps() - self.var.ps() / 4 + off / 4);
                self.srtt = Some(Span::from_ps(srtt.ps() - srtt.ps() / 8 + rtt.ps() / 8));
            }
        }
    }
    /// `None` before a sample.
    pub fn srtt(&self) -> Option<Span> {
        self.srtt
    }
    /// The variation.
    pub fn var(&self) -> Span {
        self.var
    }
}
