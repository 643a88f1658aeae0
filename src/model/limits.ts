import { agentLimits } from "./agent-limits.ts";
import { storeLimits } from "./store-limits.ts";

/**
 * Every bound of the system, each with its unit as the last word of its name.
 * A value that a user may change says which key changes it; all others are fixed.
 */
export const limits = {
  // Documents
  documentBytes: 4 * 1024 * 1024,
  documentDepth: 64,
  documentAliases: 1_000,
  documentNodes: 1_000_000,
  documentTokens: 850_000,
  documentTextCharacters: 1024 * 1024,
  referencesPerDocument: 50_000,
  /** Of one `pattern`; with its repetitions written out; product of nested numbers in braces. */
  patternCharacters: 1_000,
  patternAtoms: 2_000,
  patternRepeats: 1_000,
  /** Of matching the defaults of one document against their patterns. */
  patternDefaultSteps: 2_000_000,
  /** Atoms of a pattern times characters of a text; a longer text fits no pattern. */
  patternSteps: 8_000_000,
  diagnosticsPerFile: 200,
  entriesPerCheckedFolder: 20_000,
  nodesPerBlueprint: 20_000,
  edgesPerBlueprint: 200_000,
  noteCharacters: 500,
  titleCharacters: 120,
  descriptionCharacters: 500,
  orderVisits: 3_000_000,
  orderTries: 200,
  /** More than a sane graph needs to settle. */
  boundRounds: 100,
  /** Of a word with what it may have been meant for, over one check. */
  nameComparisons: 100_000,
  wordsNamed: 24,
  fieldsNamed: 40,
  toolsNamed: 30,
  entriesNamed: 8,
  loopNodesNamed: 6,
  quotedColumns: 160,

  // Engine; limits.steps, limits.retries, limits.parallel, limits.time, cap
  stepsWithLoopDefault: 50,
  retriesDefault: 0,
  /** Before a new zone is cheaper. */
  joinFollowedNodes: 64,
  retriesMax: 20,
  capDefaultPasses: 5,
  capMaxPasses: 1_000,
  parallelDefaultNodes: 8,
  parallelMaxNodes: 256,
  counterFileBytes: 16 * 1024 * 1024,
  counterLockMs: 15_000,
  waitToldMs: 3_000,
  runTimeDefaultMs: 24 * 3_600_000,
  retryFirstDelayMs: 250,
  retryMaxDelayMs: 5_000,
  quotaWaits: 5,
  quotaWaitMaxMs: 6 * 3_600_000,
  quotaWaitDefaultMs: 60_000,
  quotaPauseMs: 5 * 60_000,
  pauseKeptMs: 30_000,
  reachCacheBytes: 64 * 1024 * 1024,
  loopNestingLevels: 64,
  simulatedStarts: 100_000,

  // Runs inside runs; max
  mapDefaultItems: 100,
  mapMaxItems: 10_000,
  failedItemsNamed: 10,
  childLevels: 16,
  calleesPerRun: 1_000,
  boundPathsInside: 100,

  // Actions; timeout
  deterministicTimeoutMs: 30 * 60_000,
  agenticTimeoutMs: 2 * 3_600_000,
  waitLookMs: 60_000,
  durationMaxMs: 366 * 24 * 3_600_000,

  // Processes
  terminationGraceMs: 2_000,
  pipeDrainMs: 200,
  custodySweepRounds: 20,
  custodySettleMs: 2_000,
  scratchKeptMs: 24 * 3_600_000,
  scratchSwept: 1_000,
  custodyPollMs: 50,
  custodyShortLivedMs: 100,
  custodyRangePids: 256,
  custodyExecRounds: 10,
  custodyBatchProcesses: 64,

  // Progress of a check
  progressTimeoutMs: 10 * 60_000,
  signatureLines: 20,
  signatureCharacters: 120,

  // Values; limits.output
  outputDefaultBytes: 64 * 1024 * 1024,
  outputMaxBytes: 1024 * 1024 * 1024,
  outputTailBytes: 64 * 1024,
  inlineValueBytes: 16 * 1024,
  promptValueBytes: 32 * 1024,
  environmentValueBytes: 96 * 1024,
  parsedOutputBytes: 512 * 1024,
  jsonDepth: 100,
  reasonCharacters: 300,
  previewBytes: 4 * 1024,
  liveLinesPerPiece: 200,
  portFileBytes: 1024 * 1024,
  taskBytes: 256 * 1024,
  taskIdCharacters: 200,
  inputFileAliases: 100,

  // Secrets
  secretMinCharacters: 4,
  /** In one sensitive input that is a list or a map. */
  sensitiveValues: 256,
  secretCharacters: 64 * 1024,
  secretEncodedCharacters: 8 * 1024,
  secretLineCharacters: 16,
  secretFoldBytes: 2,
  secretNameCharacters: 128,
  keyringMs: 60_000,

  // Working trees
  gitCommandMs: 10 * 60_000,
  gitLockMs: 15_000,
  /** As long as others take pictures of the same tree. */
  pictureLockMs: 5 * 60_000,
  snapshotMs: 60_000,
  modesReadAtOnce: 1_000,
  /** How much earlier than it was a file may be said to be changed: some file systems count by two seconds. */
  fileTimeSlackMs: 2_000,
  /** Ignore rules that Git is given in one list, of which it tries each on each folder. */
  listedRules: 5_000,

  // Sandboxes; memory, cpus, pids of a provision node
  sandboxMemoryDefaultBytes: 4 * 1024 * 1024 * 1024,
  sandboxCpusDefault: 2,
  sandboxPidsDefault: 1_024,
  sandboxOpenFiles: 16_384,
  sandboxUserProcesses: 16_384,
  sandboxIdCharacters: 200,
  sandboxesPerRun: 64,
  sandboxStartMs: 10 * 60_000,
  sandboxCommandMs: 30_000,
  sandboxSettleMs: 10_000,
  sandboxCopyBytes: 16 * 1024 * 1024 * 1024,
  sandboxCopyEntries: 1_000_000,
  forwardedSecretCharacters: 12,
  sandboxPatchMs: 60_000,
  sandboxPatchBytes: 256 * 1024 * 1024,
  sandboxRecordBytes: 1024 * 1024,

  // Tests of blueprints
  stageQuietMs: 20,
  testRunMs: 10 * 60_000,
  testFailuresShown: 20,
  testNameCharacters: 200,
  crashWorkers: 2,
  crashDecisions: 1_000,
  crashOrphanMs: 10_000,

  // Traces
  tracesQueuedSpans: 2_048,
  tracesDelayMs: 2_000,
  tracesExportMs: 5_000,
  tracesCloseMs: 1_000,

  // Screens
  redrawMs: 100,
  nodeIdColumns: 32,
  blueprintNameColumns: 24,
  /** UTF-16 units looked at for each column; more than that is combining marks. */
  columnUnits: 16,
  followMs: 200,
  hangupMs: 250,
  /** Turns of the event loop in which lines are dropped that were typed before a question stood there. */
  typedAheadTurns: 10_000,
  /** Without a line, until there is none. */
  quietTurns: 4,
  gateEvidenceBytes: 16 * 1024,

  ...agentLimits,
  ...storeLimits,
} as const;
