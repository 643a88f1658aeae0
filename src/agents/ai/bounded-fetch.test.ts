import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { limits } from "../../model/limits.ts";
import { boundedFetch } from "./bounded-fetch.ts";

const mebibyte = Buffer.alloc(1024 * 1024, "a");

/** Writes without end until the reader hangs up, and says how much that was. */
function endless(response: ServerResponse, chunk: Buffer): Promise<number> {
  let written = 0;
  return new Promise((done) => {
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
    };
    response.on("drain", more).once("close", () => done(written));
    more();
  });
}

async function answered<T>(
  answer: (response: ServerResponse) => void,
  look: (response: Response) => Promise<T>,
): Promise<T> {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  try {
    return await look(await boundedFetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("an answer comes as it was sent, with its status and headers", async () => {
  const seen = await answered(
    (response) => response.writeHead(201, { "x-of": "server" }).end("a\n\nb"),
    async (response) => [response.status, response.headers.get("x-of"), await response.text()],
  );
  expect(seen).toEqual([201, "server", "a\n\nb"]);
});

test("an answer without a body has none", async () => {
  const status = await answered(
    (response) => response.writeHead(204).end(),
    async (response) => [response.status, await response.text()],
  );
  expect(status).toEqual([204, ""]);
});

test("of a refusal the beginning is read, and the server is left", async () => {
  const written = Promise.withResolvers<number>();
  const text = await answered(
    (response) => {
      response.writeHead(500);
      void endless(response, mebibyte).then(written.resolve);
    },
    (response) => response.text(),
  );
  expect(text).toHaveLength(limits.agentRefusalBytes);
  expect(await written.promise).toBeLessThan(32 * mebibyte.length);
});

test.each([
  ["a line without end", (response: ServerResponse) => void endless(response, mebibyte)],
  ["lines without end", (response: ServerResponse) => void endless(response, Buffer.from(`${mebibyte.toString()}\n`))],
  [
    "little that unfolds to much",
    (response: ServerResponse) =>
      response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(limits.agentAnswerLineBytes * 2))),
  ],
])("%s is broken off", async (_, answer) => {
  await expect(answered(answer, (response) => response.text())).rejects.toThrow("larger than an answer may be");
});

test.each([301, 302, 303, 307, 308])(
  "a %i leads nowhere: no key goes to an address that nobody named",
  async (status) => {
    const asked: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      asked.push(request.url);
      response.end();
    });
    await new Promise<void>((done) => void other.listen(0, "127.0.0.1", done));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    try {
      const sent = answered(
        (response) => response.writeHead(status, { location }).end(),
        (response) => response.text(),
      );
      await expect(sent).rejects.toThrow(`the provider sends on to ${location}, which gets neither key nor prompt`);
      expect(asked).toEqual([]);
    } finally {
      other.close();
    }
  },
);
