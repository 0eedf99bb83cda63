// A small server that apps/helpdesk calls: it takes pages, checks who sends them, and
// remembers what it was asked.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";

export async function pager(token) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { authorization, "x-signature": signature } = request.headers;
    asked.push({ method: request.method, url: request.url, body, headers: request.headers });
    const answer = (status, value) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    if (authorization !== `Bearer ${token}`) return answer(401, { error: "who are you?" });
    if (signature !== createHmac("sha256", token).update(body).digest("hex")) return answer(400, { error: "signature" });
    return answer(201, { id: `page-${asked.length}` });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return { port: server.address().port, asked, stop: () => server.close() };
}
