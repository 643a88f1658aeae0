import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ScratchFailure, scratchFile, writeScratch } from "./scratch.ts";

test("a temporary file is for this user only; where it cannot be written, that is told with its folder", async () => {
  const file = scratchFile(".txt");
  await writeScratch(file, "kept\n");
  expect(readFileSync(file, "utf8")).toBe("kept\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const failed = writeScratch(join(file, "none"), "x");
  await expect(failed).rejects.toThrow(ScratchFailure);
  await expect(failed).rejects.toThrow(`no temporary file can be written in ${file}: ENOTDIR`);
  rmSync(file);
});
