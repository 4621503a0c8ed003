//! Numbers of sockets: socket 2 x flow + end is one end of a flow.

/// The end of a flow that sends its data.
pub const SENDER: usize = 0;
/// The end of a flow that receives its data.
pub const RECEIVER: usize = 1;
