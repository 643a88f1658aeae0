import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { findAgents } from "./found.ts";
import { modelsOf } from "./models.ts";

/** Asks a server of the test, which answers so. */
async function asking<T>(answer: (response: ServerResponse) => void, ask: (host: string) => Promise<T>): Promise<T> {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  try {
    return await ask(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Valid JSON but for its size, without end until the reader hangs up. */
function endless(response: ServerResponse): void {
  const chunk = `${'"name": "a",'.repeat(10_000)}\n`;
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
}

const listing = (host: string) => modelsOf("compatible", { baseUrl: `http://${host}`, keyNames: [] });

test("the models of a vendor are those it lists", async () => {
  const answer = (response: ServerResponse) => response.end('{"data": [{"id": "one"}, {"id": "two"}]}');
  expect(await asking(answer, listing)).toEqual({ models: ["one", "two"] });
});

test("a list without end is left, and said to be too large", async () => {
  expect(await asking(endless, listing)).toEqual({ fault: expect.stringContaining("larger than an answer may be") });
});

test("nor does what answers in the place of an Ollama fill the memory, or hold one up", async () => {
  const look = (host: string) => findAgents({ env: { OLLAMA_HOST: host } });
  expect((await asking(endless, look)).ollama).toHaveProperty("absent");
  expect((await asking((response) => void response.write("{"), look)).ollama).toHaveProperty("absent");
});
