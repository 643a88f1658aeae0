/** Words that other systems use, by what they may be here: of several the first that exists where the word stands. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  // Fields
  args: ["with", "inputs"],
  arguments: ["args", "with", "inputs"],
  approver: ["approvers"],
  assignees: ["approvers"],
  allowed: ["enum", "options"],
  allowed_tools: ["tools"],
  attempts: ["retry"],
  begin: ["entry"],
  branch: ["ref", "decide"],
  budget: ["cost", "limits"],
  choices: ["options", "enum"],
  cmd: ["run", "command", "script"],
  code: ["body", "run"],
  command: ["run", "script"],
  commands: ["run"],
  condition: ["when"],
  connections: ["edges"],
  cwd: ["workdir"],
  desc: ["description", "note"],
  description: ["note"],
  destination: ["to", "path"],
  dir: ["cwd", "workdir"],
  directory: ["cwd", "workdir"],
  duration: ["for", "timeout", "time"],
  each: ["over", "map"],
  entrypoint: ["entry"],
  env_vars: ["env"],
  environment: ["env"],
  exec: ["run"],
  first: ["entry"],
  folder: ["cwd", "workdir"],
  foreach: ["over", "map"],
  for_each: ["over", "map"],
  goal: ["prompt"],
  goto: ["to"],
  if: ["when"],
  initial: ["entry"],
  instruction: ["prompt"],
  instructions: ["prompt"],
  items: ["over"],
  iterations: ["cap"],
  jobs: ["nodes"],
  links: ["edges"],
  list: ["over", "list<T>"],
  max_attempts: ["cap"],
  max_cost: ["cost"],
  max_iterations: ["cap"],
  max_loops: ["cap"],
  max_parallel: ["parallel"],
  max_passes: ["cap"],
  max_retries: ["retry"],
  max_steps: ["turns", "steps"],
  max_tokens: ["tokens"],
  max_turns: ["turns"],
  message: ["prompt", "question"],
  on: ["when"],
  outcome: ["when"],
  params: ["args", "with", "inputs"],
  parameters: ["args", "with", "inputs"],
  prompt: ["question", "agent"],
  question: ["prompt"],
  regex: ["pattern"],
  repository: ["repo"],
  retries: ["retry"],
  routes: ["edges"],
  script: ["run"],
  secret: ["secrets", "sensitive"],
  source: ["from"],
  src: ["from"],
  start: ["entry"],
  start_at: ["entry"],
  states: ["nodes"],
  steps: ["nodes", "do"],
  target: ["to"],
  tasks: ["nodes"],
  timeout_minutes: ["timeout"],
  timeout_ms: ["timeout"],
  timeout_seconds: ["timeout"],
  transitions: ["edges"],
  url: ["repo"],
  values: ["enum", "options"],
  variables: ["env", "inputs"],
  vars: ["env", "inputs"],
  workdir: ["cwd"],
  workflow: ["blueprint", "call"],
  working_dir: ["cwd", "workdir"],
  working_directory: ["cwd", "workdir"],

  // Types of nodes
  ai: ["agent"],
  approval: ["human"],
  approve: ["human"],
  bash: ["run", "script"],
  blueprint: ["call"],
  claude: ["agent"],
  classify: ["decide"],
  codex: ["agent"],
  confirm: ["human"],
  container: ["provision"],
  delay: ["wait"],
  docker: ["provision"],
  function: ["code"],
  gate: ["human"],
  git: ["checkout"],
  input: ["human"],
  javascript: ["code"],
  js: ["code"],
  llm: ["agent"],
  manual: ["human"],
  mcp: ["tool"],
  pipeline: ["call"],
  router: ["decide"],
  sandbox: ["provision"],
  sh: ["run", "script"],
  shell: ["script"],
  sleep: ["wait"],
  subflow: ["call"],
  subworkflow: ["call"],
  switch: ["decide"],
  typescript: ["code"],
  user: ["human"],

  // Types of values
  any: ["json"],
  array: ["list<T>"],
  bool: ["boolean"],
  dict: ["json"],
  double: ["number"],
  float: ["number"],
  int: ["integer"],
  object: ["json"],
  str: ["string"],
  text: ["string"],

  // Outcomes
  errored: ["error"],
  exception: ["error"],
  fail: ["failure"],
  failed: ["failure"],
  false: ["failure"],
  ok: ["success"],
  pass: ["success"],
  passed: ["success"],
  succeeded: ["success"],
  true: ["success"],
};

/** What a word of other systems is called here, among what there is. */
export function meaningOf(word: string, known: ReadonlySet<string>): string | undefined {
  const plain = plainWord(word);
  return Object.hasOwn(meanings, plain) ? meanings[plain]?.find((each) => known.has(each)) : undefined;
}

