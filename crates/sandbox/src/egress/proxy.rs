//! The proxy door on the box's own loopback, for programs that insist on one: HTTP CONNECT, plain forwarding
//! and SOCKS5.
//!
//! In: a connection from inside. Out: the same decision and the same checks as without a proxy. What follows a
//! CONNECT is looked at like the first bytes of any connection.

use super::context::{Admitted, Context, Denial, Stop, denial, plain_answer};
use super::dial::{Upstream, dial};
use super::event::{Via, Why};
use super::http::{self, Body};
use super::pump::{fill, last_word, write_all};
use super::rules::Target;
use super::tunnel::{self, Start, judge_request};
use std::future::ready;
use std::io;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(30);

/// The variables that point programs to the door.
pub fn proxy_env(port: u16) -> Vec<(String, String)> {
    let door = format!("http://127.0.0.1:{port}");
    let own = "localhost,127.0.0.1,::1".to_owned();
    let pairs = [("HTTP_PROXY", &door), ("HTTPS_PROXY", &door), ("ALL_PROXY", &door), ("NO_PROXY", &own)];
    let both =
        |(name, value): (&str, &String)| [(name.to_owned(), value.clone()), (name.to_lowercase(), value.clone())];
    pairs.into_iter().flat_map(both).collect()
}

/// Serves one connection.
pub(crate) async fn serve(context: &Context, client: &TcpStream) {
    let mut bytes = Vec::new();
    match timeout(PATIENCE, fill(client, &mut bytes)).await {
        Ok(Ok(1..)) => {}
        _ => return,
    }
    if bytes.first() == Some(&super::socks::VERSION) {
        return super::socks::serve(context, client, bytes).await;
    }
    let length = match timeout(PATIENCE, rest_of_head(client, &mut bytes)).await {
        Ok(Ok(Some(length))) => length,
        _ => return,
    };
    let rest = bytes.split_off(length);
    match request(context, &bytes, rest) {
        Ok(Request { admitted, start }) => forward(context, client, admitted, start).await,
        Err(denial) => refuse(context, client, &denial).await,
    }
}

async fn rest_of_head(client: &TcpStream, bytes: &mut Vec<u8>) -> io::Result<Option<usize>> {
    let mut looked_at = 0;
    loop {
        if let Some(length) = http::end_of_head(bytes, looked_at) {
            return Ok(Some(length));
        }
        looked_at = bytes.len();
        if looked_at >= http::LONGEST || fill(client, bytes).await? == 0 {
            return Ok(None);
        }
    }
}

/// An admitted request.
struct Request {
    admitted: Admitted,
    start: Start,
}

fn request(context: &Context, bytes: &[u8], rest: Vec<u8>) -> Result<Request, Denial> {
    let via = Via::Proxy;
    let malformed = |why| denial(b"", None, via, why);
    let head = http::read(bytes).map_err(malformed)?;
    let tunnel = head.method == "CONNECT";
    if !tunnel && !head.absolute || tunnel && head.body != Body::Length(0) {
        return Err(malformed(Why::HttpMalformed));
    }
    let target = context.target_of(head.host.clone(), head.port.unwrap_or(80), via)?;
    let admitted = context.admit(target, via)?;
    let start = if tunnel {
        Start::Unseen(rest)
    } else {
        if head.host != admitted.target.host {
            // The server would see an address that means something inside the box only.
            return Err(admitted.target.denial(via, Why::HostMismatch).about(head.host.as_str().as_bytes()));
        }
        judge_request(&context.live.current(), &admitted.target, &head, via)?;
        let origin = http::for_origin(&head, bytes).ok_or_else(|| malformed(Why::HttpMalformed))?;
        Start::Judged { head: origin, body: head.body, rest }
    };
    Ok(Request { admitted, start })
}

async fn forward(context: &Context, client: &TcpStream, admitted: Admitted, start: Start) {
    let upstream = match reach(context, &admitted.target, Via::Proxy).await {
        Ok(upstream) => upstream,
        Err(Stop::Denied(denial)) => return refuse(context, client, &denial).await,
        Err(Stop::Failed(error)) => {
            let body = serde_json::json!({ "error": "net.unreachable", "why": error.to_string() });
            return last_word(client, &plain_answer("502 Bad Gateway", &body.to_string())).await;
        }
    };
    let ready_to_go = b"HTTP/1.1 200 Connection established\r\n\r\n";
    if matches!(start, Start::Unseen(_)) && write_all(client, ready_to_go).await.is_err() {
        return;
    }
    tunnel::run(context, client, admitted, start, ready(Ok(upstream))).await;
}

/// Dials by the rules of this moment.
pub(crate) async fn reach(context: &Context, target: &Target, via: Via) -> Result<Upstream, Stop> {
    let rules = context.live.current();
    dial(&rules, target, via).await
}

async fn refuse(context: &Context, client: &TcpStream, denial: &Denial) {
    context.tell(denial);
    last_word(client, &denial.answer()).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_come_in_both_cases() {
        let env = proxy_env(3128);
        assert_eq!(env.len(), 8);
        assert!(env.contains(&("https_proxy".to_owned(), "http://127.0.0.1:3128".to_owned())));
        assert!(env.contains(&("NO_PROXY".to_owned(), "localhost,127.0.0.1,::1".to_owned())));
    }
}
