//! The same over TLS: a certificate that is trusted, and one that is not.

use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;

use ringfence_runtime::quarantine::{By, Provider, Reason};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, Stream};

use crate::server::{envelope, read_request};

/// A server with a certificate of its own; its address and the certificate.
fn start() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut tls = Stream::new(&mut connection, &mut stream);
            read_request(&mut tls);
            let body = envelope(Provider::Anthropic, crate::GOOD);
            let _ = write!(tls, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            let _ = tls.flush();
        }
    });
    (url, made.cert.pem())
}

#[test]
fn a_trusted_certificate_is_asked_and_an_unknown_one_is_not() {
    let (url, certificate) = start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, certificate).unwrap();
    let mut config = crate::config(Provider::Anthropic, &url);
    config.ca_file = Some(file);
    assert_eq!(crate::ask_with(config.clone()).by, By::Provider);
    let (_, other) = start();
    std::fs::write(config.ca_file.as_ref().unwrap(), other).unwrap();
    assert_eq!(crate::ask_with(config).fallback, Some(Reason::Untrusted));
    let system = crate::ask_with(crate::config(Provider::Anthropic, &url));
    assert_eq!(system.fallback, Some(Reason::Untrusted));
}
