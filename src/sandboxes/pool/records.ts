import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { limits } from "../../model/limits.ts";
import type { BoxRecord } from "./record-shape.ts";

/** One file a box, replaced as a whole. A file that is no record is no box. */
export class BoxRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = path.join(folder, "records");
  }

  async get(id: string): Promise<BoxRecord | null> {
    const file = this.#file(id);
    if (!/^[\w.-]+$/.test(id) || !existsSync(file)) return null;
    const { recordShape } = await import("./record-shape.ts");
    try {
      const text = await readFile(file, "utf8");
      return text.length > limits.sandboxRecordBytes ? null : recordShape.parse(JSON.parse(text));
    } catch {
      return null;
    }
  }

  async all(): Promise<readonly BoxRecord[]> {
    if (!existsSync(this.#folder)) return [];
    const ids = (await readdir(this.#folder)).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
    return (await Promise.all(ids.map((id) => this.get(id)))).filter((record) => record !== null);
  }

  async of(run: string): Promise<readonly BoxRecord[]> {
    return (await this.all()).filter((record) => record.run === run);
  }

  async put(record: BoxRecord): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#file(record.id);
    const making = `${file}.${randomUUID()}.new`;
    await writeFile(making, JSON.stringify(record), { flush: true, mode: 0o600 });
    await rename(making, file);
  }

  /** With what a killed writer of it left half made. */
  async remove(id: string): Promise<void> {
    const name = path.basename(this.#file(id));
    const names = existsSync(this.#folder) ? await readdir(this.#folder) : [];
    const own = names.filter((one) => one === name || (one.startsWith(`${name}.`) && one.endsWith(".new")));
    for (const one of own) await rm(path.join(this.#folder, one), { force: true });
  }

  #file(id: string): string {
    return path.join(this.#folder, `${id}.json`);
  }
}
