import { execFileSync } from "node:child_process";
import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newPortFile, type Ports } from "./port-file.ts";

async function taken(text: string): Promise<Ports | null> {
  const file = newPortFile();
  writeFileSync(file.path, text);
  const ports = await file.take();
  expect(existsSync(file.path)).toBe(false);
  return ports;
}

test("ports are the members of one JSON object", async () => {
  expect(await taken('{"version": "1.2", "n": 3}\n')).toEqual({ ports: { version: "1.2", n: 3 } });
  expect(await taken(" \n")).toEqual({ ports: {} });
});

test("a process that writes none has none, and nothing is on disk for it but a private folder", async () => {
  const file = newPortFile();
  expect(await file.take()).toBeNull();
  expect(statSync(path.dirname(file.path)).mode & 0o777).toBe(0o700);
});

test("anything else is a problem that says so", async () => {
  expect(await taken("[1]")).toEqual({ problem: '$TRAMMEL_OUTPUT must be a JSON object, e.g. {"version": "1.2"}' });
  expect(await taken("null")).toEqual({ problem: expect.stringContaining("must be a JSON object") });
  expect(await taken('{"id": 1e400}')).toEqual({
    problem: expect.stringMatching(/^\$TRAMMEL_OUTPUT holds a number that cannot/),
  });
  expect(await taken("hush ".repeat(20))).toEqual({ problem: "$TRAMMEL_OUTPUT is no JSON: Unexpected token 'h'" });
  expect(await taken('{"a": hush}')).toEqual({ problem: "$TRAMMEL_OUTPUT is no JSON: Unexpected token 'h'" });
  expect(await taken("version=1")).toEqual({ problem: expect.stringMatching(/^\$TRAMMEL_OUTPUT is no JSON: /) });
  expect(await taken(`{"a": "${"x".repeat(1024 * 1024)}"}`)).toEqual({
    problem: "$TRAMMEL_OUTPUT is larger than 1048576 bytes",
  });
});

test("a pipe, device or link in its place does not hang or leak", async () => {
  const pipe = newPortFile();
  execFileSync("mkfifo", [pipe.path]);
  expect(await pipe.take()).toEqual({ problem: "$TRAMMEL_OUTPUT is not a plain file" });
  const link = newPortFile();
  symlinkSync("/dev/zero", link.path);
  expect(await link.take()).toEqual({ problem: expect.stringMatching(/cannot be read/) });
});
