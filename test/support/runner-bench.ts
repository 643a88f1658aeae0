import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { randomBytes } from "node:crypto";
import { limits } from "../../src/model/limits.ts";
import type { ProcessResult, ProcessRunner, ProcessSpec } from "../../src/ports/processes.ts";
import { fileBlobs } from "../../src/runtime/blobs/files.ts";
import { hasProcfs, listPids, readVariable } from "../../src/runtime/processes/procfs.ts";
import { createProcessRunner } from "../../src/runtime/processes/runner.ts";
import { createRedactor } from "../../src/runtime/redaction/redactor.ts";
import { hourMs, Hourglass } from "./hourglass.ts";

/** The programs of test/fixtures/bin. */
const fixtureBin = path.resolve(import.meta.dirname, "../fixtures/bin");

const never = new AbortController().signal;

/**
 * The real runner over a folder of its own. Whatever a test did, {@link
 * close} throws where a process of it still lives.
 */
export class RunnerBench {
  readonly folder = mkdtempSync(path.join(tmpdir(), "trammel-run-"));
  readonly blobs = path.join(this.folder, "blobs");
  readonly hourglass = new Hourglass();
  readonly #witness = randomBytes(8).toString("hex");

  runner(secrets: readonly string[] = [], blobs = this.blobs): ProcessRunner {
    return createProcessRunner({ blobs: fileBlobs(blobs), redactor: createRedactor(secrets), clock: this.hourglass });
  }

  spec(argv: readonly string[], extra: Partial<ProcessSpec> = {}): ProcessSpec {
    const env = { PATH: `${fixtureBin}:${process.env["PATH"] ?? ""}`, WITNESS: this.#witness, ...extra.env };
    return { argv, cwd: this.folder, outputBytes: limits.outputDefaultBytes, ...extra, env };
  }

  run(argv: readonly string[], extra: Partial<ProcessSpec> = {}, signal = never): Promise<ProcessResult> {
    return this.runner().run(this.spec(argv, extra), signal);
  }

  sh(script: string, extra: Partial<ProcessSpec> = {}, signal = never): Promise<ProcessResult> {
    return this.run(["sh", "-c", script], extra, signal);
  }

  /** For a process whose time is up as soon as it has said this line. */
  timeIsUpAt(said: string): Partial<ProcessSpec> {
    return { timeoutMs: hourMs, onLine: (line) => (line === said ? this.hourglass.turn() : undefined) };
  }

  /** The whole text of a result whose text is in the store. */
  async whole({ output }: ProcessResult): Promise<Buffer> {
    const bytes = await fileBlobs(this.blobs).get(output.blob ?? "");
    if (bytes === null) throw new Error("no blob");
    return Buffer.from(bytes);
  }

  /** Processes that this bench has started and that still live. */
  left(): readonly number[] {
    return hasProcfs ? listPids().filter((pid) => readVariable(pid, "WITNESS") === this.#witness) : [];
  }

  close(): void {
    const left = this.left();
    rmSync(this.folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`processes that a test left: ${left.join(", ")}`);
  }
}
