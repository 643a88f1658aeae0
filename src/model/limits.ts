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
  documentTokens: 1_000_000,
  diagnosticsPerFile: 200,
  nodesPerBlueprint: 20_000,
  edgesPerBlueprint: 200_000,
  noteCharacters: 500,

  // Engine; limits.steps, limits.retries, limits.parallel, limits.time, cap
  stepsWithLoopDefault: 50,
  retriesDefault: 0,
  retriesMax: 20,
  capDefaultPasses: 5,
  capMaxPasses: 1_000,
  parallelDefaultNodes: 8,
  parallelMaxNodes: 256,
  runTimeDefaultMs: 24 * 3_600_000,
  retryFirstDelayMs: 250,
  retryMaxDelayMs: 5_000,
  reachCacheBytes: 64 * 1024 * 1024,
  loopNestingLevels: 100,

  // Actions; timeout
  deterministicTimeoutMs: 30 * 60_000,
  agenticTimeoutMs: 2 * 3_600_000,
  durationMaxMs: 366 * 24 * 3_600_000,

  // Processes
  terminationGraceMs: 2_000,
  pipeDrainMs: 200,
  custodySweepRounds: 20,
  custodySettleMs: 2_000,
  custodyPollMs: 50,
  custodyShortLivedMs: 100,
  custodyRangePids: 256,
  custodyBatchProcesses: 64,

  // Values; limits.output
  outputDefaultBytes: 64 * 1024 * 1024,
  outputMaxBytes: 1024 * 1024 * 1024,
  outputTailBytes: 64 * 1024,
  inlineValueBytes: 16 * 1024,
  promptValueBytes: 32 * 1024,
  environmentValueBytes: 96 * 1024,
  parsedOutputBytes: 512 * 1024,
  reasonCharacters: 300,
  previewBytes: 4 * 1024,
  liveLinesPerPiece: 200,
  portFileBytes: 1024 * 1024,
  taskBytes: 256 * 1024,

  // Secrets
  secretMinCharacters: 4,
  secretCharacters: 64 * 1024,
  secretEncodedCharacters: 8 * 1024,
  secretLineCharacters: 16,
  secretFoldBytes: 2,

  // Agents; agent.turns
  agentTurnsDefault: 50,
  agentTurnsMax: 1_000,
  toolOutputBytes: 64 * 1024,
  toolReadBytes: 256 * 1024,
  cassetteBytes: 32 * 1024 * 1024,
  cassetteFiles: 2_000,
  cassettePromptBytes: 256 * 1024,
  snapshotFiles: 100_000,
  snapshotFileBytes: 8 * 1024 * 1024,
  agentEventBytes: 64 * 1024,
  agentMessageBytes: 1024 * 1024,
  agentEvents: 100_000,
  toolCallsPerTurn: 64,
  repairTurns: 1,
  acpStartMs: 60_000,
  acpCancelMs: 3_000,
  acpMessageBytes: 32 * 1024 * 1024,
  acpErrorOutputBytes: 8 * 1024,
  toolTimeoutMs: 10 * 60_000,
  faultTextCharacters: 500,
  textEventCharacters: 512,
  commandCharacters: 64 * 1024,
  policyRules: 1_000,
  schemaProblems: 5,
  retryAfterMaxMs: 24 * 3_600_000,

  // Journal
  eventBytes: 1024 * 1024,
  storeBusyMs: 5_000,
  storeRetryMs: 3,
  storeStreakCommits: 8,
  storeCrowdedCommits: 64,
  tornRecords: 8,
  journalPageRecords: 512,
  telemetryDelayMs: 50,
  telemetryBufferBytes: 256 * 1024,
  mailboxPollMs: 100,
  runsListed: 1_000,
  startTries: 10,
  performanceSlackMs: 5_000,
  performanceAbandonMs: 15_000,
  processesPerAttempt: 1_000,
  clippedItems: 100,
  retryJitterRatio: 0.25,
  noticesPerProcess: 100,
  evidenceLines: 5,

  // Screens
  redrawMs: 100,
  followMs: 200,
  gateEvidenceBytes: 16 * 1024,
} as const;
