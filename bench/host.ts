import { composition } from "../src/compose.ts";
import { check } from "../src/check/check.ts";
import { unattendedGates } from "../src/cli/asking/gate.ts";
import { emptyConfig } from "../src/config/config.ts";
import type { Blueprint } from "../src/model/blueprint.ts";
import type { JournalEvent } from "../src/model/events.ts";
import type { Plugin } from "../src/plugin.ts";
import { definePlugin } from "../src/plugin.ts";
import type { RunHandle } from "../src/runtime/api.ts";
import { inScratch } from "./scratch.ts";

/**
 * Node types that do nothing: `noop` succeeds at once, `hold` works until it is
 * stopped. Brought the way anybody brings theirs.
 */
const idle: Plugin = definePlugin({
  name: "idle",
  nodes: [
    { type: "noop", class: "deterministic", fields: {}, perform: () => Promise.resolve({ outcome: "success" }) },
    {
      type: "hold",
      class: "deterministic",
      fields: {},
      perform: ({ signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve({ outcome: "cancelled" }), { once: true }),
        ),
    },
  ],
});

export interface Document {
  readonly text: string;
  readonly blueprint: Blueprint;
}

export function documentOf(text: string): Document {
  const { blueprint, diagnostics } = check(text, { plugins: idle.nodes });
  if (blueprint === null) throw new Error(`the checker refuses it: ${JSON.stringify(diagnostics[0])}`);
  return { text, blueprint };
}

/** The whole engine over a store in `home`, composed as the command line does it. */
export interface Host {
  start(document: Document, event?: (event: JournalEvent) => void): Promise<RunHandle>;
  /** Runs to the end and refuses any end but success. */
  run(document: Document): Promise<void>;
  resume(run: string, document: Document, event?: (event: JournalEvent) => void): Promise<RunHandle>;
  close(): Promise<void>;
}

const hashes = { contentHash: "content", bindingHash: "binding" };

export async function openHost(home: string): Promise<Host> {
  const notice = (what: string): void => {
    throw new Error(what);
  };
  const place = { home, cwd: home, env: process.env, ownFolders: [] };
  const services = await composition.openServices({
    ...place,
    config: emptyConfig,
    gates: unattendedGates,
    plugins: [idle],
    notice,
  });
  const observer = (event: (event: JournalEvent) => void) => ({ event, progress: () => undefined });
  const started = (answer: Awaited<ReturnType<typeof services.engine.start>>): RunHandle => {
    if ("refused" in answer) throw new Error(answer.message);
    return answer;
  };
  const start: Host["start"] = async ({ text, blueprint }, event = () => undefined) => {
    const request = { blueprint, document: text, ...hashes, task: "bench", inputs: {}, cwd: home };
    return started(await services.engine.start(request, observer(event)));
  };
  return {
    start,
    async run(document) {
      const { end } = await start(document);
      const { status, reason } = await end;
      if (status !== "succeeded") throw new Error(`${status}: ${reason}`);
    },
    async resume(run, { blueprint }, event = () => undefined) {
      const request = { run, blueprint, ...hashes, acceptChanges: false };
      return started(await services.engine.resume(request, observer(event)));
    },
    close: services.close,
  };
}

/** Runs `work` over a store of its own. */
export function inHost<T>(work: (host: Host, folder: string) => Promise<T>): Promise<T> {
  return inScratch(async (folder) => {
    const host = await openHost(folder);
    try {
      return await work(host, folder);
    } finally {
      await host.close();
    }
  });
}