/** How to say here what other systems say with a field. */
export interface Advice {
  readonly hint: string;
  /** The field would say what follows what, so that without it nothing is known of paths. */
  readonly isPath?: true;
}

const byEdges: Advice = {
  hint: "What runs after what is said by edges, such as edges: [{from: a, to: b}], or by `next:` of the node before.",
  isPath: true,
};
const byOutcome: Advice = { hint: "Write next: {success: a, failure: b}, or edges with `when:`.", isPath: true };
const byWhen: Advice = {
  hint: "A node runs when an edge leads to it, such as {from: a, to: b, when: success}; there are no expressions.",
  isPath: true,
};
const byFailure: Advice = { hint: "An edge goes on after a failure: {from: a, to: b, when: failure}." };
const byModel: Advice = { hint: "Remove it: a model is asked with its own settings." };
const byAgent: Advice = { hint: "Defaults of all agents stand under `agent:`, such as agent: {model: vendor/name}." };
const byLimits: Advice = {
  hint: "Bounds of a whole run stand under `limits:`, such as limits: {time: 1h, cost: 5 USD}.",
};
const byTrigger: Advice = { hint: "Remove it: what starts a run calls `trammel run`, a scheduler or CI for instance." };
const byLoop: Advice = {
  hint: "A loop is an edge back to an earlier node; `cap:` of that node bounds it.",
  isPath: true,
};
const bySide: Advice = { hint: "Several edges out of one node run side by side.", isPath: true };

const advice: Readonly<Record<string, Advice>> = {
  after: byEdges,
  depends: byEdges,
  depends_on: byEdges,
  needs: byEdges,
  requires: byEdges,
  else: byOutcome,
  on_error: byOutcome,
  on_failure: byOutcome,
  on_success: byOutcome,
  // oxlint-disable-next-line unicorn/no-thenable -- a word of other systems
  then: byOutcome,
  condition: byWhen,
  if: byWhen,
  unless: byWhen,
  when: byWhen,
  allow_failure: byFailure,
  continue_on_error: byFailure,
  ignore_errors: byFailure,
  seed: byModel,
  temperature: byModel,
  top_p: byModel,
  branches: bySide,
  parallel: bySide,
  loop: byLoop,
  repeat: byLoop,
  while: byLoop,
  system: { hint: "Put it into `prompt`." },
  system_prompt: { hint: "Put it into `prompt`." },
  id: { hint: "The key of a node is its name: nodes: {build: {type: script, run: make}}." },
  optional: { hint: "An input is optional when it has a `default`." },
  required: { hint: "An input is required unless it has a `default`." },
  runs_on: { hint: "Nodes run on this machine; a node of type `provision` makes a sandbox for others." },
  uses: { hint: "Write what it does as `run:` of a script, or call another blueprint with `type: call`." },
};

const adviceOnDocument: Readonly<Record<string, Advice>> = {
  cost: byLimits,
  env: { hint: "`env:` stands at the nodes that need it; what a run is given are `inputs:`." },
  environment: { hint: "`env:` stands at the nodes that need it; what a run is given are `inputs:`." },
  model: byAgent,
  provider: byAgent,
  schedule: byTrigger,
  secrets: { hint: "`secrets:` stands at the nodes that may see them." },
  timeout: byLimits,
  tokens: byLimits,
  tools: byAgent,
  trigger: byTrigger,
  triggers: byTrigger,
  version: { hint: "Remove it; `blueprint: 2` names the version of the format." },
};

export function adviceOn(field: string, at: "document" | "node"): Advice | undefined {
  const plain = plainWord(field);
  if (at === "document" && Object.hasOwn(adviceOnDocument, plain)) return adviceOnDocument[plain];
  return Object.hasOwn(advice, plain) ? advice[plain] : undefined;
}

/** `dependsOn` and `depends-on` are `depends_on`. */
function plainWord(word: string): string {
  return word
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}
