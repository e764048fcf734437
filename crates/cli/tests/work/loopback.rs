//! Servers and clients that meet inside the box.

use crate::registry::Registry;
use crate::tools::need;
use crate::world::everybody;

const SERVER: &str = "const http = require('http');
const server = http.createServer((q, a) => a.end('served ' + q.url));
server.listen(0, process.argv[2], () => console.log(server.address().port));
process.on('SIGTERM', () => server.close(() => process.exit(0)));
";

const CLIENT: &str =
    "require('http').get(process.argv[2], a => { a.setEncoding('utf8'); a.on('data', t => console.log(t)); });\n";

/// One process serves, another asks; without a network and with an allowlist.
#[test]
fn a_node_server() {
    everybody(|mut world| {
        need(&["node"]);
        world.file("server.js", SERVER);
        world.file("client.js", CLIENT);
        let registry = Registry::start();
        for _ in 0..2 {
            for (listen, ask) in
                [("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "localhost"), ("::1", "[::1]"), ("0.0.0.0", "localhost")]
            {
                let said = world.work(&format!(
                    "node server.js {listen} > port & while [ ! -s port ]; do sleep 0.05; done
                     node client.js http://{ask}:$(cat port)/page; kill %1; wait %1; rm port"
                ));
                assert_eq!(said, "served /page\n", "{ask}");
            }
            world.reach(&registry);
        }
    });
}

/// Sockets with a path, in the repo and in `/tmp`; datagrams; a pair of ports.
#[test]
fn other_sockets() {
    everybody(|world| {
        let python = crate::tools::python("socket");
        world.file(
            "sockets.py",
            "import socket\n\
             def meet(kind, family, address):\n    a, b = socket.socket(family, kind), socket.socket(family, kind)\n    \
             a.bind(address)\n    b.connect(a.getsockname()) if kind == socket.SOCK_DGRAM else (a.listen(), b.connect(a.getsockname()))\n    \
             b.send(b'hello')\n    c = a if kind == socket.SOCK_DGRAM else a.accept()[0]\n    assert c.recv(5) == b'hello'\n\
             S, D = socket.SOCK_STREAM, socket.SOCK_DGRAM\n\
             for k in (S, D):\n    meet(k, socket.AF_INET, ('127.0.0.1', 0)); meet(k, socket.AF_INET6, ('::1', 0))\n    \
             meet(k, socket.AF_UNIX, f'here{k}'); meet(k, socket.AF_UNIX, f'/tmp/there{k}'); meet(k, socket.AF_UNIX, f'\\0abstract{k}')\n\
             print('all met')\n",
        );
        assert_eq!(world.work(&format!("{python} sockets.py")), "all met\n");
    });
}
