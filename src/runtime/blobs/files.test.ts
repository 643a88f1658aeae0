import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { self } from "../processes/identity.ts";
import { BlobFailure } from "./failure.ts";
import { fileBlobs } from "./files.ts";

let folder: string;

beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), "trammel-blobs-")), "blobs");
});

afterEach(() => rmSync(path.dirname(folder), { recursive: true }));

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("file blobs", () => {
  test("a blob is named by its content and comes back byte for byte", async () => {
    const blobs = fileBlobs(folder);
    const bytes = new Uint8Array([0, 255, 0xc3, 10]);
    const hash = await blobs.put(bytes);
    expect(hash).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect(new Uint8Array((await blobs.get(hash)) ?? [])).toEqual(bytes);
    expect(existsSync(blobs.pathOf(hash))).toBe(true);
  });

  test("pieces make the same blob as the whole, and the same content is kept once", async () => {
    const blobs = fileBlobs(folder);
    const writer = blobs.writer();
    for (const piece of ["ab", "", "c"]) expect(writer.write(Buffer.from(piece))).toBe(true);
    const hash = await writer.close();
    expect(hash).toBe(sha256("abc"));
    expect(await blobs.put(Buffer.from("abc"))).toBe(hash);
    expect(readdirSync(path.join(folder, "tmp"))).toEqual([]);
  });

  test("an empty blob exists", async () => {
    const blobs = fileBlobs(folder);
    expect(await blobs.get(await blobs.put(new Uint8Array()))).toHaveLength(0);
  });

  test("what is discarded leaves nothing, and is under no name", async () => {
    const blobs = fileBlobs(folder);
    const writer = blobs.writer();
    writer.write(Buffer.from("half"));
    await writer.discard();
    expect(readdirSync(path.join(folder, "tmp"))).toEqual([]);
    expect(await blobs.get(sha256("half"))).toBeNull();
  });

  test("folders and files are for their owner only, and files for reading", async () => {
    const blobs = fileBlobs(folder);
    const file = blobs.pathOf(await blobs.put(Buffer.from("mine")));
    expect(statSync(file).mode & 0o777).toBe(0o400);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  });

  test("a name that is no hash reads nothing", async () => {
    writeFileSync(path.join(path.dirname(folder), "outside"), "x");
    expect(await fileBlobs(folder).get("../outside")).toBeNull();
  });

  test("half blobs of a process that is gone are removed, those of a living one stay", async () => {
    await fileBlobs(folder).put(Buffer.from("first"));
    const { pid, startTime, bootId } = self();
    const living = [pid, encodeURIComponent(startTime), bootId, "x"].join("~");
    const gone = [pid, "1", bootId, "x"].join("~");
    for (const name of [living, gone]) writeFileSync(path.join(folder, "tmp", name), "half");
    await fileBlobs(folder).put(Buffer.from("second"));
    expect(readdirSync(path.join(folder, "tmp"))).toEqual([living]);
  });

  test("a folder that cannot be made is a typed failure that names it", async () => {
    writeFileSync(folder, "a file is in the way");
    const writer = fileBlobs(folder).writer();
    expect(writer.write(Buffer.from("x"))).toBe(false);
    await expect(writer.close()).rejects.toThrow(BlobFailure);
    await expect(writer.close()).rejects.toThrow(folder);
  });

  test.runIf(existsSync("/dev/full"))("a full disk is a typed failure that says what to do", () => {
    const failure = new BlobFailure("/data", fullDisk());
    expect(failure.code).toBe("ENOSPC");
    expect(failure.message).toBe("no space left in /data; free some, or move TRAMMEL_HOME");
  });
});

function fullDisk(): unknown {
  try {
    writeFileSync("/dev/full", "x");
  } catch (error) {
    return error;
  }
  return undefined;
}
