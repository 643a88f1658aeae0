import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { limits } from "../model/limits.ts";
import { readTextFile } from "./text-file.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trammel-text-file-"));
  file = join(folder, "trammel.yaml");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("reads a plain file without its byte order mark, through a link too", () => {
  writeFileSync(join(folder, "there"), "\uFEFFdefault: ä\n");
  symlinkSync("there", file);
  expect(readTextFile(file)).toEqual({ text: "default: ä\n" });
});

it("tells a file that is not there from one that is no file", () => {
  expect(readTextFile(file)).toBeNull();
  expect(readTextFile(join(folder, "a", "b"))).toBeNull();
});

it.each<[string, (path: string) => void, RegExp]>([
  ["a folder", (path) => mkdirSync(path), /^it is a folder$/],
  ["a pipe nobody writes to", (path) => execFileSync("mkfifo", [path]), /^it is no plain file$/],
  ["a device without an end", (path) => symlinkSync("/dev/zero", path), /^it is no plain file$/],
  ["a link to nothing", (path) => symlinkSync("nowhere", path), /^it is a link that leads to nothing$/],
  ["a link to itself", (path) => symlinkSync("trammel.yaml", path), /^ELOOP/],
  ["bytes that are no text", (path) => writeFileSync(path, Uint8Array.of(0xff, 0xfe, 0x00)), /^it is not UTF-8 text$/],
  ["too much", (path) => writeFileSync(path, " ".repeat(limits.documentBytes + 1)), /^it is larger than 4 MiB$/],
])("neither reads nor waits for %s", (_, make, fault) => {
  make(file);
  expect(readTextFile(file)).toEqual({ fault: expect.stringMatching(fault) });
});
