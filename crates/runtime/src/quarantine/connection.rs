//! One question over HTTP/1.1: a connection for each, no redirects, no proxies, no cookies. A body in, a bounded body
//! or a reason out. The key is in a header marked sensitive and in nothing that prints.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{CONTENT_ENCODING, HeaderValue, RETRY_AFTER};
use hyper::rt::{Read, Write};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use url::{Host, Url};

use super::config::{BadConfig, Config};
use super::reason::Reason;

/// A server asks for no longer wait than this.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);

/// What came back.
pub(super) enum Answer {
    /// A success and its body.
    Body(Vec<u8>),
    /// Another status, and when the server would like to be asked again.
    Refused { status: u16, retry_after: Option<Duration> },
}

/// Where questions go, and how.
pub(super) struct Endpoint {
    url: Url,
    host: String,
    port: u16,
    headers: Vec<(&'static str, HeaderValue)>,
    connect_timeout: Duration,
    response_bytes_max: usize,
    /// The certificates of the configuration, or none: then the system's, read when they are first needed.
    trust: OnceLock<Option<TlsConnector>>,
}

impl Endpoint {
    pub(super) fn new(config: &Config) -> Result<Self, BadConfig> {
        let bad = || BadConfig::Address(config.base_url.clone());
        let base = config.base_url.trim_end_matches('/');
        let base = base.strip_suffix("/v1").unwrap_or(base);
        let plain = Url::parse(base).map_err(|_| bad())?;
        let url = Url::parse(&format!("{base}{}", config.provider.path())).map_err(|_| bad())?;
        if plain.host() != url.host() || plain.query().is_some() || plain.fragment().is_some() {
            return Err(bad());
        }
        let (host, is_here) = match url.host().ok_or_else(bad)? {
            Host::Domain(name) => (name.to_owned(), name == "localhost"),
            Host::Ipv4(address) => (address.to_string(), address.is_loopback()),
            Host::Ipv6(address) => (address.to_string(), address.is_loopback()),
        };
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
            return Err(bad());
        }
        let port = url.port_or_known_default().ok_or_else(bad)?;
        let key = config.key_env.as_ref().map(|name| {
            let key = std::env::var(name).ok().filter(|key| !key.is_empty());
            key.ok_or_else(|| BadConfig::NoKey(name.clone()))
        });
        let key = key.transpose()?;
        if key.is_some() && url.scheme() == "http" && !is_here {
            return Err(BadConfig::InTheClear(host));
        }
        let headers = config.provider.headers(key.as_deref()).into_iter().map(|(name, value)| {
            let mut value = HeaderValue::from_str(&value)
                .map_err(|_| BadConfig::NoKey(config.key_env.clone().unwrap_or_default()))?;
            value.set_sensitive(true);
            Ok((name, value))
        });
        let headers = headers.collect::<Result<_, BadConfig>>()?;
        let trust = OnceLock::new();
        if let Some(file) = &config.ca_file {
            let unreadable = || BadConfig::Certificates(file.display().to_string());
            let certificates = CertificateDer::pem_file_iter(file).map_err(|_| unreadable())?;
            let connector = connector(certificates.flatten().collect()).ok_or_else(unreadable)?;
            let _ = trust.set(Some(connector));
        }
        Ok(Self {
            url,
            host,
            port,
            headers,
            connect_timeout: Duration::from_millis(config.connect_timeout_ms),
            response_bytes_max: config.response_bytes_max,
            trust,
        })
    }

    /// Asks once.
    pub(super) async fn post(&self, body: &[u8]) -> Result<Answer, Reason> {
        let connecting =
            tokio::time::timeout(self.connect_timeout, TcpStream::connect((self.host.as_str(), self.port)));
        let stream = connecting.await.map_err(|_| Reason::Unreachable)?.map_err(|_| Reason::Unreachable)?;
        let _ = stream.set_nodelay(true);
        if self.url.scheme() == "http" {
            return self.exchange(TokioIo::new(stream), body).await;
        }
        let connector = self.trust.get_or_init(|| connector(rustls_native_certs::load_native_certs().certs));
        let connector = connector.as_ref().ok_or(Reason::Untrusted)?;
        let name = ServerName::try_from(self.host.clone()).map_err(|_| Reason::Untrusted)?;
        let securing = tokio::time::timeout(self.connect_timeout, connector.connect(name, stream));
        let stream = securing.await.map_err(|_| Reason::Unreachable)?.map_err(|_| Reason::Untrusted)?;
        self.exchange(TokioIo::new(stream), body).await
    }

    async fn exchange<T>(&self, stream: T, body: &[u8]) -> Result<Answer, Reason>
    where
        T: Read + Write + Unpin + Send + 'static,
    {
        let (mut sender, connection) = http1::handshake(stream).await.map_err(|_| Reason::BrokenOff)?;
        // Dropped with this call, and the connection with it.
        let mut driver = JoinSet::new();
        driver.spawn(connection);
        let response = sender.send_request(self.request(body)?).await.map_err(|_| Reason::BrokenOff)?;
        let status = response.status();
        if !status.is_success() {
            return Ok(Answer::Refused { status: status.as_u16(), retry_after: retry_after(&response) });
        }
        if response.headers().contains_key(CONTENT_ENCODING) {
            return Err(Reason::NotAnAnswer);
        }
        self.collect(response.into_body()).await.map(Answer::Body)
    }

    fn request(&self, body: &[u8]) -> Result<Request<Full<Bytes>>, Reason> {
        let host = self.url.host_str().unwrap_or_default();
        let host = self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let mut request = Request::post(self.url.path())
            .header("host", host)
            .header("user-agent", "ringfence")
            .header("content-type", "application/json")
            .header("accept", "application/json");
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        request.body(Full::new(Bytes::copy_from_slice(body))).map_err(|_| Reason::NotAnAnswer)
    }

    /// Reads a body, and stops where it is longer than an answer may be.
    async fn collect(&self, mut body: Incoming) -> Result<Vec<u8>, Reason> {
        let most = self.response_bytes_max;
        if body.size_hint().lower() > most as u64 {
            return Err(Reason::TooLarge);
        }
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Reason::BrokenOff)?;
            let Some(data) = frame.data_ref() else { continue };
            if bytes.len() + data.len() > most {
                return Err(Reason::TooLarge);
            }
            bytes.extend_from_slice(data);
        }
        Ok(bytes)
    }
}

fn retry_after(response: &Response<Incoming>) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(RETRY_AFTER_MAX))
}

/// TLS that trusts these certificates; `None` where there are none.
fn connector(certificates: Vec<CertificateDer<'static>>) -> Option<TlsConnector> {
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(certificates);
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    (added > 0).then(|| TlsConnector::from(Arc::new(config)))
}

/// The headers hold the key: they do not print.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}
