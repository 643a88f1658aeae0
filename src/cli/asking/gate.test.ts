import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Question } from "../../ports/gate.ts";
import { terminalGates } from "./gate.ts";
import type { Output } from "../output.ts";

function stage() {
  const input = new PassThrough();
  let shown = "";
  let suspended = 0;
  const err: Output = {
    terminal: true,
    write: (text) => void (shown += text),
    draw: (frame) => void (shown += frame),
    closed: () => false,
    fault: () => null,
    size: () => ({ columns: 80, rows: 24 }),
    onResize: () => () => undefined,
    flush: () => Promise.resolve(),
  };
  const screen = { suspend: () => void (suspended += 1), resume: () => void (suspended -= 1) };
  return { input, gates: terminalGates({ input, err, screen }), shown: () => shown, suspended: () => suspended };
}

function question(mode: Question["mode"], more: Partial<Question> = {}): Question {
  return { run: "r", node: "gate", mode, prompt: "Go?", evidence: [], options: [], fields: {}, ...more };
}

const never = new AbortController().signal;

describe("approval", () => {
  it.each([
    ["y", "approved"],
    ["YES", "approved"],
    [" ok ", "approved"],
    ["", "declined"],
    ["n", "declined"],
    ["yess", "declined"],
    ["y n", "declined"],
  ])("%j is %s", async (typed, kind) => {
    const { input, gates, suspended } = stage();
    const answer = gates.ask(question("approval"), never);
    input.write(`${typed}\n`);
    expect((await answer).kind).toBe(kind);
    expect(suspended()).toBe(0);
  });

  it("is asked of nobody here whom its approvers leave out, and what is typed goes to the next question", async () => {
    const { input, gates, shown, suspended } = stage();
    const elsewhere = new AbortController();
    const others = gates.ask(question("approval", { node: "law", approvers: ["ann"] }), elsewhere.signal);
    const answer = gates.ask(question("approval"), never);
    input.write("y\n");
    expect((await answer).kind).toBe("approved");
    expect(shown()).toContain(
      "law: Go?\nann may answer, and nobody else: trammel inbox tells how; run r waits for it\n",
    );
    elsewhere.abort();
    expect(await others).toEqual({ kind: "nobody" });
    expect(suspended()).toBe(0);
  });

  it("is no approval when input ends, then or later", async () => {
    const { input, gates } = stage();
    const answer = gates.ask(question("approval"), never);
    input.end();
    expect(await answer).toEqual({ kind: "end_of_input" });
    expect(await gates.ask(question("approval"), never)).toEqual({ kind: "end_of_input" });
  });

  it("is nobody's answer when the terminal is closed, which ends input and then stops the run", async () => {
    const { input, gates } = stage();
    const stop = new AbortController();
    const answer = gates.ask(question("approval"), stop.signal);
    input.once("end", () => setImmediate(() => stop.abort()));
    input.end();
    expect(await answer).toEqual({ kind: "nobody" });
  });

  it("answers `nobody` on an abort and leaves input to the next question", async () => {
    const { input, gates } = stage();
    const stop = new AbortController();
    const answer = gates.ask(question("approval"), stop.signal);
    stop.abort();
    expect(await answer).toEqual({ kind: "nobody" });
    const next = gates.ask(question("approval"), never);
    input.write("yes\n");
    expect((await next).kind).toBe("approved");
  });
});

it("asks one question at a time and shows evidence as inert text", async () => {
  const { input, gates, shown } = stage();
  const first = gates.ask(question("approval", { evidence: ["\u001b[2Jplan\nline two"] }), never);
  const second = gates.ask(question("input", { node: "later", prompt: "Name?" }), never);
  await Promise.resolve();
  expect(shown()).toBe("\n  │ plan\n  │ line two\ngate: Go?\nApprove? [y/N] ");
  input.write("y\n");
  await first;
  await Promise.resolve();
  input.write("Ann \n");
  expect(await second).toMatchObject({ kind: "text", text: "Ann " });
});

it("lets go of input after each answer, however often it asks", async () => {
  const { input, gates } = stage();
  const listening = () => input.eventNames().reduce((sum, name) => sum + input.listenerCount(name), 0);
  const before = listening();
  for (const typed of ["y", "n", "ok"]) {
    const answer = gates.ask(question("approval"), never);
    input.write(`${typed}\n`);
    await answer;
    expect(listening()).toBe(before);
  }
});

it("takes an option by name or number and asks again for anything else", async () => {
  const { input, gates, shown } = stage();
  const answer = gates.ask(question("choice", { options: [{ id: "ship", title: "Ship it" }, { id: "hold" }] }), never);
  input.write("3\n");
  while (shown().split("One of").length < 3) await new Promise((resolve) => setImmediate(resolve));
  input.write("2\n");
  expect(await answer).toMatchObject({ kind: "text", text: "hold" });
});

it("asks for each field of a form until it fits, and takes the default for an empty line", async () => {
  const { input, gates, shown } = stage();
  const fields = {
    name: { type: { kind: "string" }, description: "who" },
    times: { type: { kind: "integer" }, default: 2 },
  } as const;
  const answer = gates.ask(question("form", { fields }), never);
  const until = async (text: string) => {
    while (!shown().endsWith(text)) await new Promise((resolve) => setImmediate(resolve));
  };
  await until("name (who): ");
  input.write("Ann\n");
  await until("times [2]: ");
  input.write("many\n");
  await until("times is not an integer\ntimes [2]: ");
  input.write("\n");
  expect(await answer).toMatchObject({ kind: "value", value: { name: "Ann", times: 2 } });
});

it("takes yes and no for a boolean of a form, and says what there is to choose from", async () => {
  const { input, gates, shown } = stage();
  const fields = {
    notify: { type: { kind: "boolean" } },
    quiet: { type: { kind: "boolean" }, default: true },
    where: { type: { kind: "enum", values: ["here", "there"] } },
    size: { type: { kind: "integer" }, enum: [1, 2] },
  } as const;
  const answer = gates.ask(question("form", { fields }), never);
  const typed = async (prompt: string, text: string) => {
    while (!shown().endsWith(prompt)) await new Promise((resolve) => setImmediate(resolve));
    input.write(`${text}\n`);
  };
  await typed("notify yes|no: ", "perhaps");
  await typed("notify is not true or false\nnotify yes|no: ", "Yes");
  await typed("quiet yes|no [true]: ", "n");
  await typed("where here|there: ", "there");
  await typed("size 1|2: ", "2");
  expect(await answer).toMatchObject({ value: { notify: true, quiet: false, where: "there", size: 2 } });
});
