import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Of a process that was ended before it could remove it, such as a worker of vitest; and Node's own cache. */
const mayStay = /^(?:trammel-\d+\.\w+\.\w{6}|node-compile-cache)$/;

/** Gives the suite a temporary folder of its own, in which its tests leave nothing. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "trammel-tests-"));
  chmodSync(folder, 0o1777);
  process.env["TMPDIR"] = folder;
  return () => {
    const left = readdirSync(folder).filter((name) => !mayStay.test(name));
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`tests left in the temporary folder: ${left.join(", ")}`);
  };
}
