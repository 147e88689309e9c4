"""Forwards every request to the store, as the server in front of it understood it: for WSGI and for ASGI."""

import asyncio
import http.client
import os

UPSTREAM = int(os.environ["UPSTREAM"])
# Hop-by-hop headers: RFC 9110 section 7.6.1.
OWN = {"connection", "keep-alive", "te", "transfer-encoding", "upgrade", "content-length"}


def forward(method, target, headers, body):
    store = http.client.HTTPConnection("127.0.0.1", UPSTREAM, timeout=30)
    try:
        store.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in [*headers, ("content-length", str(len(body)))]:
            store.putheader(name, value)
        store.endheaders(body)
        answer = store.getresponse()
        return answer.status, answer.reason, [(n, v) for n, v in answer.getheaders() if n.lower() not in OWN], answer.read()
    finally:
        store.close()


def wsgi(environ, start_response):
    headers = [(name[5:].replace("_", "-"), value) for name, value in environ.items() if name.startswith("HTTP_")]
    if environ.get("CONTENT_TYPE"):
        headers.append(("content-type", environ["CONTENT_TYPE"]))
    target = environ["SCRIPT_NAME"] + environ["PATH_INFO"] + ("?" + environ["QUERY_STRING"] if environ.get("QUERY_STRING") else "")
    status, reason, given, body = forward(
        environ["REQUEST_METHOD"], target, [h for h in headers if h[0].lower() not in OWN], environ["wsgi.input"].read()
    )
    start_response(f"{status} {reason}", [*given, ("content-length", str(len(body)))])
    return [body]


async def asgi(scope, receive, send):
    if scope["type"] != "http":
        raise RuntimeError(f"{scope['type']} is not offered here")
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message.get("body", b"")
        more = message.get("more_body", False)
    target = scope["raw_path"].decode("latin-1") + ("?" + scope["query_string"].decode("latin-1") if scope["query_string"] else "")
    headers = [(n.decode("latin-1"), v.decode("latin-1")) for n, v in scope["headers"] if n.decode("latin-1").lower() not in OWN]
    status, _, given, answer = await asyncio.to_thread(forward, scope["method"], target, headers, body)
    fields = [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in given]
    await send({"type": "http.response.start", "status": status, "headers": [*fields, (b"content-length", str(len(answer)).encode())]})
    await send({"type": "http.response.body", "body": answer})
