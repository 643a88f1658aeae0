/**
 * A blueprint that is disturbed: its documents by file name, and what its
 * actions note when each is done as often as it should.
 */
export interface Case {
  readonly name: string;
  readonly documents: Readonly<Record<string, string>>;
  /**
   * How often each action is done in a run; those that their author allows to be repeated note themselves elsewhere.
   */
  readonly actions: Readonly<Record<string, number>>;
  /** What a person says next to a run of it that stands still, which is disturbed, too. */
  readonly decision?: (run: string) => readonly string[];
}

/** An action that counts itself: one line, appended in one write. */
function note(what: string, file: "log" | "again" = "log"): string {
  return `echo "$TRAMMEL_RUN $TRAMMEL_NODE ${what}" >> ${file}`;
}

function script(what: string, more = ""): string {
  return `{type: script, run: ${JSON.stringify(note(what))}${more}}`;
}

const linear: Case = {
  name: "linear",
  documents: {
    "b.yaml": `name: linear
entry: a
nodes:
  a: {type: script, run: ${JSON.stringify(`${note("a")}; setsid sleep 300 & sleep 0.01`)}, next: b}
  b: ${script("b", ", next: c")}
  c: ${script("c")}
`,
  },
  actions: { a: 1, b: 1, c: 1 },
};

const loop: Case = {
  name: "loop",
  documents: {
    "b.yaml": `name: loop
entry: work
nodes:
  work: ${script("work", ", next: check")}
  check:
    type: script
    idempotent: true
    run: ${JSON.stringify(`${note("check", "again")}; test "$(grep -c work log)" -ge 3`)}
    next: {success: done, failure: work}
  done: ${script("done")}
`,
  },
  actions: { work: 3, done: 1 },
};

const diamond: Case = {
  name: "diamond",
  documents: {
    "b.yaml": `name: diamond
entry: a
nodes:
  a: ${script("a", ", next: [b, c]")}
  b: {type: script, run: ${JSON.stringify(`${note("b")}; sleep 0.05`)}, next: d}
  c: ${script("c", ", next: d")}
  d: ${script("d")}
`,
  },
  actions: { a: 1, b: 1, c: 1, d: 1 },
};

const map: Case = {
  name: "map",
  documents: {
    "b.yaml": `name: map
entry: list
nodes:
  list: {type: script, idempotent: true, run: "echo '[1, 2, 3]'", output: json, next: each}
  each: {type: map, over: "{list}", do: ${script("item-$N", ', env: {N: "{item}"}')}, next: last}
  last: ${script("last")}
`,
  },
  actions: { "item-1": 1, "item-2": 1, "item-3": 1, last: 1 },
};

const gate: Case = {
  name: "gate",
  documents: {
    "b.yaml": `name: gate
entry: before
nodes:
  before: ${script("before", ", next: ask")}
  ask: {type: human, mode: approval, prompt: "Ship it?", next: {success: ship, failure: END}}
  ship: ${script("ship")}
`,
  },
  actions: { before: 1, ship: 1 },
  decision: (run) => ["answer", run, "ask", "yes"],
};

const call: Case = {
  name: "call",
  documents: {
    "inner.yaml": `name: inner
entry: x
nodes:
  x: ${script("x", ", next: y")}
  y: ${script("y")}
`,
    "b.yaml": `name: call
entry: a
nodes:
  a: ${script("a", ", next: sub")}
  sub: {type: call, blueprint: ./inner.yaml, next: z}
  z: ${script("z")}
`,
  },
  actions: { a: 1, x: 1, y: 1, z: 1 },
};

/** What waits beside a failure, in a call as well, is suspended with the run, and goes on with a decision. */
const halt: Case = {
  name: "halt",
  documents: {
    "inner.yaml": `name: inner
entry: x
nodes:
  x: ${script("x", ", next: ask")}
  ask: {type: human, mode: approval, prompt: "Inside?", next: {success: y, failure: END}}
  y: ${script("y")}
`,
    "b.yaml": `name: halt
entry: a
escalate: [failure]
nodes:
  a: ${script("a", ", next: [check, ask, sub, pause]")}
  check: {type: script, run: ${JSON.stringify(`${note("check")}; sleep 0.1; exit 1`)}, next: {success: last}}
  ask: {type: human, mode: approval, prompt: "Ship it?", next: {success: last, failure: END}}
  sub: {type: call, blueprint: ./inner.yaml, next: last}
  pause: {type: wait, for: 50ms, next: last}
  last: ${script("last")}
`,
  },
  actions: { a: 1, check: 1, x: 1, y: 1, last: 1 },
  decision: (run) => ["resolve", run, "--node", "check", "--as", "done", "--reason", "looked", "--detach"],
};

/** An action that kills its engine when it is done for the first time. */
export const dyingCase: Case = {
  name: "dying",
  documents: {
    "b.yaml": `name: dying
entry: a
nodes:
  a: {type: script, run: ${JSON.stringify(`${note("a")}; [ -e died ] || { touch died; kill -9 $PPID; }`)}}
`,
  },
  actions: { a: 1 },
};

/** A node of each way to wait that a clock could disturb. */
export const waits: Case = {
  name: "waits",
  documents: {
    "b.yaml": `name: waits
entry: a
nodes:
  a: ${script("a", ", next: pause")}
  pause: {type: wait, for: 300ms, next: slow}
  slow: {type: script, idempotent: true, run: sleep 300, timeout: 500ms, next: {failure: z}}
  z: ${script("z")}
`,
  },
  actions: { a: 1, z: 1 },
};

export const gateCase = gate;
export const linearCase = linear;
export const cases: readonly Case[] = [linear, loop, diamond, map, gate, call, halt];
