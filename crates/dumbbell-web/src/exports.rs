//! The module's interface: functions over numbers, and one buffer in each direction.
//!
//! A caller asks for room with [`room`], writes its request there and calls [`call`]. The answer is
//! at [`at`]: for each part, the JSON first and then the blobs, its length as 32 bits, lowest byte
//! first, and its bytes. After a trap, [`at`] and [`size`] have the message of the panic, and the
//! instance is of no further use.
use crate::request::Session;
use std::cell::RefCell;
use std::panic;

#[derive(Default)]
struct Buffers {
    request: Vec<u8>,
    answer: Vec<u8>,
    session: Session,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
    static PANIC: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Room for a request of so many bytes: its address.
#[unsafe(no_mangle)]
#[allow(unsafe_code)]
pub extern "C" fn room(bytes: usize) -> *const u8 {
    panic::set_hook(Box::new(|info| {
        PANIC.with(|said| *said.borrow_mut() = info.to_string().into_bytes());
    }));
    BUFFERS.with(|buffers| {
        let request = &mut buffers.borrow_mut().request;
        request.clear();
        request.resize(bytes, 0);
        request.as_ptr()
    })
}

/// Answers the request: the length of the answer.
#[unsafe(no_mangle)]
#[allow(unsafe_code)]
pub extern "C" fn call() -> usize {
    BUFFERS.with(|buffers| {
        let Buffers { request, answer, session } = &mut *buffers.borrow_mut();
        let given = session.answer(request);
        answer.clear();
        let json = serde_json::to_vec(&given.json).unwrap_or_default();
        for part in std::iter::once(&json).chain(&given.blobs) {
            answer.extend((part.len() as u32).to_le_bytes());
            answer.extend(part);
        }
        answer.len()
    })
}

/// Where the answer is; after a trap, the message of the panic.
#[unsafe(no_mangle)]
#[allow(unsafe_code)]
pub extern "C" fn at() -> *const u8 {
    let said = PANIC.with(|said| {
        let said = said.borrow();
        (!said.is_empty()).then(|| said.as_ptr())
    });
    said.unwrap_or_else(|| BUFFERS.with(|buffers| buffers.borrow().answer.as_ptr()))
}

/// The length of the message of a panic; 0 without one.
#[unsafe(no_mangle)]
#[allow(unsafe_code)]
pub extern "C" fn size() -> usize {
    PANIC.with(|said| said.borrow().len())
}
